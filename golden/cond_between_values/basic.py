"""Choices between values whose branches cannot be moved, or gain nothing by it."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class State(NamedTuple):
    level: jax.Array
    step: jax.Array


def slopes(x, steps):
    def loss(x, t):
        return lax.cond(t > 2, lambda x: x * 0.5, lambda x: x - 1.0, x)  # want: cond-between-values

    return [jax.grad(loss)(x, t) for t in range(steps)]


def gradient_of_named_branches(x):
    def loss(x):
        level = jnp.sum(x)

        def low(level):
            """Is given a name."""
            return jnp.maximum(level, 0.5)

        def high(level):
            return level * 2.0

        # The comment stays.
        return lax.cond(level < 0, low, high, level)  # want: cond-between-values

    return jax.value_and_grad(loss)(x)


def with_keywords(x, y, positive):
    x = jnp.asarray(x)
    if y is None:
        return x
    return lax.cond(positive, true_fun=lambda _: jnp.abs(x + y), false_fun=lambda _: jnp.abs(x - y), operand=None)  # want: cond-between-values


def with_one_operand(x, y, positive):
    x = jnp.asarray(x)
    chosen = lax.cond(positive, lambda x: x + y, lambda x: x - y, operand=x)  # want: cond-between-values
    return chosen + y


class Filter:
    def __init__(self, offset):
        self.offset = offset

    def __call__(self, x, up):
        return lax.cond(up, lambda x: x + self.offset, lambda x: x - self.offset, x)  # want: cond-between-values


def slope_of_pairs(x, y):
    def loss(x, y):
        a, b = lax.cond(jnp.sum(x) > 0, lambda s: (s[0] + 0.5, s[1]), lambda s: (s[0], s[1] - 0.25), (x, jnp.sin(y)))  # want: cond-between-values
        return jnp.sum(a * b)

    return jax.grad(loss)(x, y)


def slope_of_states(state: State, up):
    def loss(x, up):
        def rise(x):
            return State(level=x + 0.5, step=state.step + 1)

        def fall(x):
            return State(step=state.step - 1, level=x - 0.5)

        new = lax.cond(up, rise, fall, x)  # want: cond-between-values
        return new.level

    return jax.grad(loss)(state.level, up)


def slope_of_entries(x, y, up):
    def loss(x):
        def more(x):
            return {"second": x * 2.0, "first": (jnp.minimum(y, 1.0), None)}

        def less(x):
            return {"first": (jnp.minimum(y, 2.0), None), "second": x * -2.0}

        entries = lax.cond(up, more, less, x)  # want: cond-between-values
        return entries["first"][0] + entries["second"]

    return jax.grad(loss)(x)


def slope_of_library_functions(x, up):
    def loss(x):
        return lax.cond(up, jnp.zeros_like, lambda x: x - 3, x)  # want: cond-between-values

    return jax.grad(loss)(x)


def slope_with_two_operands(x, up):
    def loss(x):
        return lax.cond(up, x, lambda taken: taken / 2, x, lambda other: other - 1)  # want: cond-between-values

    return jax.grad(loss)(x)


def slope_of_counts(x, up):
    count = jnp.asarray(3)

    def loss(x):
        steps = lax.cond(up, lambda: count * count - 1, lambda: -count * 7 + 1)  # want: cond-between-values
        return x * steps

    return jax.grad(loss)(x)


def slope_of_flags(x, up):
    return jax.grad(lambda x: x * lax.cond(up, lambda: 1.0, lambda: 0.0))(x)  # want: cond-between-values


def half(x):
    return x * 0.5


def less(x):
    return x - 1.0


def slope_of_module_functions(x):
    def loss(x):
        return lax.cond(x > 0, half, less, x)  # want: cond-between-values

    return jax.grad(loss)(x)
