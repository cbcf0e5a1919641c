"""Steers a temperature by a rule whose offset is halved from time to time."""

import jax.numpy as jnp
from jax import lax


class Thermostat:
    def __init__(self, offset):
        self.offset = offset

    def adjust(self, level, is_cold):
        return lax.cond(is_cold, lambda level: level + self.offset, lambda level: level - self.offset, level)  # want: cond-between-values


def simulate(steps):
    thermostat = Thermostat(0.3)
    level, history = jnp.float32(18.0), []
    for step in range(steps):
        level = thermostat.adjust(level, level < 21.0)
        if step % 8 == 7:
            thermostat.offset *= 0.5
        history.append(f"{float(level):.6f}")
    return history


if __name__ == "__main__":
    print(simulate(24))
