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
        return jnp.where(t > 2, x * 0.5, jnp.asarray(x) - 1.0)

    return [jax.grad(loss)(x, t) for t in range(steps)]


def gradient_of_named_branches(x):
    def loss(x):
        level = jnp.sum(x)

        # The comment stays.
        return jnp.where(level < 0, jnp.maximum(level, 0.5), level * 2.0)

    return jax.value_and_grad(loss)(x)


def with_keywords(x, y, positive):
    x = jnp.asarray(x)
    if y is None:
        return x
    return jnp.where(positive, jnp.abs(x + y), jnp.abs(x - y))


def with_one_operand(x, y, positive):
    x = jnp.asarray(x)
    chosen = jnp.where(positive, x + y, x - y)
    return chosen + y


class Filter:
    def __init__(self, offset):
        self.offset = offset

    def __call__(self, x, up):
        return jnp.where(up, jnp.asarray(x) + self.offset, jnp.asarray(x) - self.offset)


def slope_of_pairs(x, y):
    def loss(x, y):
        chosen = jnp.sum(x) > 0
        operand = jnp.sin(y)
        a, b = (
            jnp.where(chosen, jnp.asarray(x) + 0.5, x),
            jnp.where(chosen, operand, operand - 0.25),
        )
        return jnp.sum(a * b)

    return jax.grad(loss)(x, y)


def slope_of_states(state: State, up):
    def loss(x, up):
        new = State(
            level=jnp.where(up, jnp.asarray(x) + 0.5, jnp.asarray(x) - 0.5),
            step=jnp.where(up, state.step + 1, state.step - 1),
        )
        return new.level

    return jax.grad(loss)(state.level, up)


def slope_of_entries(x, y, up):
    def loss(x):
        entries = {
            "first": (
                jnp.where(up, jnp.minimum(y, 1.0), jnp.minimum(y, 2.0)),
                None,
            ),
            "second": jnp.where(up, x * 2.0, x * -2.0),
        }
        return entries["first"][0] + entries["second"]

    return jax.grad(loss)(x)


def slope_of_library_functions(x, up):
    def loss(x):
        return jnp.where(up, jnp.zeros_like(x), jnp.asarray(x) - 3)

    return jax.grad(loss)(x)


def slope_with_two_operands(x, up):
    def loss(x):
        return jnp.where(up, x / 2, jnp.asarray(x) - 1)

    return jax.grad(loss)(x)


def slope_of_counts(x, up):
    count = jnp.asarray(3)

    def loss(x):
        steps = jnp.where(up, count * count - 1, -count * 7 + 1)
        return x * steps

    return jax.grad(loss)(x)


def slope_of_flags(x, up):
    return jax.grad(lambda x: x * jnp.where(up, 1.0, 0.0))(x)


def half(x):
    return x * 0.5


def less(x):
    return x - 1.0


def slope_of_module_functions(x):
    def loss(x):
        return jnp.where(x > 0, x * 0.5, jnp.asarray(x) - 1.0)

    return jax.grad(loss)(x)
