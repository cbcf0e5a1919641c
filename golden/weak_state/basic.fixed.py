"""Initial states with weakly typed scalars, which their updates return strongly typed."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from optax import GradientTransformation, safe_increment
from optax.tree import cast_like


class Info(NamedTuple):
    steps: jax.Array
    error: jax.Array


class SearchState(NamedTuple):
    rate: jax.Array
    info: Info


def scale_by_search():
    def init_fn(params):
        return SearchState(
            rate=jnp.asarray(1.0, dtype=params.dtype),
            info=Info(
                steps=jnp.asarray(0, dtype=int),
                error=jnp.array(jnp.inf, dtype=float),  # not yet known
            ),
        )

    def update_fn(updates, state, params=None):
        new_state = SearchState(rate=state.rate, info=Info(steps=state.info.steps + 1, error=state.info.error))
        return updates, cast_like(new_state, other_tree=state)

    return GradientTransformation(init_fn, update_fn)


class Counter:
    """A class with the two halves as methods."""

    def init(self, params):
        count = jnp.full((), 0, dtype=int)
        return {"count": count, "mean": jnp.zeros_like(params)}

    def update(self, updates, state):
        return updates, {"count": safe_increment(state["count"]), "mean": state["mean"]}


def init(params):
    best, value = jnp.asarray(
        float("inf"), dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype
    ), jnp.zeros([])
    return best, value, params


def update(params, state):
    best, value, _ = state
    value = jnp.sum(params**2)
    return jnp.minimum(best, value), value, params


@functools.partial(jax.jit, static_argnums=1)
def smooth(level, size, x):
    return 0.9 * level + 0.1 * jnp.mean(x), jnp.zeros(size)


def train(batches):
    level = jnp.array(0.0, dtype=float)
    for batch in batches:
        level, rest = smooth(level, 3, batch)
    return level


@jax.jit
def add(total, x):
    return total + jnp.sum(x)


def add_up(batches):
    total = jnp.asarray(0.0, dtype=float)
    for batch in batches:
        total = add(total, batch)
    return total


def start():
    return {
        "loss": jnp.asarray(-jnp.inf, dtype=float),
        "step": jnp.asarray(0),  # `+ 1` leaves it weak
    }


def advance(state, x):
    return {"loss": jnp.maximum(state["loss"], jnp.max(x)), "step": state["step"] + 1}


fast_advance = jax.jit(advance)


def run(batches):
    state = start()
    for batch in batches:
        state = fast_advance(state, batch)
    return state
