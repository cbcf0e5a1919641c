"""A rule with two cheap branches, each made at each call."""

import jax.numpy as jnp
from jax import lax


class Thermostat:
    def __init__(self, offset):
        self.offset = offset

    def adjust(self, level, is_cold):
        return lax.cond(is_cold, lambda level: level + self.offset, lambda level: level - self.offset, level)


def main():
    thermostat = Thermostat(0.3)
    level = jnp.full(1024, 18.0)
    for number in range(60):
        level = thermostat.adjust(level, level[0] < 21.0)
        thermostat.offset *= 0.99
        print(f"step {number}: {float(level[0])}")


if __name__ == "__main__":
    main()
