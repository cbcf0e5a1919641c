"""Functions that are made anew, and must stay where they are; the reason stands beside each."""

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

CONFIG = {"scale": 1.0}
log = []


def set_scale(scale):
    CONFIG["scale"] = scale


def reads_changing_global(x):
    def body(i, v):
        return v * CONFIG["scale"]

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): it reads `CONFIG`, which can change


def draws_random_numbers(x):
    return lax.fori_loop(0, 1, lambda i, v: v * np.random.rand(), x)  # want: local-loop-function (no fix): `np.random.rand`


def asks_the_clock(x):
    def body(i, v):
        return v * time.time()

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): answers differently at every trace


def logs_at_trace_time(x):
    def body(i, v):
        log.append(i)
        return v

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): for its effect, at every trace


def default_of_the_caller(x):
    k = 2.0

    def body(i, v, k=k):
        return v * k

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): belongs to the caller


def local_import(x):
    import jax.numpy as np

    def body(i, v):
        return np.sin(v)

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): uses `np` as a function


def conditional(x, flag):
    if flag:

        def body(i, v):
            return v + 1

    else:

        def body(i, v):
            return v * 2

    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): bound more than once


class Mangled:
    def __init__(self):
        self.__rate = 3.0

    def run(self, x):
        def body(i, v):
            return v * self.__rate

        return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): means another name outside of its class


class Stateful:
    rate = 1.0

    def run(self, x):
        def body(i, v):
            return v * self.rate

        return lax.fori_loop(0, 1, body, x)  # want: local-loop-function (no fix): reads `self`, an object that can change

    def step(self, i, v):
        return v * self.rate

    def run_bound(self, x):
        return lax.fori_loop(0, 1, self.step, x)  # want: local-loop-function (no fix): bound method


def calls_a_captured_function(fn, x):
    def body(i, v):
        return v - 0.1 * jax.grad(fn)(v)

    return lax.fori_loop(0, 3, body, x)  # want: local-loop-function (no fix): uses `fn` in `jax.grad`


def uses_a_length(x, n):
    def body(i, v):
        return v + jnp.zeros(n)

    return lax.fori_loop(0, 3, body, x)  # want: local-loop-function (no fix): uses `n` in `jnp.zeros`


def asks_for_the_type(x, k):
    def body(i, v):
        return v * (2 if isinstance(k, int) else 3)

    return lax.fori_loop(0, 3, body, x)  # want: local-loop-function (no fix): uses `k` in `isinstance`


def raises_to_a_power(x, k):
    return lax.fori_loop(0, 3, lambda i, v: v**k, x)  # want: local-loop-function (no fix): uses `k` as an exponent


def partially_applied(x, k):
    return lax.fori_loop(0, 3, functools.partial(scaled, k), x)  # want: local-loop-function (no fix): `functools.partial`


def scaled(k, i, v):
    return k * v


def mapped(xs, k):
    return lax.map(lambda v: v * k, xs)  # want: local-loop-function (no fix): `lax.map` wraps its function


def loss(x):
    def body(i, v):
        return v * 0.5

    return lax.fori_loop(0, 3, body, x).sum()  # want: local-loop-function (no fix): `jit` the caller


def gradient(x):
    return jax.grad(loss)(x)


def keeps_it(x):
    def body(i, v):
        return v * 0.5

    return lax.fori_loop(0, 3, body, x), body  # want: local-loop-function (no fix): as if on purpose


def widen(step):
    def body(v):
        return v + step

    return body


def made_elsewhere(x, width):
    def cond(v):
        return v < 9

    return lax.while_loop(cond, widen(width), x)  # want: local-loop-function (no fix): may be a new function at every call too
