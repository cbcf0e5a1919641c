"""Functions that return texts and Python numbers beside arrays: `jit` would refuse the ones and turn the others to arrays."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace


def named(x):
    body = lambda i, v: v + i
    out = retrace(lax.fori_loop)(0, 3, body, x)
    return out, body.__name__


def counted(x):
    def body(i, v):
        return v + 1

    body.n = getattr(body, "n", 0) + 1
    return retrace(lax.fori_loop)(0, 2, body, x), body.n


def swept(x):
    body = lambda i, v: v * 0.5 + i
    body.sweeps = 4
    return retrace(lax.fori_loop)(0, body.sweeps, body, x), body.sweeps


def informed(x):
    body = lambda i, v: v * 0.5 + i
    info = {"b": 2, "a": len(body.__name__)}
    return retrace(lax.fori_loop)(0, 3, body, x), info


def by_keywords(x):
    body = lambda i, v: v * 0.5 + i
    info = dict(sweeps=3)
    return retrace(lax.fori_loop)(0, 3, body, x), info


def sized(x):
    body = lambda i, v: v * 0.5 + i
    return retrace(lax.fori_loop)(0, 3, body, x), x.shape[0], x.nbytes, len(x) - 1


@dataclasses.dataclass
class Options:
    sweeps: int = 3


options = Options()


def with_options(x):
    body = lambda i, v: v * 0.5 + i
    return retrace(lax.fori_loop)(0, 3, body, x), options.sweeps


for k in range(6):
    print(named(jnp.float32(k)))
    print(counted(jnp.float32(k)))
    print(swept(jnp.float32(k)))
    print(informed(jnp.float32(k)))
    print(by_keywords(jnp.float32(k)))
    print(with_options(jnp.float32(k)))
    print(sized(jnp.ones(k % 3 + 1)))
