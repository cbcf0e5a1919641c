"""An iterator that ends between the statements of a step: what stands before it has been bound."""

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.mean((x @ w - 1) ** 2)


@jax.jit
def train_step(m, w, x):
    m = m + jax.grad(loss)(w, x)
    w = w - 0.1 * m
    return m, w


def train(w, batches, steps):
    stream = iter(batches)
    m = jnp.zeros_like(w)
    try:
        for _ in range(steps):
            m = 0.9 * m + jnp.sin(w)
            x = next(stream)
            m, w = train_step(m, w, x)
    except StopIteration:
        pass
    return w, m


@jax.jit
def in_a_row_step(m, w, x):
    m = 0.9 * m + jax.grad(loss)(w, x)
    w = w - 0.1 * m
    return m, w


def in_a_row(w, batches, steps):
    stream = iter(batches)
    m = jnp.zeros_like(w)
    try:
        for _ in range(steps):
            x = next(stream)
            m, w = in_a_row_step(m, w, x)
    except StopIteration:
        pass
    return w, m


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * k / 80 for k in range(12)]
    print(train(jnp.ones(3), batches, 20), in_a_row(jnp.ones(3), batches, 20))
