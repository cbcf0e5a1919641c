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


def unknown(f, shift, point):
    df = jax.grad(f)
    for _ in range(100):
        down = df(point)  # want: unjitted-update
        moved = shift(down)
        point = point - 0.1 * moved + 0.01 * jnp.mean(moved)
    return point


def told(f, g, point):
    """One of the callers hands on a function that prints."""
    df, dg = map(jax.grad, (f, g))
    for _ in range(100):
        down = df(point)  # want: unjitted-update (no fix): cannot be traced
        point = point - 0.1 * down + 0.01 * dg(point)
    return point


def printing(x):
    print("called")
    return jnp.sum(x**2)


def swapped(f, g, point):
    """The parameter stands for another function in the next round."""
    for _ in range(100):
        down = jax.grad(f)(point)  # want: unjitted-update (no fix): `f` is bound anew while it runs
        point = point - 0.1 * down + 0.01 * jnp.mean(down)
        f, g = g, f
    return point


if __name__ == "__main__":
    print(strange(lambda x: jnp.sum(x**2), lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)))
    print(told(jnp.sum, printing, jnp.ones(3)))
    print(swapped(lambda x: jnp.sum(x**2), lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)))
    print(unknown(lambda x: jnp.sum(x**2), lambda x: x if x[0] > 0 else -x, jnp.ones(3)))
