"""Functions that are created, and that nothing here cures; the reason stands beside each."""

import random
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

log = []


def draws_random_numbers(x):
    return lax.fori_loop(0, 1, lambda i, v: v * np.random.rand(), x)  # want: local-loop-function (no fix): `np.random.rand` returns a different value at every trace


def asks_the_clock(x):
    def body(i, v):
        return v * time.time()

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): returns a different value at every trace


def throws_dice(x):
    def body(i, v):
        return v + random.random()

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): `random.random` returns a different value


def within_a_text(x):
    return f"{lax.fori_loop(0, 1, lambda i, v: v + 1, x)}"  # want: local-loop-function (no fix): inside an f-string


def loss(x):
    def body(i, v):
        return v * 0.5

    return lax.fori_loop(0, 3, body, x).sum()  # want: local-loop-function (no fix): `jit` the caller


def gradient_for_someone():
    return jax.grad(loss)


def logged(x):
    log.append(len(log))
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, x).sum()


def gradient_of_what_logs(x):
    return jax.grad(logged)(x)  # want: local-loop-function (no fix): calls `log.append` for its side effect, at trace time only, and may be traced twice


def branching(x):
    if x > 0:
        return x
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, x)


def gradient_of_what_branches(x):
    return jax.value_and_grad(branching)(x)  # want: local-loop-function (no fix): branches on `x > 0`, which would be traced


def noisy(x):
    return lax.scan(lambda c, _: (c * np.random.rand(), None), x, None, length=3)[0].sum()


def gradient_of_noise(xs):
    return [jax.grad(noisy)(x) for x in xs]  # want: local-loop-function (no fix): `np.random.rand` returns a different value


def mapped_noise(xs):
    return jax.vmap(lambda x: lax.map(lambda v: v * time.time(), x))(jnp.stack(xs))  # want: local-loop-function (no fix): `time.time`
