"""One optimizer with three faults: each is cured, and the cures go together."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from optax import GradientTransformation, safe_increment


class State(NamedTuple):
    count: jax.Array
    best: jax.Array
    trace: jax.Array


def scale_by_search(decay=0.9, length=4):
    def init_fn(params):
        return State(
            count=jnp.zeros([], jnp.int32),
            best=jnp.asarray(jnp.inf),  # want: weak-state
            trace=jnp.zeros((length, *params.shape)),
        )

    def update_fn(updates, state, params=None):
        count = safe_increment(state.count)

        # Sums up the past.
        def add(total, row):
            return total + row * updates, None

        total, _ = lax.scan(add, jnp.zeros_like(updates), state.trace)  # want: local-loop-function  # want: remat-scan (no fix)
        debiased = total / (1 - decay**count)  # want: static-exponent
        best = jnp.minimum(state.best, jnp.sum(debiased**2))
        return debiased, State(count, best, state.trace)

    return GradientTransformation(init_fn, update_fn)
