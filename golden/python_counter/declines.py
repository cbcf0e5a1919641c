"""Counters that cost a compile each, and must stay Python numbers; the reason stands beside each."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from steps import step_of_another_file

schedule = optax.cosine_decay_schedule(1.0, 10)


@eqx.filter_jit
def branches(x, step):
    if step % 10 == 0:
        x = x + 1
    return x


@eqx.filter_jit
def slices(x, step):
    return x[:step]


@eqx.filter_jit
def unrolls(x, step):
    for _ in range(step):
        x = x * 2
    return x


@eqx.filter_jit
def decays(x, step):
    return x / (1 - 0.9**step)


@eqx.filter_jit
def asks(x, step):
    return x * schedule(step)


@eqx.filter_jit
def counts_tokens(x, step):
    return x + step * 1_000_000


@eqx.filter_jit
def gives_back(x, step):
    return x, step


@eqx.filter_jit
def advance(x, step):
    return x, step + 1


@eqx.filter_jit
def unpacks(x, state):
    return x * state["step"]


class State(eqx.Module):
    x: jax.Array
    step: int


@eqx.filter_jit
def of_a_state(state):
    return state.x * state.step


mapped = eqx.filter_pmap(lambda x, step: x * step)
foreign = eqx.filter_jit(step_of_another_file)


def filtered(x):
    for step in range(10):
        branches(x, step)  # want: python-counter (no fix): uses it in `step % 10`
        slices(x, step)  # want: python-counter (no fix): uses it in `:step`
        unrolls(x, step)  # want: python-counter (no fix): passes `step` to `range`
        decays(x, step)  # want: python-counter (no fix): takes `step` as an exponent
        asks(x, step)  # want: python-counter (no fix): passes `step` to `schedule`
        counts_tokens(x, step)  # want: python-counter (no fix): can leave 32 bits
        gives_back(x, step)  # want: python-counter (no fix): would return an array
        unpacks(x, {"step": step})  # want: python-counter (no fix): in a container
        of_a_state(State(x, step))  # want: python-counter (no fix): becomes a field of `State`
        mapped(x, step)  # want: python-counter (no fix): would map over an array
        foreign(x, step)  # want: python-counter (no fix): is unknown


def read_as_a_number(x):
    counted, seen = 0, {}
    while counted < 10:
        x, counted = advance(x, counted)  # want: python-counter (no fix): comes back as an array, and is read in
        seen[counted] = x
    return seen


@functools.partial(jax.jit, static_argnums=1)
def pads(x, n):
    return jnp.concatenate([x, jnp.zeros(n)])


@functools.partial(jax.jit, static_argnames="mode")
def modes(x, mode):
    return x * mode


@functools.partial(jax.jit, static_argnums=1)
def handed_on(x, n):
    return x * n


NUMBERS = (1,)
chosen_elsewhere = jax.jit(lambda x, n: x * n, static_argnums=NUMBERS)


def static(x):
    modes(x, mode=jnp.float32)
    jax.vmap(handed_on, in_axes=(0, None))(x, 1)
    for n in range(10):
        pads(x, n)  # want: python-counter (no fix): passes `n` to `jnp.zeros`
        modes(x, mode=n)  # want: python-counter (no fix): another call passes `jnp.float32` as `mode`
        handed_on(x, n)  # want: python-counter (no fix): is passed on
        chosen_elsewhere(x, n)  # want: python-counter (no fix): is not spelled out
