"""Options that classes declare as `float`: no product of theirs has more than 32 bits."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class Config:
    damping: float = 0.4
    stiffness: float = 40.0
    count: int = 3
    scale: float = 2


@jax.jit
def _force(pos, stiffness, damping, vel):
    pull = jnp.roll(pos, 1) - 2.0 * pos + jnp.roll(pos, -1)
    return stiffness * jnp.tanh(pull) - damping * vel


class Chain:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.pos, self.vel = jnp.linspace(0.0, 1.0, 16), jnp.zeros(16)

    def force(self, pos, vel):
        return _force(pos, self.cfg.stiffness, self.cfg.damping, vel)

    def counted(self, pos, vel):
        pull = jnp.roll(pos, 1) - 2.0 * pos + jnp.roll(pos, -1)
        return jnp.tanh(pull) - self.cfg.count * vel

    def scaled(self, pos, vel):
        pull = jnp.roll(pos, 1) - 2.0 * pos + jnp.roll(pos, -1)
        return jnp.tanh(pull) - self.cfg.scale * vel


def simulate(chain, steps):
    for step in range(steps):
        print(step, chain.force(chain.pos, chain.vel))


def simulate_counted(chain, steps):
    for step in range(steps):
        print(step, chain.counted(chain.pos, chain.vel))


def simulate_scaled(chain, steps):
    for step in range(steps):
        print(step, chain.scaled(chain.pos, chain.vel))


if __name__ == "__main__":
    simulate(Chain(Config()), 100)
    simulate_counted(Chain(Config()), 100)
    simulate_scaled(Chain(Config()), 100)
