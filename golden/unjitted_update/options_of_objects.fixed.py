"""Options of an object that `jit` does not take: each that a step reads is passed by itself, sizes as static ones."""

import argparse
import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax


def bound(params, key, x, samples, scale):
    total = 0.0
    for _ in range(samples):
        key, own = jax.random.split(key)
        w = params["mean"] + jnp.exp(params["log_std"]) * jax.random.normal(own, params["mean"].shape)
        total += scale * jnp.mean((x @ w - 1.0) ** 2)
    return total / samples


# What the iteration draws goes into the step, by a lambda that it defines.
def fit(x, args):
    key = jax.random.PRNGKey(args.seed)
    params = {"log_std": jnp.zeros(3), "mean": jnp.zeros(3)}
    optimizer = optax.adam(args.rate)
    state = optimizer.init(params)
    rows = np.random.RandomState(0)

    @functools.partial(jax.jit, static_argnums=0)
    def train_step(samples, key, params, state, x, chosen, scale):
        key, own = jax.random.split(key)
        objective = lambda p: bound(p, own, x[chosen], samples, scale)
        value, slopes = jax.value_and_grad(objective)(params)
        updates, state = optimizer.update(slopes, state, params)
        params = optax.apply_updates(params, updates)
        return key, params, state, value

    for step in range(args.steps):
        chosen = rows.choice(len(x), args.batch)
        key, params, state, value = train_step(args.samples, key, params, state, x, chosen, args.scale)
        if step % 40 == 0:
            print(step, value)
    return params


@dataclass
class Settings:
    pull: float = 4.0
    drag: float = 0.1


@jax.jit
def _step_2(at, speed, pull, drag, dt):
    pulled = pull * jnp.diff(at, prepend=0.0) - drag * speed
    speed = speed - dt * pulled
    at = at + dt * speed
    return at, speed


@jax.jit
def _energy(at, speed, pull):
    stretched = jnp.diff(at) - 0.1
    return 0.5 * jnp.sum(speed**2) + 0.5 * pull * jnp.sum(stretched**2)


class Chain:
    def __init__(self, settings):
        self.settings = settings
        self.at = jnp.linspace(0.0, 1.0, 8)
        self.speed = jnp.zeros(8)

    def energy(self):
        return _energy(self.at, self.speed, self.settings.pull)

    def step(self, dt):
        self.at, self.speed = _step_2(self.at, self.speed, self.settings.pull, self.settings.drag, dt)


def simulate(steps):
    chain = Chain(Settings())
    energies = []
    for _ in range(steps):
        chain.step(0.01)
        energies.append(float(chain.energy()))
    return energies


@jax.jit
def _forces(pull, at, drag, pinned):
    return pull * jnp.diff(at, prepend=0.0) - drag * pinned


@jax.jit
def _step(pulled, speed, at, pinned, dt):
    pulled = jnp.where(pinned[:, None], 0.0, pulled[:, None])[:, 0]
    speed = speed - dt * pulled
    at = at + dt * speed
    return pulled, speed, at


# Its forces read options of an object that is no argument of a copy: what reads none of them is a step.
class Cloth:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.at = jnp.linspace(0.0, 1.0, 8)
        self.speed = jnp.zeros(8)
        self.pinned = jnp.zeros(8, bool).at[0].set(True)

    def forces(self, at):
        return _forces(self.settings.pull, at, self.settings.drag, self.pinned)

    def step(self, dt):
        pulled = self.forces(self.at)
        pulled, self.speed, self.at = _step(pulled, self.speed, self.at, self.pinned, dt)


def hang(steps):
    cloth = Cloth(Settings())
    for _ in range(steps):
        cloth.step(0.01)
    return cloth.at


@jax.jit
def anneal_step(params, pull, x, drag):
    slopes = jax.grad(lambda p: pull * jnp.mean((x @ p) ** 2))(params)
    return params - drag * slopes


# What the loop changes stays what it is: each iteration passes its value.
def anneal(x, params, settings):
    for step in range(200):
        params = anneal_step(params, settings.pull, x, settings.drag)
        settings.drag = 0.1 / (1 + step)
    return params


# An array that the next iteration overwrites, which a step might still read.
class Buffer:
    def __init__(self):
        self.rows = np.zeros((4, 3), np.float32)

    def fill(self, value):
        self.rows[:] = value


def refilled(params, buffer):
    for step in range(200):
        slopes = jax.grad(lambda p: jnp.mean((buffer.rows @ p) ** 2))(params)
        params = params - 0.1 * slopes
        buffer.fill(step)
    return params


@jax.jit
def compute_slopes(params):
    return jax.grad(lambda p: jnp.mean(p**2))(params)


# One that is read only where something holds may not be there else.
def perhaps(params, options):
    for step in range(200):
        slopes = compute_slopes(params)
        params = params - (0.1 if options is None else options.rate) * slopes
    return params


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--scale", type=float, default=2.0)
    print(fit(jnp.ones((16, 3)), parser.parse_args()))
    print(simulate(200)[-1])
    print(hang(100))
    print(anneal(jnp.ones((4, 3)), jnp.ones(3), Settings()))
    print(refilled(jnp.ones(3), Buffer()))
    print(perhaps(jnp.ones(3), None))
