# Attributes that code computes: each read may give another value.
import jax
import jax.numpy as jnp
import numpy as np


class Noisy:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    @property
    def draw(self):
        return self.rng.normal(size=4)

    def score(self, x):
        return jnp.sum(jnp.tanh(x * self.draw)) + jnp.mean(jnp.cos(x * self.draw)) - jnp.max(x) * jnp.sin(jnp.min(x)) + jnp.prod(x)


@jax.jit
def _score(whole, x):
    return whole * jnp.sum(jnp.tanh(x)) + jnp.mean(jnp.cos(x)) - jnp.max(x) * jnp.sin(jnp.min(x)) + jnp.prod(x)


class Scaled:
    def __init__(self):
        self.half = 0.5

    @property
    def whole(self):
        return 2 * self.half

    def score(self, x):
        return _score(self.whole, x)

    def halve(self):
        self.half *= 0.5


class Lazy:
    def __init__(self):
        self.count = 0

    def __getattr__(self, name):
        self.count = self.__dict__.get("count", 0) + 1
        return float(self.count)

    def score(self, x):
        return jnp.sum(jnp.tanh(x * self.rate)) + jnp.mean(jnp.cos(x * self.rate)) - jnp.max(x) * jnp.sin(jnp.min(x)) + jnp.prod(x)


def main():
    noisy, scaled, lazy, total = Noisy(), Scaled(), Lazy(), 0.0
    for number in range(100):
        x = jnp.full(4, 0.1 * number)
        total += float(noisy.score(x))
        total += float(scaled.score(x))
        total += float(lazy.score(x))
        scaled.halve()
    print(total)


main()
