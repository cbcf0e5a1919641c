"""An iterator that ends between the statements of a step: what stands before it has been bound."""

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.mean((x @ w - 1) ** 2)


def train(w, batches, steps):
    stream = iter(batches)
    m = jnp.zeros_like(w)
    try:
        for _ in range(steps):
            m = 0.9 * m + jnp.sin(w)
            x = next(stream)
            m = m + jax.grad(loss)(w, x)  # want: unjitted-update
            w = w - 0.1 * m
    except StopIteration:
        pass
    return w, m


def in_a_row(w, batches, steps):
    stream = iter(batches)
    m = jnp.zeros_like(w)
    try:
        for _ in range(steps):
            x = next(stream)
            m = 0.9 * m + jax.grad(loss)(w, x)  # want: unjitted-update
            w = w - 0.1 * m
    except StopIteration:
        pass
    return w, m


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * k / 80 for k in range(12)]
    print(train(jnp.ones(3), batches, 20), in_a_row(jnp.ones(3), batches, 20))
