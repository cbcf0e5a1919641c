"""Starts and parts that other code may give away, or fill in place, before all are joined: copies of them are."""

import jax
import jax.numpy as jnp

double = jax.jit(lambda v: v * 2, donate_argnums=0)


def given_away(n):
    out = jnp.zeros(2)
    part = jnp.ones(2)
    out_parts = [out]
    for _ in range(n):
        out_parts.append(jnp.copy(part))
        part = double(part)
    out = jnp.concatenate(out_parts)
    return out


def flat_and_given_away(n, step):
    out = jnp.array([])
    part = jnp.ones(2)
    out_parts = [out]
    for _ in range(n):
        out_parts.append(jnp.copy(jnp.ravel(part)))
        part = step(part)
    out = jnp.concatenate(out_parts)
    return out


def start_of_a_caller(start, n, step):
    out = start
    out_parts = [jnp.copy(jnp.ravel(out))]
    for _ in range(n):
        out_parts.append(jnp.ravel(1.0))
        step(start)
    if len(out_parts) > 1:
        out = jnp.concatenate(out_parts)
    return out


def seen_by_a_caller(n, keep):
    out = jnp.zeros(2)
    keep(out)
    out_parts = [jnp.copy(jnp.concatenate([out]))]
    for i in range(n):
        out_parts.append(jnp.full(2, i))
        keep(i)
    out = jnp.concatenate(out_parts)
    return out


def only_printed(n, step):
    losses = jnp.array([])
    losses_parts = [losses]
    for i in range(n):
        loss = step(i)
        print(loss)
        losses_parts.append(jnp.ravel(loss))
    losses = jnp.concatenate(losses_parts)
    return losses
