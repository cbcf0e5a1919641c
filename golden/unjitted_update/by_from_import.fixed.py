"""What a module imports name by name gets one name more; comments over parts of a step move with them."""

import numpy as np
from jax import grad, jit, random
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jit
def train_step(w, x, y):
    g = grad(loss)(w, x, y)
    return w - 0.1 * g


def train(steps):
    w = jnp.zeros(8)
    x = random.normal(random.PRNGKey(0), (32, 8))
    y = x.sum(axis=1)
    for _ in range(steps):
        w = train_step(w, x, y)
    return np.asarray(w)


@jit
def follow_step(x, p, q, y):
    # predict
    guess = jnp.tanh(x)
    spread = p + q
    # correct
    gain = spread @ jnp.linalg.inv(spread + q)
    x = guess + gain @ (y - guess)
    p = spread - gain @ spread
    return x, p


def follow(seen, x, p, q):
    found = []
    for y in seen:
        x, p = follow_step(x, p, q, y)
        found.append(x)
    return found


print(train(50))
print(follow(list(jnp.ones((9, 3))), jnp.ones(3), jnp.eye(3), jnp.eye(3))[-1])
