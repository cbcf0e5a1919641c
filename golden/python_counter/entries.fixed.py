"""Counters that are an entry of a dictionary, or a remainder."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp


@eqx.filter_jit
def advance(x, t):
    return x * 0.9 + t


def counted(x):
    stats = {"t": 0, "name": "run"}
    while stats["t"] < 10:
        x = advance(x, jnp.asarray(stats["t"]))
        stats["t"] += 1
    return x


def never_counted(x):
    stats = {"t": 0}
    for _ in range(10):
        x = advance(x, stats["t"])
    return x


def may_be_anything(x, given):
    stats = {"t": 0}
    for _ in range(10):
        x = advance(x, stats["t"])
        stats["t"] = given
    return x


@jax.jit
def phased(x, phase):
    return x * 0.9 + phase


def remainders(x):
    for i in range(20):
        x = phased(x, i % 7)
        x = phased(x, i % 2)  # two programs, which are kept
    return x


@partial(jax.jit, static_argnums=1)
def named(x, name):
    return x * len(name)


def texts(x):
    for i in range(20):
        x = named(x, "%d" % i)
    return x
