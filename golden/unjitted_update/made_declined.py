"""Functions that code of the file makes or picks, and that may do another thing at a later step."""

import random

import jax
import jax.numpy as jnp

LOSSES = {}


def square(w, x):
    return jnp.mean((x @ w - 1) ** 2)


def registered(function):
    LOSSES[function.__name__] = function
    return function


@registered
def counted(w, x):
    print("counted")
    return square(w, x)


def picked(kind):
    def loud(w, x):
        print("loud")
        return square(w, x)

    return {"square": square, "loud": loud}[kind]


def one_of_two(kind):
    if kind == "square":
        return square

    def drawn(w, x):
        return jnp.mean((x @ w - random.random()) ** 2)

    return drawn


class Problem:
    def __init__(self, target):
        self.target = target

    def move(self, by):
        self.target = self.target + by

    def loss(self, w, x):
        return jnp.mean((x @ w - self.target) ** 2)

    def made(self):
        def loss(w, x):
            return jnp.mean((x @ w - self.target) ** 2)

        return loss


def of_a_dictionary(kind, w, batches):
    loss = picked(kind)
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): the result of `picked(kind)` is unknown
    return w


def of_two_returns(kind, w, batches):
    loss = one_of_two(kind)
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): it calls `random.random`
    return w


def of_a_table(kind, w, batches):
    loss = LOSSES[kind]
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): the result of `LOSSES[kind]` is unknown
    return w


def of_a_method(w, batches):
    problem = Problem(1.0)
    loss = problem.loss
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): rebinds `self.target`
        problem.move(1)
    return w


def of_a_gradient(w, batches):
    problem = Problem(1.0)
    gradient = jax.grad(problem.loss)
    for x in batches:
        w = w - 0.1 * gradient(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): rebinds `self.target`
        problem.move(1)
    return w


def of_a_name(kind, w, batches):
    problem = Problem(1.0)
    loss = getattr(problem, kind)
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): line 49 rebinds `self.target`
    return w


def of_a_method_that_makes_it(w, batches):
    problem = Problem(1.0)
    loss = problem.made()
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)  # want: unjitted-update (no fix): rebinds `self.target`
        problem.move(1)
    return w


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * k / 8 for k in range(12)]
    for run in (of_a_dictionary, of_two_returns):
        print(run("square", jnp.ones(3), batches))
    print(of_a_table("counted", jnp.ones(3), batches), of_a_name("loss", jnp.ones(3), batches))
    for run in (of_a_method, of_a_gradient, of_a_method_that_makes_it):
        print(run(jnp.ones(3), batches))
