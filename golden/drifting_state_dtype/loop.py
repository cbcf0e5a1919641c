"""A moving average that is made in bfloat16 and comes back in float32."""

import jax
import jax.numpy as jnp
from library import gradient


@jax.jit
def update(average, gradient):
    return 0.9 * average + 0.1 * gradient


def main():
    average = jnp.zeros(4, jnp.bfloat16)
    for step in range(4):
        average = update(average, gradient(4))  # want: drifting-state-dtype (no fix): is unknown
    print(average)


main()
