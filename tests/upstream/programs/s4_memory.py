"""Trains a large table by a jitted step, whose old parameters and state stay in memory beside the new ones."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

ROWS, WIDTH = 250_000, 32
opt = optax.adam(1e-2)


def loss_fn(table, rows, y):
    return jnp.mean((table[rows].sum(axis=1) - y) ** 2) + 1e-4 * jnp.mean(table**2)


@jax.jit
def train_step(table, opt_state, rows, y):
    loss, grads = jax.value_and_grad(loss_fn)(table, rows, y)
    updates, opt_state = opt.update(grads, opt_state, table)
    return optax.apply_updates(table, updates), opt_state, loss


def train(steps):
    random = np.random.default_rng(0)
    table = jnp.zeros((ROWS, WIDTH))
    opt_state = opt.init(table)
    for step in range(steps):
        rows = random.integers(0, 64, 64)
        table, opt_state, loss = train_step(table, opt_state, rows, np.ones(64, np.float32))
        print(f"step {step}: {float(loss)!r}")
    return table


if __name__ == "__main__":
    train(int(sys.argv[1]))
