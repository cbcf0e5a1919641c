"""Lengths of its own arrays, which a step takes along: in a trace they are numbers of Python."""

import jax
import jax.numpy as jnp


class Ensemble:
    def __init__(self, members, width, sigma, seed):
        self.key = jax.random.PRNGKey(seed)
        self.sigma = sigma
        self.seen = jnp.eye(width)[::2]
        self.members = jnp.ones((members, width)) * jnp.arange(float(width))

    def analyse(self, y):
        m = self.members.shape[0]
        mean = self.members.mean(axis=0)
        apart = 1.05 * (self.members - mean)
        spread = apart.T @ apart / (m - 1)
        gain = jnp.linalg.solve(self.seen @ spread @ self.seen.T + jnp.eye(len(self.seen)), self.seen @ spread).T
        self.key, key = jax.random.split(self.key)
        drawn = y + self.sigma * jax.random.normal(key, (m, len(y)))
        self.members = self.members + (drawn - self.members @ self.seen.T) @ gain.T


def assimilate(observed):
    ensemble = Ensemble(8, 6, 0.5, 0)
    for y in observed:
        ensemble.analyse(y)  # want: unjitted-update
    return ensemble.members


def shuffled(rows, key):
    for _ in range(20):
        key, first, second = jax.random.split(key, 3)  # want: unjitted-update
        count, width = rows.shape
        order = jax.random.permutation(first, count)
        rows = jnp.tanh(rows[order]) + 0.01 * jax.random.normal(second, (count, width)) * jnp.cos(rows)
    return rows


# The length of a list: the step would be passed the list, of another length each time.
def kept(rows, key):
    seen = []
    for _ in range(20):
        key, other = jax.random.split(key)  # want: unjitted-update
        seen.append(float(rows[0]))
        count = len(seen)
        noise = jax.random.normal(other, (count,))
        rows = jnp.tanh(rows) + 0.1 * jnp.mean(noise) * jnp.cos(rows)
    return rows


# A size of its own is no length of an array, but a constant.
class Field:
    def __init__(self, size):
        self.size = size
        self.values = jnp.linspace(0.0, 1.0, size)

    def relax(self, source):
        size = self.size
        rolled = jnp.roll(self.values, 1) + jnp.roll(self.values, size - 1)
        self.values = 0.5 * rolled / size + jnp.tanh(source) * jnp.ones(size)


def relaxed(sources):
    field = Field(6)
    for source in sources:
        field.relax(source)  # want: unjitted-update
    return field.values


# What is printed stays a number.
def printed(rows, key):
    for _ in range(20):
        key, other = jax.random.split(key)  # want: unjitted-update
        count = rows.shape[0]
        noise = jax.random.normal(other, (count,))
        rows = jnp.tanh(rows) + 0.1 * noise * jnp.cos(rows)
        print(count)
    return rows


if __name__ == "__main__":
    print(assimilate([jnp.ones(3) * i for i in range(12)]))
    print(shuffled(jnp.ones((4, 3)), jax.random.PRNGKey(0)))
    print(relaxed([jnp.ones(6) * i for i in range(12)]))
    print(kept(jnp.ones(4), jax.random.PRNGKey(0)), printed(jnp.ones(4), jax.random.PRNGKey(0)))
