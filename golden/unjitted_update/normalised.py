"""What averages make is a float: an object keeps it and multiplies by it in each step."""

import jax.numpy as jnp


class Smoother:
    def __init__(self, x, rate):
        self.mean = x.mean()
        self.scale = x.std()
        self.count = len(x)
        self.rate = rate
        self.state = jnp.zeros(4)

    def smooth(self, x):
        scaled = (x - self.mean) / self.scale
        self.state = self.state + self.rate * jnp.tanh(scaled - self.state)
        return self.state * self.scale**2 + self.mean

    # A Python integer of any size is multiplied here.
    def weigh(self, x):
        scaled = jnp.tanh((x - self.mean) / self.scale) + jnp.sin(x)
        self.state = self.state + scaled * (self.count * self.count)
        return self.state


def run(xs, rounds=30):
    first, second = Smoother(xs, 0.1), Smoother(xs[:2], 0.1)
    for step in range(rounds):
        smooth = first.smooth(xs + step)  # want: unjitted-update
        heavy = second.weigh(xs + step)  # want: unjitted-update (no fix)
    return smooth, heavy


if __name__ == "__main__":
    print(run(jnp.arange(4.0)))
