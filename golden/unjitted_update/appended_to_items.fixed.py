"""Values of a step that lists in dictionaries, tuples and records keep."""

import jax
import jax.numpy as jnp


@jax.jit
def energy(x):
    return jnp.sum(x**4 - x**2)


@jax.jit
def run_step(x):
    return x - 0.01 * jax.grad(energy)(x)


class Runner:
    def __init__(self, x):
        self.x = x
        self.energies = []

    def run(self, steps):
        for _ in range(steps):
            self.x = run_step(self.x)
            self.energies.append(float(energy(self.x)))


@jax.jit
def trace_step(x):
    x = x - 0.01 * jax.grad(energy)(x)
    return x, energy(x)


def trace(x, steps=1000):
    history = {"x": [], "e": []}
    for s in range(steps):
        x, value = trace_step(x)
        history["x"].append(x)
        history["e"].append(float(value))
    return history


@jax.jit
def pairs_step(x):
    x = x - 0.01 * jax.grad(energy)(x)
    return x, energy(x)


def pairs(x, steps=1000):
    seen = []
    for s in range(steps):
        x, value = pairs_step(x)
        seen.append((s, float(value)))
    return seen


@jax.jit
def logged_step(x):
    x = x - 0.01 * jax.grad(energy)(x)
    return x, energy(x)


def logged(x, steps=1000):
    rows = []
    for s in range(steps):
        x, value = logged_step(x)
        rows.append({"step": s, "energy": float(value)})
    return rows


@jax.jit
def several_step(x):
    return x - 0.01 * jax.grad(energy)(x)


def several(x, steps=1000):
    rows = []
    for s in range(steps):
        x = several_step(x)
        rows.append((float(energy(x)), float(energy(2.0 * x))))
    return rows


@jax.jit
def spread_step(x):
    return x - 0.01 * jax.grad(energy)(x)


def spread(x, steps=1000):
    logs = [[], []]
    for s in range(steps):
        x = spread_step(x)
        logs[s % 2].append(float(energy(x)))
    return logs


if __name__ == "__main__":
    x = jnp.linspace(-1.0, 1.0, 20)
    runner = Runner(x)
    runner.run(1000)
    print(runner.energies[-1], trace(x)["e"][-1], pairs(x)[-1], logged(x)[-1])
