"""Batches that hold what `jit` does not take, in some rounds or for some callers, stay out of a step under `jit`."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class Sample:
    x: jax.Array


def loss_of(w, batch):
    return jnp.mean((jnp.tanh(batch["x"] @ w) - batch["y"]) ** 2)


def batches(n, named):
    for k in range(n):
        batch = {"x": jnp.full((6, 4), k), "y": jnp.ones(6)}
        if named:
            batch["name"] = f"batch {k}"
        yield batch


def train(w, batches):
    for batch in batches:
        g = jax.grad(loss_of)(w, batch)  # want: unjitted-update (no fix)
        g = jnp.clip(g, -1.0, 1.0)
        w = w - 0.1 * g
    return w


train(jnp.ones(4), batches(20, False))


def train_on_list(w, n):
    every = []
    for k in range(n):
        every.append({"x": jnp.ones((6, 4)), "y": jnp.ones(6), "at": Sample(jnp.ones(1))})
    for batch in every:
        g = jax.grad(loss_of)(w, batch)  # want: unjitted-update (no fix)
        g = jnp.clip(g, -1.0, 1.0)
        w = w - 0.1 * g
    return w


def train_on_some(w, loader, epochs):
    for epoch in range(epochs):
        for name, batch in loader.items():
            g = jax.grad(loss_of)(w, batch)  # want: unjitted-update (no fix)
            g = jnp.clip(g, -1.0, 1.0)
            w = w - 0.1 * g
    return w


train_on_some(jnp.ones(4), {"first": {"x": jnp.ones((6, 4)), "y": jnp.ones(6), **{"kind": str(1.0)}}}, 20)


def labelled(n):
    return [("name", {"x": jnp.ones((6, 4)), "y": jnp.ones(6)}) for _ in range(n)]


def train_beside(w, n):
    for name, batch in labelled(n):
        g = jax.grad(loss_of)(w, batch)  # want: unjitted-update
        g = jnp.clip(g, -1.0, 1.0)
        w = w - 0.1 * g
    return w


def step(w, batch):
    g = jax.grad(loss_of)(w, batch)
    g = jnp.clip(g, -1.0, 1.0)
    return w - 0.1 * g


def main(w, several):
    for at, (x, y) in enumerate(several):
        w = step(w, {"x": x, "y": y, "at": f"{at}"})  # want: unjitted-update (no fix)
    return w
