"""Functions that a condition chooses from, wrapped in what another file returns, or handed to an alias of `scan`."""

import jax
import jax.numpy as jnp
from bars import progress_bar
from jax import lax


def plain_scan(f, init, xs):
    ys = []
    for x in xs:
        init, y = f(init, x)
        ys.append(y)
    return init, ys


def through_an_alias(x, verbose=False):
    def body(c, x):
        return c * 0.5 + x, c

    scan = plain_scan if verbose else jax.lax.scan
    return scan(body, x, jnp.ones((4, 3)))[0]  # want: local-loop-function


def lifting_through_an_alias(x, rate, verbose=False):
    def body(c, x):
        return c * rate + x, c

    scan = plain_scan if verbose else jax.lax.scan
    return scan(body, x, jnp.ones((4, 3)))[0]  # want: local-loop-function (no fix): `scan` may be another function


def one_of_two(x, damped):
    def free(c, x):
        return c + x, None

    def damp(c, x):
        return 0.5 * c + x, None

    return lax.scan(damp if damped else free, x, jnp.ones((4, 3)))[0]  # want: local-loop-function


def with_a_bar(x, n):
    def body(c, i):
        return 0.5 * c + i, None

    return lax.scan(progress_bar(n)(body), x, jnp.arange(n))[0]  # want: local-loop-function


def nobody_reads_the_carry(x, rate):
    def body(c, i):
        return rate * c + i, c

    _, ys = lax.scan(body, x, jnp.arange(4.0))  # want: local-loop-function
    return ys


def nobody_reads_the_count(x, rate):
    def body(state):
        count, y = state
        return count + 1, rate * y

    _, y = lax.while_loop(lambda state: state[0] < 3, body, (0, x))  # want: local-loop-function
    return y


def module_body(c, x):
    return c + x, None


def one_that_stays(x, verbose=False):
    scan = plain_scan if verbose else jax.lax.scan
    return scan(module_body, x, jnp.ones((4, 3)))[0]


def wrapped_once_for_all(x, n):
    return lax.scan(STEADY, x, jnp.arange(n))[0]


STEADY = progress_bar(5)(module_body)
