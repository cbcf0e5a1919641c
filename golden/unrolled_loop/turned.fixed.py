"""Lists that hold the iterations from the last to the first: by `insert(0, x)`, `reverse()` or `[::-1]`."""

import jax
import jax.numpy as jnp


@jax.jit
def list_from_its_end(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(128), reverse=True)
    return jnp.array(out)


@jax.jit
def inserted_first(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(128), reverse=True)
    return jnp.array(out)


@jax.jit
def reversed_in_place(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(128), reverse=True)
    return out


@jax.jit
def inserted_first_upwards(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(128))
    return out[::-1], jnp.array(out)


@jax.jit
def two_ways(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, (gae, gae * 2)

    gae, (out, other) = jax.lax.scan(loop_body, gae, jnp.arange(128), reverse=True)
    return jnp.array(out), other, jnp.concatenate([other])


@jax.jit
def one_of_two(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, (gae, gae * 2)

    gae, (out, other) = jax.lax.scan(loop_body, gae, jnp.arange(128)[::-1])
    return jnp.array(out[::-1]), other, jnp.array(other)


@jax.jit
def joined(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae[None]

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(127, -1, -1))
    return jnp.reshape(out[::-1], (-1, *out.shape[2:]))


@jax.jit
def turned_twice(rewards, last):
    gae = jnp.zeros_like(last)

    def loop_body(gae, t):
        gae = rewards[t] + 0.5 * gae
        return gae, gae

    gae, out = jax.lax.scan(loop_body, gae, jnp.arange(40))
    return out, out[::-1]


@jax.jit
def read_before_it_is_reversed(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    first = jnp.stack(out)
    out.reverse()
    return first, jnp.stack(out)


@jax.jit
def inserted_second(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):
        gae = rewards[t] + 0.5 * gae
        out.insert(1, gae)
    return jnp.stack(out)


@jax.jit
def reversed_perhaps(rewards, last):
    out = []
    gae = jnp.zeros_like(last)
    for t in reversed(range(128)):
        gae = rewards[t] + 0.5 * gae
        out.append(gae)
    if rewards.ndim == 1:
        out.reverse()
    return jnp.stack(out)


@jax.jit
def without_a_carry(rewards):

    def loop_body(t):
        out_row = jnp.tanh(rewards[t])
        return out_row

    out = jax.lax.map(loop_body, jnp.arange(128)[::-1])
    return out[::-1], jnp.array(out[::-1])
