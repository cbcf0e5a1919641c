from functools import partial

import jax
import jax.numpy as jnp

table = jnp.linspace(0.0, 1.0, 600 * 600).reshape(600, 600)
weights = {"inner": table + 1.0, "outer": jnp.ones(600)}


@jax.jit
def _advance(x, table):
    return jnp.tanh(x @ table)


def advance(x):
    return _advance(x, table)


@partial(jax.jit, static_argnums=(1,), donate_argnums=0)
def _power(
    x: jax.Array,
    exponent: int, weights,  # of the last
) -> jax.Array:
    """What `advance` does, again."""
    for _ in range(exponent):
        x = x @ weights["inner"]
    # the outer ones are small
    return x * weights["outer"]


def power(
    x: jax.Array,
    exponent: int,  # of the last
) -> jax.Array:
    return _power(x, exponent, weights)


@jax.jit
def _both(*, x, scale, table, weights):
    return scale * (x @ table) + x @ weights["inner"]


def both(*, x, scale):
    return _both(x=x, scale=scale, table=table, weights=weights)


def train(steps):
    bias = jnp.ones((600, 600))

    @jax.jit
    def _step_jitted(x, bias):
        """A step,
        of the bias.
        """
        # a large bias
        if steps:
            return (
                jnp.sin(x)
                @ bias
            )
        return x

    def _step(x):
        return _step_jitted(x, bias)

    x = jnp.ones(600)
    for _ in range(steps):
        x = _step(x)
    return x


print(advance(jnp.ones(600)).sum())
print(power(jnp.ones(600), 2).sum())
print(both(x=jnp.ones(600), scale=2.0).sum())
print(train(2).sum())
