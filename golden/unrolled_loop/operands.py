"""Rows that are read by the number of the iteration, where the file takes a derivative: they are scanned."""

import jax
import jax.numpy as jnp


@jax.jit
def recurrent(weights, tokens, lengths):
    embedded = weights["embedding"][tokens]
    state = jnp.zeros((tokens.shape[0], 4))
    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.where((t < lengths)[:, None], jnp.tanh(embedded[:, t] + state), state)
    return jnp.sum(state**2)


slope = jax.jit(jax.grad(recurrent))


@jax.jit
def filtered(signal: jax.Array, gains: jax.Array):
    level = signal[0]
    for i in range(64):  # want: unrolled-loop
        level = 0.9 * level + gains[i] * signal[i]
        level = jnp.tanh(level + signal[i])
    return level


@jax.jit
def whole(signal: jax.Array):
    level = signal[0]
    for i in range(len(signal)):  # want: unrolled-loop
        level = jnp.tanh(level + signal[i])
    return level


@jax.jit
def last_axis(images: jax.Array, state: jax.Array):
    for channel in range(images.shape[-1]):  # want: unrolled-loop
        state = jnp.tanh(state + images[..., channel] * 0.5)
    return state


@jax.jit
def with_a_neighbour(signal: jax.Array):
    level = signal[0]
    for i in range(40):  # want: unrolled-loop
        level = jnp.tanh(level + signal[i] - signal[i + 1])
    return level


@jax.jit
def of_what_it_binds(signal: jax.Array):
    filled = jnp.zeros(64)
    for i in range(64):  # want: unrolled-loop
        filled = filled.at[i].set(jnp.tanh(filled[i] + signal[i]))
    return filled


@jax.jit
def weighed_by_the_number(signal: jax.Array):
    level = jnp.float32(0.0)
    for i in range(64):  # want: unrolled-loop
        level = level + i * signal[i]
    return level


@jax.jit
def from_one_on(signal: jax.Array):
    level = signal[0]
    for i in range(1, 64):  # want: unrolled-loop
        level = jnp.tanh(level + signal[i])
    return level


# What an index array selects is taken in the order of the loop, so that it is not copied into it.
@jax.jit
def spelled(table: jax.Array, tokens: jax.Array, state: jax.Array):
    rows, length = tokens.shape
    embedded = table[tokens]
    for t in range(length):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state / rows


@jax.jit
def of_the_third_axis(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]
    for t in range(tokens.shape[2]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, :, t] + state)
    return state


# Not where something else reads it, its own axis may be meant, or the index array is another one by then.
@jax.jit
def read_too(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]
    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state + embedded[:, 0]


@jax.jit
def of_an_axis_of_its_own(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]
    for t in range(64):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state


@jax.jit
def of_another_length(table: jax.Array, tokens: jax.Array, others: jax.Array, state: jax.Array):
    embedded = table[tokens]
    for t in range(others.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state


@jax.jit
def padded_later(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]
    tokens = jnp.pad(tokens, ((0, 0), (1, 0)))[:, :-1]
    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state, tokens


@jax.jit
def chosen(table: jax.Array, tokens: jax.Array, state: jax.Array, shifted=False):
    embedded = table[tokens]
    if shifted:
        embedded = embedded + 1.0
    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state


@jax.jit
def of_two_indices(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens, 0]
    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state


@jax.jit
def of_what_is_kept(table: jax.Array, tokens: jax.Array, state: jax.Array):
    embedded = table[tokens]

    def first():
        return embedded[:, 0]

    for t in range(tokens.shape[1]):  # want: unrolled-loop
        state = jnp.tanh(embedded[:, t] + state)
    return state + first()
