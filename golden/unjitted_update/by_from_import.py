"""What a module imports name by name gets one name more; comments over parts of a step move with them."""

import numpy as np
from jax import grad, random
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def train(steps):
    w = jnp.zeros(8)
    x = random.normal(random.PRNGKey(0), (32, 8))
    y = x.sum(axis=1)
    for _ in range(steps):
        g = grad(loss)(w, x, y)  # want: unjitted-update
        w = w - 0.1 * g
    return np.asarray(w)


def follow(seen, x, p, q):
    found = []
    for y in seen:
        # predict
        guess = jnp.tanh(x)  # want: unjitted-update
        spread = p + q

        # correct
        gain = spread @ jnp.linalg.inv(spread + q)
        x = guess + gain @ (y - guess)
        p = spread - gain @ spread

        found.append(x)
    return found


print(train(50))
print(follow(list(jnp.ones((9, 3))), jnp.ones(3), jnp.eye(3), jnp.eye(3))[-1])
