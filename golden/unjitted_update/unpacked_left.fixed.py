"""Functions of which no derivative is taken, or that are bound to others later: what they do is not known."""

import jax
import jax.numpy as jnp


def strange(f, g, point):
    df, dg = jax.grad(f), jax.grad(g)
    for number in range(100):
        down = df(point)
        point = point - 0.1 * down + 0.01 * dg(point)
        if number == 50:
            df, dg = jax.grad(g), jax.grad(f)
    return point


def mapped(f, others, point):
    map = zip
    df, dg = map(jax.grad, (f, f))
    for _ in range(100):
        down = df(point)
        point = point - 0.1 * down + 0.01 * dg(point)
    return point


@jax.jit
def unknown_step(point, moved):
    return point - 0.1 * moved + 0.01 * jnp.mean(moved)


def unknown(f, shift, point):
    df = jax.jit(jax.grad(f))
    for _ in range(100):
        down = df(point)
        moved = shift(down)
        point = unknown_step(point, moved)
    return point


def told(f, g, point):
    """One of the callers hands on a function that prints."""
    df, dg = map(jax.grad, (f, g))
    for _ in range(100):
        down = df(point)
        point = point - 0.1 * down + 0.01 * dg(point)
    return point


def printing(x):
    print("called")
    return jnp.sum(x**2)


class Model:
    def __init__(self):
        self.scale = 1.0

    def loss(self, x):
        return jnp.mean((x * self.scale) ** 2)

    def slow_down(self):
        self.scale = self.scale * 0.5


@jax.jit
def of_an_object_step(point, down):
    return point - 0.1 * down + 0.01 * jnp.mean(down)


def of_an_object(model, point):
    """Its methods change what the step would read once."""
    for _ in range(100):
        down = model.loss(point) * point
        point = of_an_object_step(point, down)
        model.slow_down()
    return point


def of_a_method(loss, slow_down, point):
    for _ in range(100):
        down = jax.grad(loss)(point)
        point = point - 0.1 * down + 0.01 * jnp.mean(down)
        slow_down()
    return point


def of_nobody(loss, point):
    for _ in range(100):
        down = jax.grad(loss)(point)
        point = point - 0.1 * down + 0.01 * jnp.mean(down)
    return point


def swapped(f, g, point):
    """The parameter stands for another function in the next iteration."""
    for _ in range(100):
        down = jax.grad(f)(point)
        point = point - 0.1 * down + 0.01 * jnp.mean(down)
        f, g = g, f
    return point


if __name__ == "__main__":
    print(strange(lambda x: jnp.sum(x**2), lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)))
    model = Model()
    print(of_an_object(model, jnp.ones(3)))
    print(of_a_method(model.loss, model.slow_down, jnp.ones(3)))
    print(told(jnp.sum, printing, jnp.ones(3)))
    print(swapped(lambda x: jnp.sum(x**2), lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)))
    print(unknown(lambda x: jnp.sum(x**2), lambda x: x if x[0] > 0 else -x, jnp.ones(3)))
