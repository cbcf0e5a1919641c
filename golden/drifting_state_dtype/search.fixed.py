"""A line search in half precision, whose branches disagree on the dtype of the step size."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxfix_helpers import cast_like


class Search(NamedTuple):
    params: Any
    stepsize: jax.Array
    value: jax.Array
    steps: jax.Array


def loss(params):
    return jnp.sum((params - 3) ** 2)


def grow(state):
    return cast_like(state._replace(stepsize=2.0 * state.stepsize, steps=state.steps + 1), state)


def shrink(state):
    stepsize = state.stepsize * state.value / (1 + state.value)
    return cast_like(state._replace(stepsize=stepsize, steps=state.steps + 1), state)


def start(params, value):
    return Search(params=params, stepsize=jnp.asarray(0.25), value=value, steps=jnp.zeros([], jnp.int32))


def search(params):
    state = start(params, loss(params))
    for _ in range(4):
        state = jax.lax.cond(state.value < 0.5, grow, shrink, state)
    return state.params - state.stepsize * jax.grad(loss)(state.params)


def main():
    params = jnp.ones(4, jnp.bfloat16)
    for _ in range(4):
        params = search(params)
    print(params.tolist())


if __name__ == "__main__":
    main()
