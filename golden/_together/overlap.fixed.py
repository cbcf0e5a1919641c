"""Fixes that break one line in two ways: one is made at once, the other in the round after."""

import jax
import jax.numpy as jnp
from jax import lax


def _train_for_a_while_true(x):
    return x


def _train_for_a_while_false(x):
    return x / 2


def train_for_a_while(batches, decay=0.9):
    count = jnp.zeros([], jnp.int32)
    for batch in batches:
        count = count + 1
        low = jnp.max(batch) < 1.0
        # A concrete integer exponent is compiled again for every value.
        exponent = count
        if not isinstance(exponent, jax.core.Tracer):
            exponent = exponent * 1.0
        # The comment stays above the line.
        batch = lax.cond(
            low, _train_for_a_while_true, _train_for_a_while_false, batch / decay**exponent
        )
    return batch


def _one_in_the_other_true(x):
    return x - 1.0


def _one_in_the_other_false(x):
    return x


def _one_in_the_other_true_2(x):
    return x + 3.0


def _one_in_the_other_false_2(x):
    return x


def one_in_the_other(batches):
    for batch in batches:
        low = jnp.max(batch) > 1.0
        batch = lax.cond(
            low,
            _one_in_the_other_true,
            _one_in_the_other_false,
            lax.cond(low, _one_in_the_other_true_2, _one_in_the_other_false_2, batch),
        )
    return batch
