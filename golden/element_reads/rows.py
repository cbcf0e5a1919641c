"""Loops over the rows of an array that go into jitted functions: to take a hundred apart is one program, and dear."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(params, row, label):
    return params - 0.1 * jax.grad(lambda p: jnp.mean((p * row - label) ** 2))(params)


@functools.partial(jax.jit, donate_argnums=0)
def moved(state, row):
    return state + row


images = np.ones((300, 3))
labels = jax.nn.one_hot(jnp.arange(300) % 3, 3).astype(jnp.float32).reshape(300, 3)


def train(params):
    for number, (image, label) in enumerate(zip(images, labels)):  # want: element-reads
        params = step(params, image, label)
        if number % 100 == 0:
            print(number, params, label.shape)
    return params


def summed(rows):
    state = jnp.zeros(3)
    for row in jnp.sin(rows).astype(jnp.float32):  # want: element-reads
        state = moved(state, row)
    return [moved(jnp.zeros(3), row) for row in jnp.cos(rows).astype(jnp.float32)], state  # want: element-reads


if __name__ == "__main__":
    print(train(jnp.ones(3)))
    print(summed(labels))
