"""Epochs of minibatches in one program."""

from functools import partial

import jax
import jax.numpy as jnp


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@partial(jax.jit, static_argnames=("size", "epochs"))
def fit(w, key, x: jax.Array, y: jax.Array, size, epochs):
    rows = x.shape[0]
    for _ in range(epochs):  # want: unrolled-loop (no fix): its last `loss` is read after it
        key, subkey = jax.random.split(key)
        order = jax.random.permutation(subkey, rows)
        for start in range(0, rows, size):  # want: unrolled-loop
            end = start + size
            chosen = order[start:end]
            loss, grads = jax.value_and_grad(loss_of)(w, x[chosen], y[chosen])
            w = w - 0.1 * grads
    return w, loss


@jax.jit
def in_order(w, x: jax.Array, y: jax.Array):
    for start in range(0, 512, 4 * 4):  # want: unrolled-loop
        w = w - 0.1 * jax.grad(loss_of)(w, x[start : start + 4 * 4], y[start : start + 4 * 4])
    return w


def main():
    x = jax.random.normal(jax.random.key(0), (512, 8))
    w, loss = fit(jnp.zeros(8), jax.random.key(1), x, x[:, 0], 32, 4)
    print(w, loss, in_order(w, x, x[:, 1]))


if __name__ == "__main__":
    main()
