"""Lengths of its own arrays, which a step takes along: in a trace they are numbers of Python."""

import functools

import jax
import jax.numpy as jnp


@jax.jit
def _analyse(members, own_key, seen, y, sigma):
    m = members.shape[0]
    mean = members.mean(axis=0)
    apart = 1.05 * (members - mean)
    spread = apart.T @ apart / (m - 1)
    gain = jnp.linalg.solve(seen @ spread @ seen.T + jnp.eye(len(seen)), seen @ spread).T
    own_key, key = jax.random.split(own_key)
    drawn = y + sigma * jax.random.normal(key, (m, len(y)))
    members = members + (drawn - members @ seen.T) @ gain.T
    return members, own_key


class Ensemble:
    def __init__(self, members, width, sigma, seed):
        self.key = jax.random.PRNGKey(seed)
        self.sigma = sigma
        self.seen = jnp.eye(width)[::2]
        self.members = jnp.ones((members, width)) * jnp.arange(float(width))

    def analyse(self, y):
        self.members, self.key = _analyse(self.members, self.key, self.seen, y, self.sigma)


def assimilate(observed):
    ensemble = Ensemble(8, 6, 0.5, 0)
    for y in observed:
        ensemble.analyse(y)
    return ensemble.members


@jax.jit
def shuffled_step(key, rows):
    key, first, second = jax.random.split(key, 3)
    count, width = rows.shape
    order = jax.random.permutation(first, count)
    rows = jnp.tanh(rows[order]) + 0.01 * jax.random.normal(second, (count, width)) * jnp.cos(rows)
    return key, rows


def shuffled(rows, key):
    for _ in range(20):
        key, rows = shuffled_step(key, rows)
    return rows


@jax.jit
def kept_step(rows, noise):
    return jnp.tanh(rows) + 0.1 * jnp.mean(noise) * jnp.cos(rows)


# The length of a list: the step would be passed the list, of another length each time.
def kept(rows, key):
    seen = []
    for _ in range(20):
        key, other = jax.random.split(key)
        seen.append(float(rows[0]))
        count = len(seen)
        noise = jax.random.normal(other, (count,))
        rows = kept_step(rows, noise)
    return rows


# A size of its own is no length of an array, but a constant.
class Field:
    def __init__(self, size):
        self.size = size
        self.values = jnp.linspace(0.0, 1.0, size)

    @functools.partial(jax.jit, static_argnums=0)
    def _relax(self, values, source):
        size = self.size
        rolled = jnp.roll(values, 1) + jnp.roll(values, size - 1)
        return 0.5 * rolled / size + jnp.tanh(source) * jnp.ones(size)

    def relax(self, source):
        self.values = self._relax(self.values, source)


def relaxed(sources):
    field = Field(6)
    for source in sources:
        field.relax(source)
    return field.values


@jax.jit
def printed_step(rows, noise):
    return jnp.tanh(rows) + 0.1 * noise * jnp.cos(rows)


# What is printed stays a number.
def printed(rows, key):
    for _ in range(20):
        key, other = jax.random.split(key)
        count = rows.shape[0]
        noise = jax.random.normal(other, (count,))
        rows = printed_step(rows, noise)
        print(count)
    return rows


if __name__ == "__main__":
    print(assimilate([jnp.ones(3) * i for i in range(12)]))
    print(shuffled(jnp.ones((4, 3)), jax.random.PRNGKey(0)))
    print(relaxed([jnp.ones(6) * i for i in range(12)]))
    print(kept(jnp.ones(4), jax.random.PRNGKey(0)), printed(jnp.ones(4), jax.random.PRNGKey(0)))
