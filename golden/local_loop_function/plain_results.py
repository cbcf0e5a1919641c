"""Functions that return texts and Python numbers beside arrays: `jit` would refuse the ones and turn the others to arrays."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import lax


def named(x):
    body = lambda i, v: v + i
    out = lax.fori_loop(0, 3, body, x)  # want: local-loop-function
    return out, body.__name__


def counted(x):
    def body(i, v):
        return v + 1

    body.n = getattr(body, "n", 0) + 1
    return lax.fori_loop(0, 2, body, x), body.n  # want: local-loop-function


def swept(x):
    body = lambda i, v: v * 0.5 + i
    body.sweeps = 4
    return lax.fori_loop(0, body.sweeps, body, x), body.sweeps  # want: local-loop-function


def informed(x):
    body = lambda i, v: v * 0.5 + i
    info = {"b": 2, "a": len(body.__name__)}
    return lax.fori_loop(0, 3, body, x), info  # want: local-loop-function


def by_keywords(x):
    body = lambda i, v: v * 0.5 + i
    info = dict(sweeps=3)
    return lax.fori_loop(0, 3, body, x), info  # want: local-loop-function


def sized(x):
    body = lambda i, v: v * 0.5 + i
    return lax.fori_loop(0, 3, body, x), x.shape[0], x.nbytes, len(x) - 1  # want: local-loop-function


@dataclasses.dataclass
class Options:
    sweeps: int = 3


options = Options()


def with_options(x):
    body = lambda i, v: v * 0.5 + i
    return lax.fori_loop(0, 3, body, x), options.sweeps  # want: local-loop-function


for k in range(6):
    print(named(jnp.float32(k)))
    print(counted(jnp.float32(k)))
    print(swept(jnp.float32(k)))
    print(informed(jnp.float32(k)))
    print(by_keywords(jnp.float32(k)))
    print(with_options(jnp.float32(k)))
    print(sized(jnp.ones(k % 3 + 1)))
