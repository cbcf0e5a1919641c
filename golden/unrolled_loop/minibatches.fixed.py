"""Epochs of minibatches in one program."""

from functools import partial

import jax
import jax.numpy as jnp


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@partial(jax.jit, static_argnames=("size", "epochs"))
def fit(w, key, x: jax.Array, y: jax.Array, size, epochs):
    rows = x.shape[0]

    def loop_body_2(carry, _):
        key, w = carry
        key, subkey = jax.random.split(key)
        order = jax.random.permutation(subkey, rows)

        def loop_body(w, start):
            chosen = order[:rows].reshape(rows // size, size, *order.shape[1:])[start // size]
            loss, grads = jax.value_and_grad(loss_of)(w, x[chosen], y[chosen])
            w = w - 0.1 * grads
            return w, loss

        w, loss_rows = jax.lax.scan(loop_body, w, jnp.arange(0, rows, size))
        loss = jax.tree.map(lambda rows: rows[-1], loss_rows)
        return (key, w), loss

    (key, w), loss_rows_2 = jax.lax.scan(loop_body_2, (key, w), jnp.arange(epochs))
    loss = jax.tree.map(lambda rows: rows[-1], loss_rows_2)
    return w, loss


@jax.jit
def in_order(w, x: jax.Array, y: jax.Array):
    def loop_body(w, start):
        w = w - 0.1 * jax.grad(loss_of)(
            w,
            x[:512].reshape(512 // (4 * 4), 4 * 4, *x.shape[1:])[start // (4 * 4)],
            y[:512].reshape(512 // (4 * 4), 4 * 4, *y.shape[1:])[start // (4 * 4)],
        )
        return w, None

    w, _ = jax.lax.scan(loop_body, w, jnp.arange(0, 512, 4 * 4))
    return w


def main():
    x = jax.random.normal(jax.random.key(0), (512, 8))
    w, loss = fit(jnp.zeros(8), jax.random.key(1), x, x[:, 0], 32, 4)
    print(w, loss, in_order(w, x, x[:, 1]))


if __name__ == "__main__":
    main()
