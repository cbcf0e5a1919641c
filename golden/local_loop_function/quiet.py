"""Look-alikes: nothing is compiled again here."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from registry import remembered_once, shared_cache


def body(i, v):
    return v * 0.5


once = functools.partial(body)


def module_level_function(x):
    return lax.fori_loop(0, 3, body, x)


def partial_made_once(x):
    return lax.fori_loop(0, 3, once, x)


def callers_function(x, step):
    return lax.fori_loop(0, 3, step, x)


@jax.jit
def under_jit(x):
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, x)


@functools.partial(jax.jit, static_argnames=("n",))
def under_partial_jit(x, n):
    def local(i, v):
        return v * n

    return lax.fori_loop(0, 3, local, x)


def _helper(x):
    return lax.cond(x.sum() > 0, lambda v: v, lambda v: -v, x)


@jax.jit
def only_caller(x):
    return _helper(x)


def not_control_flow(xs):
    total = lax.associative_scan(lambda a, b: a + b, xs)
    return jax.vmap(lambda v: v * 2)(total)


def made_by_a_factory(rate):
    def step(i, v):
        return v * rate

    def run(x):
        return lax.fori_loop(0, 3, step, x)

    return run


def inside_another_loop(xs):
    def outer(carry, x):
        return lax.fori_loop(0, 3, lambda i, v: v + x, carry), None

    return lax.scan(_outer_body, jnp.zeros(()), xs), jax.jit(outer)


def _outer_body(carry, x):
    return lax.cond(x > 0, lambda v: v, lambda v: -v, carry), None


def silenced(x):
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, x)  # jaxfix: ignore[local-loop-function]


class Attributes:
    halve = staticmethod(lambda i, v: v * 0.5)

    def __init__(self, step):
        self.given = step

    @staticmethod
    def double(i, v):
        return v * 2

    def static_methods(self, x):
        return lax.fori_loop(0, 3, self.double, lax.fori_loop(0, 3, self.halve, x))

    def callers_function(self, x):
        return lax.fori_loop(0, 3, self.given, x)


class scan:
    """Not the one of `jax.lax`."""

    def scan(self, f, x):
        return f(x)


def another_scan(x):
    return scan().scan(lambda v: v, x)


def _energy(x):
    return lax.scan(lambda c, v: (c + v, None), 0.0, x)[0]


_slope = jax.grad(_energy)


@jax.jit
def jitted_gradient(x):
    return x - _slope(x)


def gradient_of_jitted(x):
    return jax.grad(jax.jit(_energy))(x), jax.grad(under_jit)(x), jax.vmap(under_jit)(x)


def remembered_elsewhere(x):
    return lax.fori_loop(0, 3, remembered_once(lambda i, v: v * 0.5), x)


def remembered_elsewhere_by_name(x):
    return lax.fori_loop(0, 3, shared_cache("half")(lambda i, v: v * 0.5), x)


def gradient_without_a_loop(x):
    return jax.grad(lambda v: jnp.sum(v**2))(x), jax.vmap(jnp.sin)(x)


def mapped_without_a_new_function(xs):
    return jax.vmap(module_level_function)(xs)


def jitted_elsewhere(x):
    run = jax.jit(lambda v: v - jax.grad(_energy)(v))
    return run(x)


gradient_once = jax.grad(_energy)(jnp.ones(3))
lax.fori_loop(0, 3, lambda i, v: v + i, jnp.ones(2))
