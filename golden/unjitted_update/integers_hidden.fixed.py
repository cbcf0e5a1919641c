"""Python integers that a step would multiply or raise: by functions, annotations, defaults, and methods of its object."""

import copy
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


grad_loss_of = jax.jit(jax.grad(loss_of))


def by_operators(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(1, steps):
        slopes = grad_loss_of(w, x)
        speed = 0.9 * speed + slopes
        w = w - 0.1 / product(step) * speed
    return w


@jax.jit
def by_lists_step(speed, w, x):
    slopes = jax.grad(loss_of)(w, x)
    return 0.9 * speed + slopes


def by_lists(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(1, steps):
        speed = by_lists_step(speed, w, x)
        w = w - 0.1 / math.prod([step, step, step]) * speed
        w = w - 0.1 / functools.reduce(operator.mul, (step, step, step)) * speed
    return w


grad_loss_of_2 = jax.jit(jax.grad(loss_of))


def annotated(x, w, number: int):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = grad_loss_of_2(w, x)
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (number + 1) ** 3 * speed
    return w


grad_loss_of_3 = jax.jit(jax.grad(loss_of))


def by_default(x, w, number=3):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = grad_loss_of_3(w, x)
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (number + 1) ** 3 * speed
    return w


grad_loss_of_4 = jax.jit(jax.grad(loss_of))


def of_two_kinds(x, w, number):
    speed = jnp.zeros(3)
    for _ in range(12):
        slopes = grad_loss_of_4(w, x)
        speed = 0.9 * speed + slopes
        w = w - number * number * number * 1e-10 * speed
    return w


@jax.jit
def by_truths_step(speed, w, x):
    slopes = jax.grad(loss_of)(w, x)
    return 0.9 * speed + slopes


def by_truths(x, w, steps):
    speed, is_late = jnp.zeros(3), True
    for step in range(steps):
        speed = by_truths_step(speed, w, x)
        w = w - 0.1 * speed / (is_late + (step > 4))
    return w


class State(NamedTuple):
    w: jax.Array
    speed: jax.Array
    number: int


@jax.jit
def _stepped(state, x):
    return jax.grad(loss_of)(state.w, x)


def stepped(state, x):
    slopes = _stepped(state, x)
    number = state.number + 1
    w = state.w - 0.1 / (number * number) * state.speed
    return State(w, 0.9 * state.speed + slopes, number)


def by_fields(x, state):
    for _ in range(12):
        state = stepped(state, x)
    return state.w


@jax.jit
def _step(speed, w, x):
    slopes = jax.grad(loss_of)(w, x)
    return 0.9 * speed + slopes


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
        self.speed = _step(self.speed, self.w, x)
        self.w = self.w - self.rate() * self.speed

    @functools.partial(jax.jit, static_argnums=0)
    def _counted(self, w, speed, x, passes):
        new = copy.copy(self)
        new.w = w
        new.speed = speed
        new.passes = passes
        slopes = jax.grad(loss_of)(new.w, x)
        new.speed = new.decay() * new.speed + slopes
        new.w = new.w - 0.1 * new.speed
        return new.w, new.speed

    def counted(self, x):
        self.passes += 1
        self.w, self.speed = self._counted(self.w, self.speed, x, self.passes)


class Plain:
    """Its subclass alone has what a method of that reads."""

    def __init__(self, w):
        self.w, self.speed = w, jnp.zeros(3)

    def penalty(self, w):
        return 0.0

    def fit(self, x):
        for _ in range(12):
            slopes = jax.grad(lambda w: loss_of(w, x) + self.penalty(w))(self.w)
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
        trainer.step(x)
        trainer.counted(x)
    first = penalised.fit(x)
    penalised.soften()
    first = first + of_two_kinds(x, w, 1500) + of_two_kinds(x, w, 2.5)
    first = first + by_fields(x, State(w, jnp.zeros(3), 1))
    return trainer.w + first + penalised.fit(x) + Plain(w).fit(x)
