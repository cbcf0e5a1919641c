"""Values of a step that lists in dictionaries, tuples and records keep."""

import jax
import jax.numpy as jnp


def energy(x):
    return jnp.sum(x**4 - x**2)


class Runner:
    def __init__(self, x):
        self.x = x
        self.energies = []

    def run(self, steps):
        for _ in range(steps):
            self.x = self.x - 0.01 * jax.grad(energy)(self.x)  # want: unjitted-update
            self.energies.append(float(energy(self.x)))  # want: unjitted-update


def trace(x, steps=1000):
    history = {"x": [], "e": []}
    for s in range(steps):
        x = x - 0.01 * jax.grad(energy)(x)  # want: unjitted-update
        history["x"].append(x)
        history["e"].append(float(energy(x)))
    return history


def pairs(x, steps=1000):
    seen = []
    for s in range(steps):
        x = x - 0.01 * jax.grad(energy)(x)  # want: unjitted-update
        seen.append((s, float(energy(x))))
    return seen


def logged(x, steps=1000):
    rows = []
    for s in range(steps):
        x = x - 0.01 * jax.grad(energy)(x)  # want: unjitted-update
        rows.append({"step": s, "energy": float(energy(x))})
    return rows


def several(x, steps=1000):
    rows = []
    for s in range(steps):
        x = x - 0.01 * jax.grad(energy)(x)  # want: unjitted-update
        rows.append((float(energy(x)), float(energy(2.0 * x))))
    return rows


def spread(x, steps=1000):
    logs = [[], []]
    for s in range(steps):
        x = x - 0.01 * jax.grad(energy)(x)  # want: unjitted-update
        logs[s % 2].append(float(energy(x)))
    return logs


if __name__ == "__main__":
    x = jnp.linspace(-1.0, 1.0, 20)
    runner = Runner(x)
    runner.run(1000)
    print(runner.energies[-1], trace(x)["e"][-1], pairs(x)[-1], logged(x)[-1])
