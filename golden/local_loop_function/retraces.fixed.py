"""What can neither be moved nor be lifted is traced at every call, and compiled once for what it computes."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace

CONFIG = {"scale": 1.0}
log = []


def set_scale(scale):
    CONFIG["scale"] = scale


def reads_changing_global(x):
    def body(i, v):
        return v * CONFIG["scale"]

    return retrace(lax.fori_loop)(0, 1, body, x)


def logs_at_trace_time(x):
    def body(i, v):
        log.append(i)
        return v

    return retrace(lax.fori_loop)(0, 1, body, x)


def default_of_the_caller(x):
    k = 2.0

    def body(i, v, k=k):
        return v * k

    return retrace(lax.fori_loop)(0, 1, body, x)


def local_import(x):
    import jax.numpy as np

    def body(i, v):
        return np.sin(v)

    return retrace(lax.fori_loop)(0, 1, body, x)


def conditional(x, flag):
    if flag:

        def body(i, v):
            return v + 1

    else:

        def body(i, v):
            return v * 2

    return retrace(lax.fori_loop)(0, 1, body, x)


class Mangled:
    def __init__(self):
        self.__rate = 3.0

    def run(self, x):
        def body(i, v):
            return v * self.__rate

        return retrace(lax.fori_loop)(0, 1, body, x)


class Stateful:
    rate = 1.0

    def run(self, x):
        def body(i, v):
            return v * self.rate

        return retrace(lax.fori_loop)(0, 1, body, x)

    def step(self, i, v):
        return v * self.rate

    def run_bound(self, x):
        return retrace(lax.fori_loop)(0, 1, self.step, x)

    @classmethod
    def of_class(cls, x):
        return retrace(lax.fori_loop)(0, 1, lambda i, v: v * cls.rate, x)


def calls_a_captured_function(fn, x):
    def body(i, v):
        return v - 0.1 * jax.grad(fn)(v)

    return retrace(lax.fori_loop)(0, 3, body, x)


def hands_keywords_on(fn, x, **settings):
    def keep_going(state):
        return state[1] < 10

    def body(state):
        value, count = state
        return fn(value, **settings), count + 1

    # As long as the count says.
    return retrace(jax.lax.while_loop)(
        keep_going,
        body,
        (x, 0),  # from the start
    )


def uses_a_length(x, n):
    def body(i, v):
        return v + jnp.zeros(n)

    return retrace(lax.fori_loop)(0, 3, body, x)


def takes_a_slice(x, n):
    return retrace(lax.cond)(x.sum() > 0, lambda v: v[:n], lambda v: -v[:n], x)


def asks_for_the_type(x, k):
    def body(i, v):
        return v * (2 if isinstance(k, int) else 3)

    return retrace(lax.fori_loop)(0, 3, body, x)


def raises_to_a_power(x, k):
    return retrace(lax.fori_loop)(0, 3, lambda i, v: v**k, x)


def partially_applied(x, k):
    return retrace(lax.fori_loop)(0, 3, functools.partial(scaled, k), x)


def scaled(k, i, v):
    return k * v


def mapped(xs, k):
    return retrace(lax.map)(lambda v: v * k, xs)


def mapped_by_what_is_kept(xs):
    return retrace(lax.map)(jnp.sin, xs)


def keeps_it(x):
    def body(i, v):
        return v * 0.5

    return retrace(lax.fori_loop)(0, 3, body, x), body


def widen(step):
    def body(v):
        return v + step

    return body


def made_elsewhere(x, width):
    def cond(v):
        return v < 9

    return retrace(lax.while_loop)(cond, widen(width), x)


def make_update(fn, width):
    def update(x):
        def body(i, v):
            return fn(v) + width

        return retrace(lax.fori_loop)(0, 3, body, x)

    return update


def descend(x, fn):
    def body(state):
        if state.shape[0] > 2:
            return body(state[:2])
        return fn(state)

    return retrace(lax.while_loop)(lambda v: v.sum() < 3, body, x)


async def awaited(x, fn):
    return retrace(lax.scan)(lambda c, v: (fn(c), v), await x, None, length=3)


def steps(x, fn):
    while True:
        x = yield retrace(lax.cond)(x.sum() > 0, lambda v: fn(v), lambda v: v, x)
