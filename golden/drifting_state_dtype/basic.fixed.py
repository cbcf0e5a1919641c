"""States that come back from a branch or a body with the dtype of what a caller passes."""

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import cast_like


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
        return cast_like(Search(count=state.count + 1, stepsize=stepsize, value=value_fn(stepsize)), state)

    def shrink(state: Search, value_fn) -> Search:
        # the secant, which has the dtype of the values
        stepsize = state.stepsize * state.value / (state.value - threshold)
        new_state = state._replace(count=state.count + 1, stepsize=stepsize, value=value_fn(stepsize))
        return cast_like(new_state, state)

    def step_fn(state: Search, *, value_fn) -> Search:
        return lax.cond(
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
        return cast_like((x - step, jnp.max(jnp.abs(step)), count + 1), carry)

    return lax.while_loop(
        lambda carry: carry[1] > tol, body, (x, jnp.zeros(()), 0)
    )


def averages(model, xs):
    def body(state, x):
        new = {"loss": model(x), "seen": state["seen"] + 1}
        return cast_like(new, state), new["loss"]

    start = {"loss": jnp.zeros((), dtype=jnp.float32), "seen": 0}
    return lax.scan(body, start, xs)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["rate", "params"], meta_fields=[])
@dataclass(frozen=True)
class Trust:
    rate: Any
    params: Any


def trust(params, ratio_fn):
    def shrunk(state):
        state = cast_like(replace(state, rate=ratio_fn(state.params)), state)
        return state

    state = Trust(rate=jnp.asarray(1.0), params=params)
    return lax.cond(jnp.max(params) > 1, shrunk, lambda state: state, state)


def fewest(choice, values, weigh):
    return lax.switch(
        choice, [lambda best: best, lambda best: cast_like(jnp.minimum(weigh(values), 2.0), best)], 0.0
    )


def counted(n, weigh, x):
    return lax.fori_loop(0, n, lambda i, best: cast_like(weigh(x) * i, best), jnp.ones(()))
