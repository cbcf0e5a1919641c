"""Derivatives that are made together, and functions that are known by the derivative that is taken of them."""

import jax
import jax.numpy as jnp


def filtered(model, rows, state):
    """The functions are those of a model that nobody has read."""
    f, noise, h = map(model.__getattribute__, ("f", "noise", "h"))
    df, dh = map(jax.jacfwd, (f, h))
    spread = noise
    found = []
    for row in rows:
        slope = df(state)  # want: unjitted-update
        guess, wide = f(state), slope @ spread @ slope.T + noise
        seen = dh(guess)
        gain = wide @ seen.T @ jnp.linalg.inv(seen @ wide @ seen.T + noise)
        state, spread = guess + gain @ (row - h(guess)), wide - gain @ seen @ wide
        found.append(state)
    return jnp.stack(found)


def descended(f, g, point):
    df, dg = jax.grad(f), jax.grad(g)
    for _ in range(100):
        down = df(point)  # want: unjitted-update
        up = dg(point)
        point = point - 0.1 * down + 0.01 * up * jnp.mean(f(point))
    return point


@jax.jit
def error(params, x):
    return jnp.mean((x @ params) ** 2)


value_of = jax.value_and_grad(error)


def fitted(params, x):
    """The derivative is of a function that is jitted already."""
    for _ in range(100):
        value, slopes = value_of(params, x)  # want: unjitted-update
        params = params - 0.1 * slopes + 0.01 * jnp.mean(params)
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
