"""Methods of classes whose base is elsewhere that loops of this file call; and of classes whose base is one of Python."""

import jax
import jax.numpy as jnp
from elsewhere import Solver


def _moved_body(carry, _):
    c, rates = carry
    return (c * rates.sum(), rates), None


class Heat(Solver):
    def moved(self, x, n):
        rates = jnp.ones(n)
        return jax.lax.scan(_moved_body, (x, rates), None, length=3)[0][0]

    def half(self, x):
        return self.moved(x, 3)

    def fit(self, x):
        for _ in range(1000):
            x = self.half(x)
        return x


def _moved_back_body(carry, _):
    c, rates = carry
    return (c - rates.sum(), rates), None


class Wave(Solver):
    def moved_back(self, x, n):
        rates = jnp.ones(n)
        return jax.lax.scan(_moved_back_body, (x, rates), None, length=3)[0][0]


def drive(x):
    wave = Wave()
    for _ in range(1000):
        x = wave.moved_back(x, 3)
    return x


def _total_body(carry, _):
    c, x = carry
    return (c + x, x), None


class Table(dict):
    def total(self, x):
        return jax.lax.scan(_total_body, (0.0, x), None, length=3)[0][0]
