"""What averages make is a float: an object keeps it and multiplies by it in each step."""

import jax
import jax.numpy as jnp


@jax.jit
def _smooth(state, x, mean, scale, rate):
    scaled = (x - mean) / scale
    state = state + rate * jnp.tanh(scaled - state)
    return state, state * scale**2 + mean


class Smoother:
    def __init__(self, x, rate):
        self.mean = x.mean()
        self.scale = x.std()
        self.count = len(x)
        self.rate = rate
        self.state = jnp.zeros(4)

    def smooth(self, x):
        self.state, value = _smooth(self.state, x, self.mean, self.scale, self.rate)
        return value

    # A Python integer of any size is multiplied here.
    def weigh(self, x):
        scaled = jnp.tanh((x - self.mean) / self.scale) + jnp.sin(x)
        self.state = self.state + scaled * (self.count * self.count)
        return self.state


def run(xs, rounds=30):
    first, second = Smoother(xs, 0.1), Smoother(xs[:2], 0.1)
    for step in range(rounds):
        smooth = first.smooth(xs + step)
        heavy = second.weigh(xs + step)
    return smooth, heavy


if __name__ == "__main__":
    print(run(jnp.arange(4.0)))
