"""Methods of classes whose base is elsewhere that loops of this file call; and of classes whose base is one of Python."""

import jax
import jax.numpy as jnp
from elsewhere import Solver


class Heat(Solver):
    def moved(self, x, n):
        rates = jnp.ones(n)
        return jax.lax.scan(lambda c, _: (c * rates.sum(), None), x, None, length=3)[0]  # want: local-loop-function

    def half(self, x):
        return self.moved(x, 3)

    def fit(self, x):
        for _ in range(1000):
            x = self.half(x)
        return x


class Wave(Solver):
    def moved_back(self, x, n):
        rates = jnp.ones(n)
        return jax.lax.scan(lambda c, _: (c - rates.sum(), None), x, None, length=3)[0]  # want: local-loop-function


def drive(x):
    wave = Wave()
    for _ in range(1000):
        x = wave.moved_back(x, 3)
    return x


class Table(dict):
    def total(self, x):
        return jax.lax.scan(lambda c, _: (c + x, None), 0.0, None, length=3)[0]  # want: local-loop-function
