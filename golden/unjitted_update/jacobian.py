"""A root of three equations by Newton's method, with the matrix of derivatives of each step."""

import jax
import jax.numpy as jnp


def residual(x):
    return x * x - jnp.array([1.0, 2.0, 3.0])


def solve(x):
    for _ in range(9):
        slopes = jax.jacfwd(residual)(x)  # want: unjitted-update
        x = x - jnp.linalg.solve(slopes, residual(x))
    return x


def climb(x):
    for _ in range(9):
        rows = jax.jacrev(residual)(x)  # want: unjitted-update
        x = x + 0.01 * rows.sum(0)
    return x
