"""Starts and parts that other code may give away, or fill in place, before all are joined: copies of them are."""

import jax
import jax.numpy as jnp

double = jax.jit(lambda v: v * 2, donate_argnums=0)


def given_away(n):
    out = jnp.zeros(2)
    part = jnp.ones(2)
    for _ in range(n):
        out = jnp.concatenate([out, part])  # want: growing-array
        part = double(part)
    return out


def flat_and_given_away(n, step):
    out = jnp.array([])
    part = jnp.ones(2)
    for _ in range(n):
        out = jnp.append(out, part)  # want: growing-array
        part = step(part)
    return out


def start_of_a_caller(start, n, step):
    out = start
    for _ in range(n):
        out = jnp.append(out, 1.0)  # want: growing-array
        step(start)
    return out


def seen_by_a_caller(n, keep):
    out = jnp.zeros(2)
    keep(out)
    for i in range(n):
        out = jnp.concatenate([out, jnp.full(2, i)])  # want: growing-array
        keep(i)
    return out


def only_printed(n, step):
    losses = jnp.array([])
    for i in range(n):
        loss = step(i)
        print(loss)
        losses = jnp.append(losses, loss)  # want: growing-array
    return losses
