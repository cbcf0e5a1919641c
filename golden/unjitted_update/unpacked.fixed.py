"""Derivatives that are made together, and functions that are known by the derivative that is taken of them."""

import jax
import jax.numpy as jnp


def filtered(model, rows, state):
    """The functions are those of a model that nobody has read."""
    f, noise, h = map(model.__getattribute__, ("f", "noise", "h"))
    df, dh = map(jax.jacfwd, (f, h))
    spread = noise
    found = []

    @jax.jit
    def filtered_step(state, spread, noise, row):
        slope = df(state)
        guess, wide = f(state), slope @ spread @ slope.T + noise
        seen = dh(guess)
        gain = wide @ seen.T @ jnp.linalg.inv(seen @ wide @ seen.T + noise)
        return guess + gain @ (row - h(guess)), wide - gain @ seen @ wide

    for row in rows:
        state, spread = filtered_step(state, spread, noise, row)
        found.append(state)
    return jnp.stack(found)


def descended(f, g, point):
    df, dg = jax.grad(f), jax.grad(g)

    @jax.jit
    def descended_step(point):
        down = df(point)
        up = dg(point)
        return point - 0.1 * down + 0.01 * up * jnp.mean(f(point))

    for _ in range(100):
        point = descended_step(point)
    return point


@jax.jit
def error(params, x):
    return jnp.mean((x @ params) ** 2)


value_of = jax.value_and_grad(error)


@jax.jit
def fitted_step(params, x):
    value, slopes = value_of(params, x)
    params = params - 0.1 * slopes + 0.01 * jnp.mean(params)
    return params, value


def fitted(params, x):
    """The derivative is of a function that is jitted already."""
    for _ in range(100):
        params, value = fitted_step(params, x)
        print(value)
    return params


class Model:
    f = staticmethod(lambda x: 0.9 * x)
    h = staticmethod(jnp.sin)
    noise = jnp.eye(3)


if __name__ == "__main__":
    print(filtered(Model(), jnp.ones((20, 3)), jnp.ones(3)))
    print(fitted(jnp.ones(3), jnp.ones((2, 3))))
    print(descended(lambda x: jnp.sum(x**2), lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)))
