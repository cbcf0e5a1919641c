"""The last batch is shorter: the step compiles a second time for it."""
# asked: --ragged drop

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(w, x, y):
    grads = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    return w - 0.1 * grads


def train(x, y, size):
    w = jnp.zeros(3)
    for i in range(0, len(x), size):  # want: ragged-batch
        w = step(w, x[i : i + size], y[i : i + size])
    return w


data = np.linspace(0.0, 1.0, 30, dtype=np.float32).reshape(10, 3)
print(train(data, data.sum(axis=1), 4).shape)
