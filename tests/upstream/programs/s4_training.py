"""Trains a small network: the gradient is jitted anew at every step, and the optimizer is not jitted at all."""

import sys
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import optax

SIZES = (16, 64, 64, 1)


def init_params(key):
    params = []
    for n_in, n_out in pairwise(SIZES):
        key, here = jax.random.split(key)
        weight = jax.random.normal(here, (n_in, n_out)) / np.sqrt(n_in)
        params.append({"weight": weight, "bias": jnp.zeros(n_out)})
    return params


def predict(params, x):
    *hidden, last = params
    for layer in hidden:
        x = jnp.tanh(x @ layer["weight"] + layer["bias"])
    return x @ last["weight"] + last["bias"]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x)[:, 0] - y) ** 2)


def batches(steps):
    random = np.random.default_rng(0)
    for _ in range(steps):
        x = random.normal(size=(32, SIZES[0])).astype(np.float32)
        yield x, np.sin(x.sum(axis=1))


def train(steps):
    params = init_params(jax.random.PRNGKey(0))
    opt = optax.adam(1e-2)
    opt_state = opt.init(params)
    for step, (x, y) in enumerate(batches(steps)):
        grad_fn = jax.jit(jax.value_and_grad(loss_fn))
        loss, grads = grad_fn(params, x, y)
        updates, opt_state = opt.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
        print(f"step {step}: {float(loss)!r}")
    return params


if __name__ == "__main__":
    train(int(sys.argv[1]))
