"""Several functions make the same jitted function: one does for all."""

import jax
import jax.numpy as jnp
from jax import jit, vmap


def width(x, y):
    return jnp.sqrt(x * y)


def depth(x):
    return x * 2.0


_vmap_width = jit(vmap(width, (0, None)))
_hydrogen_vmap_depth = jit(vmap(depth))


def hydrogen(xs, y):
    found = _vmap_width(xs, y)
    return found + _hydrogen_vmap_depth(xs)


def helium(xs, y):
    return _vmap_width(xs, 2.0 * y)


_lithium_vmap_width = jit(vmap(width))


def lithium(xs, y):
    return _vmap_width(xs, y) - _lithium_vmap_width(xs, xs)


_both_vmap_add = jit(vmap(jnp.add, (0, None)))


def both(xs, y):
    summed = _both_vmap_add(xs, y)
    return _both_vmap_add(summed, y)


def _of_its_own_width(x, y):
    return x + y


_of_its_own_vmap_width = jit(vmap(_of_its_own_width, (0, None)))


def of_its_own(xs, y):
    return _of_its_own_vmap_width(xs, y)
