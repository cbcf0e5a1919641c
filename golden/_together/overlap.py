"""Fixes that break one line in two ways: one is made at once, the other in the round after."""

import jax.numpy as jnp
from jax import lax


def train_for_a_while(batches, decay=0.9):
    count = jnp.zeros([], jnp.int32)
    for batch in batches:
        count = count + 1
        low = jnp.max(batch) < 1.0
        # The comment stays above the line.
        batch = lax.cond(low, lambda x: x, lambda x: x / 2, batch / decay**count)  # want: local-loop-function # want: static-exponent
    return batch


def one_in_the_other(batches):
    for batch in batches:
        low = jnp.max(batch) > 1.0
        batch = lax.cond(  # want: local-loop-function
            low,
            lambda x: x - 1.0,
            lambda x: x,
            lax.cond(low, lambda x: x + 3.0, lambda x: x, batch),  # want: local-loop-function
        )
    return batch
