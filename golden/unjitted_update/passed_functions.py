"""Functions of an optimizer that a caller passes to an epoch: static arguments of a step of the module."""

import jax
import jax.numpy as jnp
from jax.example_libraries import optimizers


def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)


def run_epoch(first, state, batches, update, get_params):
    for at, batch in enumerate(batches):
        slopes = jax.grad(loss_of)(get_params(state), batch)  # want: unjitted-update
        state = update(first + at, slopes, state)
    return state


def train(params, batches, epochs):
    begin, update, get_params = optimizers.momentum(0.01, mass=0.9)
    state = begin(params)
    for epoch in range(epochs):
        state = run_epoch(epoch * len(batches), state, batches, update, get_params)
    return get_params(state)


def run_other(first, state, batches, update, get_params):
    for at, batch in enumerate(batches):
        slopes = jax.grad(loss_of)(get_params(state), batch)  # want: unjitted-update (no fix): repeatedly
        state = update(first + at, slopes, state)
    return state


def restart(params, batches, epochs):
    """Functions that are new in each iteration would be compiled for, and kept."""
    for epoch in range(epochs):
        begin, update, get_params = optimizers.momentum(0.01, mass=0.9)
        params = get_params(run_other(0, begin(params), batches, update, get_params))
    return params


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * i for i in range(10)]
    print(train(jnp.ones(3), batches, 5), restart(jnp.ones(3), batches, 5))
