"""Rows that are read by the number of the iteration, where the file takes a derivative: they are scanned."""

import jax
import jax.numpy as jnp


@jax.jit
def recurrent(weights, tokens, lengths):
    embedded = weights["embedding"][jnp.moveaxis(tokens, 1, 0)]
    state = jnp.zeros((tokens.shape[0], 4))

    def loop_body(state, row):
        t, embedded_t = row
        state = jnp.where((t < lengths)[:, None], jnp.tanh(embedded_t + state), state)
        return state, None

    state, _ = jax.lax.scan(loop_body, state, (jnp.arange(tokens.shape[1]), embedded))
    return jnp.sum(state**2)


slope = jax.jit(jax.grad(recurrent))


@jax.jit
def filtered(signal: jax.Array, gains: jax.Array):
    level = signal[0]

    def loop_body(level, row):
        _, gains_i, signal_i = row
        level = 0.9 * level + gains_i * signal_i
        level = jnp.tanh(level + signal_i)
        return level, None

    level, _ = jax.lax.scan(loop_body, level, (jnp.arange(64), gains[:64], signal[:64]))
    return level


@jax.jit
def whole(signal: jax.Array):
    level = signal[0]

    def loop_body(level, row):
        _, signal_i = row
        level = jnp.tanh(level + signal_i)
        return level, None

    level, _ = jax.lax.scan(loop_body, level, (jnp.arange(len(signal)), signal))
    return level


@jax.jit
def last_axis(images: jax.Array, state: jax.Array):
    def loop_body(state, row):
        _, images_channel = row
        state = jnp.tanh(state + images_channel * 0.5)
        return state, None

    state, _ = jax.lax.scan(
        loop_body, state, (jnp.arange(images.shape[-1]), jnp.moveaxis(images, -1, 0))
    )
    return state


@jax.jit
def with_a_neighbour(signal: jax.Array):
    level = signal[0]

    def loop_body(i, level):
        level = jnp.tanh(level + signal[i] - signal[i + 1])
        return level

    level = jax.lax.fori_loop(0, 40, loop_body, level)
    return level


@jax.jit
def of_what_it_binds(signal: jax.Array):
    filled = jnp.zeros(64)

    def loop_body(filled, row):
        i, signal_i = row
        filled = filled.at[i].set(jnp.tanh(filled[i] + signal_i))
        return filled, None

    filled, _ = jax.lax.scan(loop_body, filled, (jnp.arange(64), signal[:64]))
    return filled


@jax.jit
def weighed_by_the_number(signal: jax.Array):
    level = jnp.float32(0.0)

    def loop_body(i, level):
        level = level + i * signal[i]
        return level

    level = jax.lax.fori_loop(0, 64, loop_body, level)
    return level


@jax.jit
def from_one_on(signal: jax.Array):
    level = signal[0]

    def loop_body(i, level):
        level = jnp.tanh(level + signal[i])
        return level

    level = jax.lax.fori_loop(1, 64, loop_body, level)
    return level


# What an index array selects is taken in the order of the loop, so that it is not copied into it.
@jax.jit
def spelled(table: jax.Array, tokens: jax.Array, state: jax.Array):
    rows, length = tokens.shape
    embedded = table[jnp.moveaxis(tokens, 1, 0)]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(loop_body, state, (jnp.arange(length), embedded))
    return state / rows


@jax.jit
def of_the_third_axis(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[jnp.moveaxis(tokens, 2, 0)]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(loop_body, state, (jnp.arange(tokens.shape[2]), embedded))
    return state


# Not where something else reads it, its own axis may be meant, or the index array is another one by then.
@jax.jit
def read_too(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(tokens.shape[1]), jnp.moveaxis(embedded[:, :tokens.shape[1]], 1, 0)),
    )
    return state + embedded[:, 0]


@jax.jit
def of_an_axis_of_its_own(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body, state, (jnp.arange(64), jnp.moveaxis(embedded[:, :64], 1, 0))
    )
    return state


@jax.jit
def of_another_length(table: jax.Array, tokens: jax.Array, others: jax.Array, state: jax.Array):
    embedded = table[tokens]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(others.shape[1]), jnp.moveaxis(embedded[:, :others.shape[1]], 1, 0)),
    )
    return state


@jax.jit
def padded_later(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]
    tokens = jnp.pad(tokens, ((0, 0), (1, 0)))[:, :-1]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(tokens.shape[1]), jnp.moveaxis(embedded[:, :tokens.shape[1]], 1, 0)),
    )
    return state, tokens


@jax.jit
def chosen(table: jax.Array, tokens: jax.Array, state: jax.Array, shifted=False):
    embedded = table[tokens]
    if shifted:
        embedded = embedded + 1.0

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(tokens.shape[1]), jnp.moveaxis(embedded[:, :tokens.shape[1]], 1, 0)),
    )
    return state


@jax.jit
def of_two_indices(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens, 0]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(tokens.shape[1]), jnp.moveaxis(embedded[:, :tokens.shape[1]], 1, 0)),
    )
    return state


@jax.jit
def of_what_is_kept(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]

    def first():
        return embedded[:, 0]

    def loop_body(state, row):
        _, embedded_t = row
        state = jnp.tanh(embedded_t + state)
        return state, None

    state, _ = jax.lax.scan(
        loop_body,
        state,
        (jnp.arange(tokens.shape[1]), jnp.moveaxis(embedded[:, :tokens.shape[1]], 1, 0)),
    )
    return state + first()
