"""Several functions make the same jitted function: one does for all."""

import jax
import jax.numpy as jnp
from jax import jit, vmap


def width(x, y):
    return jnp.sqrt(x * y)


def depth(x):
    return x * 2.0


def hydrogen(xs, y):
    found = jit(vmap(width, (0, None)))(xs, y)  # want: local-jit
    return found + jit(vmap(depth))(xs)  # want: local-jit


def helium(xs, y):
    return jit(vmap(width,(0,None)))(xs, 2.0 * y)  # want: local-jit


def lithium(xs, y):
    of_all = jit(vmap(width, (0, None)))  # want: local-jit
    return of_all(xs, y) - jit(vmap(width))(xs, xs)  # want: local-jit


def both(xs, y):
    summed = jit(vmap(jnp.add, (0, None)))(xs, y)  # want: local-jit
    return jit(vmap(jnp.add, (0, None)))(summed, y)  # want: local-jit


def of_its_own(xs, y):
    def width(x, y):
        return x + y

    return jit(vmap(width, (0, None)))(xs, y)  # want: local-jit
