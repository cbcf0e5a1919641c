"""Compiles for every kind of cause, and under every way to run a function; one line each."""

import threading
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def ones(n, dtype="float32"):
    return np.ones(n, dtype)


@partial(jax.jit, static_argnums=1)
def static(x, n):
    return x * n


@partial(jax.jit, static_argnames="config")
def configured(x, config):
    return x * config.rate


@jax.jit
def typed(state):
    return jax.tree_util.tree_map(lambda leaf: leaf + 1, state)


@dataclass(frozen=True)
class Config:
    width: int
    rate: float


@jax.tree_util.register_pytree_node_class
class Layer:
    def __init__(self, weight, name):
        self.weight, self.name = weight, name

    def tree_flatten(self):
        return (self.weight,), (self.name,)

    @classmethod
    def tree_unflatten(cls, names, children):
        return cls(*children, *names)


def scanned(x, rate):
    def body(carry, _):
        return carry * rate, None

    return lax.scan(body, x, None, length=3)[0]


def fresh(x):
    return jax.jit(lambda v: v + 1)(x)


def captured(x, rate):
    return jax.jit(partial(lambda v, rate: v * rate, rate=rate))(x)


def total(x):
    return lax.fori_loop(0, 3, lambda _, v: v * 2.0, x).sum()


def wrapped(function):
    jitted = jax.jit(lambda args, kwargs: function(*args, **kwargs))
    return lambda *args, **kwargs: jitted(args, kwargs)


def in_a_thread(function, *args):
    worker = threading.Thread(target=function, args=args)
    worker.start()
    worker.join()


def main():
    x = ones(3)
    for n in (1, 2):
        static(x, n)
    for rate in (0.1, 0.2):
        configured(x, config=Config(4, rate))
    for n in (3, 5):
        typed({"shape": [ones(n)]})
    for kind in ("float32", "int32"):
        typed({"dtype": ones(4, kind)})
    for value in (1.0, np.float32(1)):
        typed({"weak": value})
    for state in ({"structure": x}, {"structure": x, "more": x}):
        typed(state)
    for name in ("a", "b"):
        typed({"node": Layer(x, name)})
    for array in (jnp.asarray(ones(6)), jax.device_put(ones(6), jax.devices()[0])):
        typed({"sharding": array})
    for precision in ("bfloat16", "float32"):
        with jax.default_matmul_precision(precision):
            typed({"context": x})
    for _ in range(2):
        scanned(x, 0.5)
    for rate in (0.1, 0.2):
        captured(x, rate)
    for _ in range(2):
        fresh(x)
    for n in (3, 4):
        lax.integer_pow(x, n)
    for _ in range(2):
        jax.grad(total)(x)
    for _ in range(2):
        jax.vmap(total)(ones((2, 3)))
    double = wrapped(lambda v, scale: v * scale)
    for n in (3, 5):
        double(ones(n), scale=2.0)
    for n in (3, 5):
        jax.pmap(lambda v: v * 3)(ones((1, n)))
    for n in (3, 5):
        typed.lower({"ahead": ones(n)}).compile()
    for n in (3, 5):
        in_a_thread(typed, {"thread": ones(n)})  # no line of ours on its stack: that of `typed` stands for it


main()
