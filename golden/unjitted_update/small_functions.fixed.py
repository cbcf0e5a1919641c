"""Functions that start a few programs, where a round calls them for each item; functions that `vmap` maps, too."""

import functools
import random

import jax
import jax.numpy as jnp

STATES = 16
AXIS = 0


@functools.partial(jax.jit, static_argnames="states")
def one_hot(state, states=STATES):
    return jnp.zeros(states).at[state].set(1.0)


@functools.partial(jax.jit, static_argnames="axis")
def network(params, x, axis=AXIS):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return jnp.sum(hidden @ params["w2"] + params["b2"], axis=axis)


@functools.partial(jax.jit, static_argnames="how")
def scaled(x, how):
    x = jnp.tanh(x * 2 + 1)
    return x / jnp.max(x) if how == "max" else x / jnp.sum(x)


@jax.jit
def forward(params, x):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return jax.nn.relu(hidden @ params["w2"] + params["b2"])


HOW = "max"


def loss_of(params, batch):
    return jnp.mean(jax.vmap(forward, in_axes=(None, 0))(params, batch) ** 2)


value_of = jax.jit(jax.value_and_grad(loss_of))


class Buffer:
    def __init__(self):
        self.rows = []

    def sample(self, size):
        chosen = random.sample(self.rows, size)
        return jnp.array([one_hot(row) for row in chosen])


def act(params, steps):
    for step in range(steps):
        print(forward(params, one_hot(step % STATES)))
        print(network(params, one_hot(step % STATES)))
        print(scaled(one_hot(step % STATES), HOW))


if __name__ == "__main__":
    buffer = Buffer()
    buffer.rows = list(range(16)) * 3
    params = {"w1": jnp.ones((16, 8)), "b1": jnp.ones(8), "w2": jnp.ones((8, 4)), "b2": jnp.ones(4)}
    act(params, 5)
    for _ in range(50):
        print(value_of(params, buffer.sample(8)))
