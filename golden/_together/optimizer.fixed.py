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


# Sums up the past.
def _update_fn_add(carry, row):
    total, updates = carry
    return (total + row * updates, updates), None


def scale_by_search(decay=0.9, length=4):
    def init_fn(params):
        return State(
            count=jnp.zeros([], jnp.int32),
            best=jnp.asarray(
                jnp.inf,
                dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype,
            ),
            trace=jnp.zeros((length, *params.shape)),
        )

    def update_fn(updates, state, params=None):
        count = safe_increment(state.count)

        (total, _), _ = lax.scan(
            _update_fn_add, (jnp.zeros_like(updates), updates), state.trace
        )
        # A concrete integer exponent is compiled again for every value.
        exponent = count
        if not isinstance(exponent, jax.core.Tracer):
            exponent = exponent * 1.0
        debiased = total / (1 - decay**exponent)
        best = jnp.minimum(state.best, jnp.sum(debiased**2))
        return debiased, State(count, best, state.trace)

    return GradientTransformation(init_fn, update_fn)
