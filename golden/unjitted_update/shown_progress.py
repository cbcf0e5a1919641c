"""Functions that nothing here calls, with loops that want values of the host: they run eagerly whoever calls them."""

import jax
import jax.numpy as jnp
from tqdm import tqdm


def loss_of(weights, batch):
    return jnp.mean((jnp.tanh(batch @ weights[:3]) - weights[3:]) ** 2)


slope = jax.jit(jax.grad(loss_of))


def descend(weights, batch, key, most=500):
    count = 0
    while True:
        key, first = jax.random.split(key)  # want: unjitted-update
        chosen = jax.random.choice(first, batch, (16,))
        weights = weights - 0.1 * jnp.clip(slope(weights, chosen), -1.0, 1.0)
        count = count + 1
        if count == most:
            break
    return weights


def sample(x, steps):
    for step in tqdm(range(steps)):
        noise = jax.random.normal(jax.random.key(step), x.shape)  # want: unjitted-update
        x = x + 0.1 * jnp.tanh(x @ x.T) @ x - jnp.mean(x) + 0.01 * noise
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
                state, cover = self.update(state, cover, seen)  # want: unjitted-update (no fix)
                path.append(float(state[0]))
        return path


def unrolled(x, steps):
    """Nothing says that it runs eagerly: perhaps its callers put it under `jit`."""
    for step in range(steps):
        x = x + 0.1 * jnp.tanh(x @ x.T) @ x - jnp.mean(x) + jnp.cos(x)
    return x
