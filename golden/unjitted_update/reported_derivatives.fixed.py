"""A loss that each report computes eagerly, with derivatives in it: each is counted as what it differentiates."""

import jax
import jax.numpy as jnp


def net(params, t):
    for weight in params[:-1]:
        t = jnp.tanh(t @ weight)
    return t @ params[-1]


def residual(t, u):
    u_t = lambda t: jax.grad(lambda t: jnp.sum(u(t)))(t)
    u_tt = lambda t: jax.grad(lambda t: jnp.sum(u_t(t)))(t)
    return u_tt(t) + u_t(t) - t * jnp.cos(2 * jnp.pi * t)


@jax.jit
def loss(params, points):
    u = lambda t: net(params, t)
    inside = jnp.mean(residual(points, u) ** 2)
    start = jnp.mean((u(points[:1]) - 1.0) ** 2)
    return inside + start


@jax.jit
def update(params, points):
    slopes = jax.grad(loss)(params, points)
    return [weight - 1e-3 * slope for weight, slope in zip(params, slopes)]


if __name__ == "__main__":
    points = jnp.linspace(0.0, 3.0, 50)[:, None]
    params = [jnp.full((1, 8), 0.1), jnp.full((8, 8), 0.1), jnp.full((8, 1), 0.1)]
    for step in range(300):
        params = update(params, points)
        if step % 50 == 0:
            print(f"{step} {loss(params, points):.4f}")
