"""States made of large arrays, and of small ones: their sizes are in the text, whatever is computed from them."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    weights: jax.Array
    count: int


def away(params, x):
    return jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"]) ** 2))(params)


@jax.jit  # want: undonated-state
def scaled(params, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, away(params, x))


def fit(key, x):
    params = {"w": 0.01 * jax.random.normal(key, (4000, 4000)), "b": jnp.zeros(4000)}
    for _ in range(100):
        params = scaled(params, x)
    return params


@jax.jit  # want: undonated-state
def counted(state, x):
    return State(state.weights - x @ state.weights, state.count + 1)


def count(x):
    state = State(weights=jnp.zeros((4000, 4000)).at[0].set(1.0), count=0)
    for _ in range(100):
        state = counted(state, x)
    return state.count


@jax.jit  # want: undonated-state
def mapped(rows, x):
    return rows - 0.1 * (rows - x)


def fit_all(key, x):
    rows = jax.vmap(lambda k: jax.random.normal(k, (1000, 1000)))(jax.random.split(key, 8)).astype(jnp.bfloat16)
    for _ in range(100):
        rows = mapped(rows, x)
    return rows


@jax.jit
def few(state, x):
    return State(state.weights - x @ state.weights, state.count + 1)


def count_few(x):
    state = State(weights=jnp.zeros((40, 40)), count=0)
    for _ in range(100):
        state = few(state, x)
    return state.count


if __name__ == "__main__":
    key = jax.random.key(0)
    print(fit(key, jnp.ones((8, 4000))), count(1.0), fit_all(key, 1.0), count_few(1.0))
