"""Methods of what a mapped function, or a function of the file, returns: of arrays, they compute and nothing else."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Meter:
    """Counts how often it is asked."""

    def __init__(self):
        self.asked = 0

    def mean(self):
        self.asked += 1
        return self.asked


def rollout(theta, key):
    state = jax.random.uniform(key, (4,))
    total = 0.0
    for _ in range(3):
        state = jnp.tanh(state * theta)
        total = total + jnp.sum(state)
    return total


def evolve(iterations=30, population=8):
    key = jax.random.key(0)
    theta = jnp.ones(4)
    batched = jax.vmap(rollout, in_axes=(0, None))

    @jax.jit
    def evolve_step(key, theta):
        key, one, two = jax.random.split(key, 3)
        eps = jax.random.normal(one, (population, 4))
        rewards = batched(theta + 0.1 * eps, two)
        advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
        theta = theta + 0.05 * eps.T @ advantage
        return key, theta, rewards

    for iteration in range(iterations):
        key, theta, rewards = evolve_step(key, theta)
        print(iteration, rewards.max())
    return theta


def distances(xs, center):
    return jnp.sqrt(jnp.sum((xs - center) ** 2, axis=-1))


@jax.jit
def contract_step(xs):
    apart = distances(xs, jnp.mean(xs, axis=0))
    return xs / (1.0 + 0.1 * apart.max())


def contract(xs, rounds=30):
    for _ in range(rounds):
        xs = contract_step(xs)
    return xs


@jax.jit
def metered_step(xs):
    return jnp.tanh(xs) / jnp.sqrt(jnp.mean(xs**2))


def metered(xs, rounds=30):
    meter = Meter()
    for _ in range(rounds):
        xs = metered_step(xs)
        xs = xs / (1.0 + meter.mean())
    return xs


class Counted(NamedTuple):
    """Results with a method of their own, which counts."""

    xs: jax.Array

    def mean(self):
        ASKED.append(1)
        return jnp.mean(self.xs) * len(ASKED)


ASKED = []


def waved(x):
    return Counted(jnp.sin(x))


@jax.jit
def counted_step(xs):
    return jnp.tanh(xs) + 0.1 * jnp.roll(xs, 1)


def counted(xs, rounds=30):
    batched = jax.vmap(waved)
    for _ in range(rounds):
        found = batched(xs)
        xs = counted_step(xs)
        xs = xs / (1.0 + jnp.mean(xs**2)) + 0.01 * found.mean()
    return xs


if __name__ == "__main__":
    print(evolve())
    print(contract(jnp.ones((3, 2))))
    print(metered(jnp.ones(3)))
    print(counted(jnp.ones(3)))
