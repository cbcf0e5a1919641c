"""Loops of a few rounds between the statements of a step: a trace unrolls them."""

import jax
import jax.numpy as jnp
from tqdm import trange

SHIFTS = [1, -1, 2]
OTHER = [2, 0, 1]


@jax.jit
def flowing_step(f, wall):
    rho = jnp.sum(f, axis=0)
    out = f - (f - rho / 3.0) / 0.6
    for i in range(3):
        out = out.at[i].set(jnp.where(wall, f[OTHER[i]], out[i]))
    f = jnp.stack([jnp.roll(out[i], SHIFTS[i]) for i in range(3)])
    return f, rho


def flowing(f, wall, steps=60):
    for step in range(steps):
        f, rho = flowing_step(f, wall)
        if step % 20 == 0:
            print(step, jnp.max(rho))
    return f


@jax.jit
def smoothed_step(u):
    residual = jnp.roll(u, 1) - 2.0 * u + jnp.roll(u, -1)
    for scale in (0.5, 0.25, 0.125):
        residual = scale * residual + (1.0 - scale) * jnp.tanh(residual)
    return u + 0.1 * residual


def smoothed(u, rounds=40):
    for _ in range(rounds):
        u = smoothed_step(u)
    return u


@jax.jit
def read_after_step(u):
    return jnp.tanh(u) / jnp.sqrt(jnp.mean(u**2) + 1.0)


def read_after(u, rounds=40):
    for _ in range(rounds):
        u = read_after_step(u)
        for i in range(3):
            u = u + 0.1 * jnp.roll(u, 1)
        u = u / (1.0 + i)
    return u


@jax.jit
def inner_step(params, fast):
    return jax.tree.map(lambda p, f: p + 0.1 * (f - p), params, fast)


def inner_steps(params, x, rounds=40):
    for _ in range(rounds):
        fast = params
        for _ in range(8):
            fast = descend(fast, x)
        params = inner_step(params, fast)
    return params


@jax.jit
def descend(params, x):
    gradient = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"]) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)


@jax.jit
def shown_step(u):
    return jnp.tanh(u) / jnp.sqrt(jnp.mean(u**2) + 1.0)


def shown(u, rounds=40):
    for _ in range(rounds):
        u = shown_step(u)
        for _k in trange(3):
            u = u + 0.1 * jnp.roll(u, 1)
    return u


if __name__ == "__main__":
    print(flowing(jnp.ones((3, 8)), jnp.arange(8) < 2))
    print(smoothed(jnp.arange(8.0)))
    print(read_after(jnp.arange(8.0)))
    print(inner_steps({"w": jnp.ones((3, 4)), "v": jnp.ones(4)}, jnp.ones((5, 3))))
    print(shown(jnp.arange(8.0)))
