"""Jitted functions that nothing is to be donated to."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


@functools.partial(jax.jit, donate_argnums=(0,))
def donated(p):
    return p * 0.9


def loop():
    p = jnp.ones(3)
    for _ in range(3):
        p = donated(p)
    return p


@functools.partial(jax.jit, donate_argnames="p")
def donated_by_name(p):
    return p * 0.9


def loop_by_name():
    p = jnp.ones(3)
    for _ in range(3):
        p = donated_by_name(p)
    return p


@jax.jit
def evaluated(p, batch):
    return jnp.sum(p * batch)


def evaluate(p, batches):
    return [evaluated(p, batch) for batch in batches]


def evaluate_all(p, batches):
    total = 0.0
    for batch in batches:
        total = total + evaluated(p, batch)
    return total


@jax.jit
def inner(p):
    return p * 0.9


@jax.jit
def outer(p):
    for _ in range(3):
        p = inner(p)
    return p


def scanned(p):
    return lax.scan(lambda carry, _: (inner(carry), None), p, None, length=3)


@jax.jit
def once(p):
    return p * 0.9


def call_once():
    p = jnp.ones(3)
    p = once(p)
    return p


def plain(p):
    return p * 0.9


def plain_loop():
    p = jnp.ones(3)
    for _ in range(3):
        p = plain(p)
    return p


@functools.partial(jax.jit, static_argnums=0)
def static(count, p):
    return p * count


def counting():
    count = 1
    p = jnp.ones(3)
    for _ in range(3):
        q = static(count, p)
        count = count + 1
    return q


@functools.partial(jax.jit, **{"donate_argnums": 0})
def hidden(p):
    return p * 0.9


def hidden_loop():
    p = jnp.ones(3)
    for _ in range(3):
        p = hidden(p)
    return p


class Clock(NamedTuple):
    time: jax.Array
    ticks: jax.Array


@jax.jit
def tick(clock, speed):
    return Clock(clock.time + speed, clock.ticks + 1)


def run_clock():
    clock = Clock(jnp.zeros(()), ticks=jnp.int32(0))
    for _ in range(9):
        clock = tick(clock, 0.1)
    return clock


@jax.jit
def count(number, totals):
    return number + 1, {"sum": totals["sum"] + number}


def run_counts():
    number, totals = jnp.asarray(0), {"sum": 0.0}
    for _ in range(9):
        number, totals = count(number, totals)
    return totals


@jax.jit
def drawn(key):
    key, own = jax.random.split(key)
    return key, jax.random.normal(own)


def draws():
    key = jax.random.key(0)
    for _ in range(3):
        key, value = drawn(key)  # some bytes
        print(value)
