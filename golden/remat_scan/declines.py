"""Scans whose body does something that a second run of it would show."""
# asked: --goal memory

import functools
import random

import jax
import jax.numpy as jnp


@jax.jit
def printing(h, xs):
    def body(h, x):
        jax.debug.print("{}", h)
        return h + x, None

    return jax.lax.scan(body, h, xs)  # want: remat-scan (no fix): may call back to the host


@jax.jit
def telling(h, xs):
    def body(h, x):
        print("traced")
        return h + x, None

    return jax.lax.scan(body, h, xs)  # want: remat-scan (no fix): it calls `print`


@jax.jit
def drawing(h, xs):
    def body(h, x):
        return h + x * random.random(), None

    return jax.lax.scan(body, h, xs)  # want: remat-scan (no fix): different value


@functools.partial(jax.jit, static_argnames="body")
def given(body, h, xs):
    return jax.lax.scan(body, h, xs)  # want: remat-scan (no fix): is unknown


@jax.jit
def counting(h, xs):
    def body(i, h):
        jax.debug.print("{}", i)
        return h + xs[i]

    return jax.lax.fori_loop(0, 5, body, h)  # want: remat-scan (no fix): may call back to the host
