"""Operators of a class of the file may count how often they are used; those of arrays do not."""

import itertools

import jax
import jax.numpy as jnp


class Noise:
    def __init__(self):
        self.counter = itertools.count()

    def __matmul__(self, w):
        return w * (1.0 + next(self.counter) * 0.01)

    def __rsub__(self, w):
        return w - next(self.counter) * 0.01


noise = Noise()


def by_product(w, x):
    return jnp.mean((x * (noise @ w) - 1.0) ** 2)


def by_difference(w, x):
    return jnp.mean((x - noise) ** 2 * w)


def train(w, xs):
    for x in xs:
        loss = by_product(w, x)
        slopes = jax.grad(by_product)(w, x)  # want: separate-value-and-grad (no fix): may count its calls
        other = by_difference(w, x)
        others = jax.grad(by_difference)(w, x)  # want: separate-value-and-grad (no fix): may count its calls
        print(loss, other)
        w = w - 0.1 * (slopes + others)
    return w
