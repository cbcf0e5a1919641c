"""A step whose temperature is a Python number in a static argument."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="temperature")
def sample(logits, temperature):
    return jax.nn.softmax(logits / temperature)


def main():
    logits = jnp.arange(4.0)
    for step in range(6):
        logits = sample(logits, temperature=1.0 / (step + 1))  # want: python-counter (no fix): a Python number
    print(logits)


main()
