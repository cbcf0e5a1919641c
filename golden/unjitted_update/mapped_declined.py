"""Functions that `jax.vmap` has made, where a jitted one may do something else."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

calls = []
rate = 1.0


@jax.vmap
def counted(x):
    calls.append(1)
    return jnp.sum(jnp.sin(x))


@partial(jax.jit, static_argnums=1)
def raised(x, n):
    return jnp.sum(jnp.sin(x) ** n)


batch_raised = jax.vmap(raised, in_axes=(0, None))


@partial(jax.vmap, in_axes=(0, None))
def powers(x, n):
    return jnp.stack([x**k for k in range(n)]).sum()


@jax.vmap
def scaled(x):
    return jnp.sum(jnp.sin(x)) * rate


def mixed(weights, x):
    return jnp.sum(jnp.sin(x) * jnp.asarray(weights))


weights = np.ones(6)
weighted = jax.vmap(partial(mixed, weights))


@jax.vmap
def kept(x):
    return jnp.sum(jnp.cos(x)) + 1


twice = [kept]


@partial(jax.vmap, in_axes=(None, 0))
def mapped_by(function, x):
    return jnp.sum(function(x)) + 1


@jax.vmap
def buffered(x):
    return jnp.sum(jnp.cos(x)) + 1


def per_call(xs, offset):
    shifted = jax.vmap(lambda x: jnp.sum(jnp.cos(x)) + offset)
    return [shifted(xs) for _ in range(5)]  # want: unjitted-update (no fix): it would be compiled at every call of `per_call`, which is called repeatedly


def around(xs, scale):
    mapped = jax.vmap(lambda x: jnp.sum(jnp.cos(x)) * scale)
    return jnp.mean(mapped(xs))  # created as often as it is called


def main():
    global rate
    xs = jnp.ones((4, 6))
    buffer = np.zeros((4, 6))
    for step in range(20):
        print(counted(xs))  # want: unjitted-update (no fix): `counted` cannot be traced: it calls `calls.append` for its side effect, at trace time only
        print(powers(xs, step))  # want: unjitted-update (no fix): `powers` passes `n` to `range`, and `n` is not mapped
        print(batch_raised(xs, step))  # want: unjitted-update (no fix): is decorated
        rate = rate * 0.5
        print(scaled(xs))  # want: unjitted-update (no fix): `scaled` cannot be traced: it reads `rate`: `rate` is bound more than once
        weights[0] = step
        print(weighted(xs))  # want: unjitted-update (no fix): `weighted` binds `weights`, which may change
        print(kept(xs))  # want: unjitted-update (no fix): `kept` is passed on
        print(mapped_by(jnp.sin, xs))  # want: unjitted-update (no fix): `mapped_by` calls `function` or a method of it, and that is not mapped
        buffer[0] = step
        print(buffered(buffer))  # want: unjitted-update (no fix): `buffer` is changed in place, perhaps while the jitted function still reads it
        per_call(xs, step)
        print(around(xs, 2.0))


main()
