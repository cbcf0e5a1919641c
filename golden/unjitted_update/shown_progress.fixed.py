"""Functions that nothing here calls, with loops that want values of the host: they run eagerly whoever calls them."""

import jax
import jax.numpy as jnp
from tqdm import tqdm


def loss_of(weights, batch):
    return jnp.mean((jnp.tanh(batch @ weights[:3]) - weights[3:]) ** 2)


slope = jax.jit(jax.grad(loss_of))


@jax.jit
def descend_step(key, weights, batch):
    key, first = jax.random.split(key)
    chosen = jax.random.choice(first, batch, (16,))
    weights = weights - 0.1 * jnp.clip(slope(weights, chosen), -1.0, 1.0)
    return key, weights


def descend(weights, batch, key, most=500):
    count = 0
    while True:
        key, weights = descend_step(key, weights, batch)
        count = count + 1
        if count == most:
            break
    return weights


@jax.jit
def sample_step(x, step):
    noise = jax.random.normal(jax.random.key(step), x.shape)
    return x + 0.1 * jnp.tanh(x @ x.T) @ x - jnp.mean(x) + 0.01 * noise


def sample(x, steps):
    for step in tqdm(range(steps)):
        x = sample_step(x, step)
    return x


class Filter:
    def __init__(self, size):
        self.size = size

    def update(self, state, cover, seen):
        gain = cover @ jnp.linalg.inv(cover + 0.1 * jnp.eye(self.size))
        return state + gain @ (seen - state), (jnp.eye(self.size) - gain) @ cover

    def run(self, state, cover, measured):
        path = []
        for seen in measured:
            if len(seen) > 0:
                state, cover = self.update(state, cover, seen)
                path.append(float(state[0]))
        return path


def unrolled(x, steps):
    """Nothing says that it runs eagerly: perhaps its callers put it under `jit`."""
    for step in range(steps):
        x = x + 0.1 * jnp.tanh(x @ x.T) @ x - jnp.mean(x) + jnp.cos(x)
    return x
