"""Lists that hold the iterations from the last to the first: by `insert(0, x)`, `reverse()` or `[::-1]`."""

import jax
import jax.numpy as jnp


@jax.jit
def list_from_its_end(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    return jnp.array(out[::-1])


@jax.jit
def inserted_first(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.insert(0, gae)
    return jnp.array(out)


@jax.jit
def reversed_in_place(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    out.reverse()
    return jnp.stack(out)


@jax.jit
def inserted_first_upwards(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in range(128):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.insert(0, gae)
    return jnp.stack(out), jnp.array(out[::-1])


@jax.jit
def two_ways(rewards, last):
    out, other = [], []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
        other.insert(0, gae * 2)
    out.reverse()
    return jnp.array(out), jnp.stack(other), jnp.concatenate([jnp.stack(other)])


@jax.jit
def one_of_two(rewards, last):
    out, other = [], []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
        other.append(gae * 2)
    out.reverse()
    return jnp.array(out), jnp.stack(other), jnp.array(other)


@jax.jit
def joined(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in range(127, -1, -1):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.insert(0, gae[None])
    return jnp.concatenate(out)


@jax.jit
def turned_twice(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in range(40):  # want: unrolled-loop
        gae = rewards[t] + 0.5 * gae
        out.insert(0, gae)
    out.reverse()
    return jnp.stack(out, axis=0), jnp.stack(out[::-1])


@jax.jit
def read_before_it_is_reversed(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop (no fix): side effect
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    first = jnp.stack(out)
    out.reverse()
    return first, jnp.stack(out)


@jax.jit
def inserted_second(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop (no fix): side effect
        gae = rewards[t] + 0.5 * gae
        out.insert(1, gae)
    return jnp.stack(out)


@jax.jit
def reversed_perhaps(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):  # want: unrolled-loop (no fix): side effect
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    if rewards.ndim == 1:
        out.reverse()
    return jnp.stack(out)


@jax.jit
def without_a_carry(rewards):
    out = []
    for t in reversed(range(128)):  # want: unrolled-loop
        out.insert(0, jnp.tanh(rewards[t]))
    return jnp.stack(out), jnp.array(out)
