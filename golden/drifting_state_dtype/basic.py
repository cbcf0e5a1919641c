"""States that come back from a branch or a body with the dtype of what a caller passes."""

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Search(NamedTuple):
    count: jax.Array
    stepsize: jax.Array
    value: jax.Array


def bracket(max_steps, threshold: float = 0.5):
    """A state that is made here, by names, with functions that are passed."""

    def init_fn(value):
        return Search(count=jnp.asarray(0), stepsize=jnp.asarray(1.0), value=value)

    def grow(state: Search, value_fn) -> Search:
        stepsize = 2.0 * state.stepsize
        return Search(count=state.count + 1, stepsize=stepsize, value=value_fn(stepsize))

    def shrink(state: Search, value_fn) -> Search:
        # the secant, which has the dtype of the values
        stepsize = state.stepsize * state.value / (state.value - threshold)
        new_state = state._replace(count=state.count + 1, stepsize=stepsize, value=value_fn(stepsize))
        return new_state

    def step_fn(state: Search, *, value_fn) -> Search:
        return lax.cond(  # want: drifting-state-dtype
            state.value < threshold,
            functools.partial(grow, value_fn=value_fn),
            functools.partial(shrink, value_fn=value_fn),
            state,
        )

    def cond_fn(state):
        return state.count < max_steps

    return init_fn, step_fn, cond_fn


def errors(residual, x, tol):
    """A carry that is a tuple, made strongly typed, and computed from what `residual` returns."""

    def body(carry):
        x, error, count = carry
        step = residual(x)
        return x - step, jnp.max(jnp.abs(step)), count + 1

    return lax.while_loop(  # want: drifting-state-dtype
        lambda carry: carry[1] > tol, body, (x, jnp.zeros(()), 0)
    )


def averages(model, xs):
    def body(state, x):
        new = {"loss": model(x), "seen": state["seen"] + 1}
        return new, new["loss"]

    start = {"loss": jnp.zeros((), dtype=jnp.float32), "seen": 0}
    return lax.scan(body, start, xs)  # want: drifting-state-dtype


@functools.partial(jax.tree_util.register_dataclass, data_fields=["rate", "params"], meta_fields=[])
@dataclass(frozen=True)
class Trust:
    rate: Any
    params: Any


def trust(params, ratio_fn):
    def shrunk(state):
        state = replace(state, rate=ratio_fn(state.params))
        return state

    state = Trust(rate=jnp.asarray(1.0), params=params)
    return lax.cond(jnp.max(params) > 1, shrunk, lambda state: state, state)  # want: drifting-state-dtype


def fewest(choice, values, weigh):
    return lax.switch(  # want: drifting-state-dtype
        choice, [lambda best: best, lambda best: jnp.minimum(weigh(values), 2.0)], 0.0
    )


def counted(n, weigh, x):
    return lax.fori_loop(0, n, lambda i, best: weigh(x) * i, jnp.ones(()))  # want: drifting-state-dtype
