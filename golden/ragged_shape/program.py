"""Sentences of their own length, one program for each."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(tokens):
    return jnp.sum(tokens**2)


def main():
    total = 0.0
    for length in (3, 5, 8, 13):
        total += float(score(np.arange(length, dtype=np.float32)))  # want: ragged-shape (no fix): padding
    print(total)


main()
