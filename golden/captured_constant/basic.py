from functools import partial

import jax
import jax.numpy as jnp

table = jnp.linspace(0.0, 1.0, 600 * 600).reshape(600, 600)
weights = {"inner": table + 1.0, "outer": jnp.ones(600)}


@jax.jit
def advance(x):
    return jnp.tanh(x @ table)  # want: captured-constant


@partial(jax.jit, static_argnums=(1,), donate_argnums=0)
def power(
    x: jax.Array,
    exponent: int,  # of the last
) -> jax.Array:
    """What `advance` does, again."""
    for _ in range(exponent):
        x = x @ weights["inner"]  # want: captured-constant
    # the outer ones are small
    return x * weights["outer"]


@jax.jit
def both(*, x, scale):
    return scale * (x @ table) + x @ weights["inner"]  # want: captured-constant


def train(steps):
    bias = jnp.ones((600, 600))

    @jax.jit
    def _step(x):
        """A step,
        of the bias.
        """
        # a large bias
        if steps:
            return (
                jnp.sin(x)
                @ bias  # want: captured-constant
            )
        return x

    x = jnp.ones(600)
    for _ in range(steps):
        x = _step(x)
    return x


print(advance(jnp.ones(600)).sum())
print(power(jnp.ones(600), 2).sum())
print(both(x=jnp.ones(600), scale=2.0).sum())
print(train(2).sum())
