"""Functions that code of the file makes or picks, and that do the same at each step."""

import jax
import jax.numpy as jnp


def square(w, x):
    return jnp.mean((x @ w - 1) ** 2)


def cubic(w, x):
    return jnp.mean(jnp.abs(x @ w - 1) ** 3)


LOSSES = {"square": square, "cubic": cubic}


def weighted(weight):
    def loss(w, x):
        return weight * square(w, x)

    return loss


def one_of_two(kind):
    if kind == "square":
        return square

    def halved(w, x):
        return square(w, x) / 2

    return halved


class Problem:
    def __init__(self, target):
        self.target = target

    def loss(self, w, x):
        return jnp.mean((x @ w - self.target) ** 2)


def of_a_factory(w, batches):
    loss = weighted(0.5)

    @jax.jit
    def train_step(w, x):
        return w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)

    for x in batches:
        w = train_step(w, x)
    return w


def of_two_returns(kind, w, batches):
    loss = one_of_two(kind)

    @jax.jit
    def of_two_returns_step(w, x):
        return w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)

    for x in batches:
        w = of_two_returns_step(w, x)
    return w


def of_a_table(kind, w, batches):
    loss = LOSSES[kind]

    @jax.jit
    def of_a_table_step(w, x):
        return w - 0.1 * jax.grad(loss)(w, x) * jnp.cos(w)

    for x in batches:
        w = of_a_table_step(w, x)
    return w


def of_a_gradient(w, batches):
    problem = Problem(1.0)
    gradient = jax.grad(problem.loss)

    @jax.jit
    def of_a_gradient_step(w, x):
        return w - 0.1 * gradient(w, x) * jnp.cos(w)

    for x in batches:
        w = of_a_gradient_step(w, x)
    return w


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * k / 8 for k in range(12)]
    print(of_a_factory(jnp.ones(3), batches), of_a_gradient(jnp.ones(3), batches))
    print(of_two_returns("square", jnp.ones(3), batches), of_a_table("cubic", jnp.ones(3), batches))
