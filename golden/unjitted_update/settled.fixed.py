"""Lengths that a step needs the values of: it reads them of the function around where they stay."""

import jax
import jax.numpy as jnp


def heat(width, steps, alpha):
    u = jnp.sin(jnp.linspace(0.0, 3.0, width + 1))

    @jax.jit
    def heat_step(u, alpha):
        inner = u[1:width] + alpha * (u[2 : width + 1] - 2 * u[1:width] + u[0 : width - 1])
        return u.at[1:width].set(inner)

    for _ in range(steps):
        u = heat_step(u, alpha)
    return u


# Another width in each iteration: each would be compiled for.
def coarsened(width, steps, alpha):
    u = jnp.sin(jnp.linspace(0.0, 3.0, width + 1))
    for _ in range(steps):
        inner = u[1:width] + alpha * (u[2 : width + 1] - 2 * u[1:width] + u[0 : width - 1])
        u = u.at[1:width].set(inner)
        width = width - 1
    return u


if __name__ == "__main__":
    print(heat(20, 30, 0.4))
    print(coarsened(20, 10, 0.4))
