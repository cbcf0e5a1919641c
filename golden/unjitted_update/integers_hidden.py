"""Python integers that a step would multiply or raise: by functions, annotations, defaults, and methods of its object."""

import functools
import math
import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


def product(number):
    return operator.mul(operator.mul(number, number), number)


def by_operators(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(1, steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / product(step) * speed
    return w


def by_lists(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(1, steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / math.prod([step, step, step]) * speed
        w = w - 0.1 / functools.reduce(operator.mul, (step, step, step)) * speed
    return w


def annotated(x, w, number: int):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (number + 1) ** 3 * speed
    return w


def by_default(x, w, number=3):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (number + 1) ** 3 * speed
    return w


def of_two_kinds(x, w, number):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - number * number * number * 1e-10 * speed
    return w


def by_truths(x, w, steps):
    speed, is_late = jnp.zeros(3), True
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 * speed / (is_late + (step > 4))
    return w


class State(NamedTuple):
    w: jax.Array
    speed: jax.Array
    number: int


def stepped(state, x):
    slopes = jax.grad(loss_of)(state.w, x)
    number = state.number + 1
    w = state.w - 0.1 / (number * number) * state.speed
    return State(w, 0.9 * state.speed + slopes, number)


def by_fields(x, state):
    for _ in range(12):
        state = stepped(state, x)  # want: unjitted-update
    return state.w


class Trainer:
    """Its count is bound before the step, and raised in a method that the step calls."""

    def __init__(self, w, start):
        self.w, self.speed, self.count, self.passes = w, jnp.zeros(3), start, 0

    def rate(self):
        return 0.1 / (self.count * self.count * self.count)

    def decay(self):
        return 0.9 / (1 + self.passes)

    def step(self, x):
        self.count = self.count + 1
        slopes = jax.grad(loss_of)(self.w, x)
        self.speed = 0.9 * self.speed + slopes
        self.w = self.w - self.rate() * self.speed

    def counted(self, x):
        self.passes += 1
        slopes = jax.grad(loss_of)(self.w, x)
        self.speed = self.decay() * self.speed + slopes
        self.w = self.w - 0.1 * self.speed


class Plain:
    """Its subclass alone has what a method of that reads."""

    def __init__(self, w):
        self.w, self.speed = w, jnp.zeros(3)

    def penalty(self, w):
        return 0.0

    def fit(self, x):
        for _ in range(12):
            slopes = jax.grad(lambda w: loss_of(w, x) + self.penalty(w))(self.w)  # want: unjitted-update (no fix)
            self.speed = 0.9 * self.speed + slopes
            self.w = self.w - 0.1 * self.speed
        return self.w


class Penalised(Plain):
    strength = 0.1

    def penalty(self, w):
        return self.strength * jnp.sum(w**2)

    def soften(self):
        self.strength = 0.5 * self.strength


def trained(x, w):
    trainer, penalised = Trainer(w, 0), Penalised(w)
    for _ in range(12):
        trainer.step(x)  # want: unjitted-update
        trainer.counted(x)  # want: unjitted-update
    first = penalised.fit(x)
    penalised.soften()
    first = first + of_two_kinds(x, w, 1500) + of_two_kinds(x, w, 2.5)
    first = first + by_fields(x, State(w, jnp.zeros(3), 1))
    return trainer.w + first + penalised.fit(x) + Plain(w).fit(x)
