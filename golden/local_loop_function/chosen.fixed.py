"""Functions that a condition chooses from, wrapped in what another file returns, or handed to an alias of `scan`."""

import jax
import jax.numpy as jnp
from bars import progress_bar
from jax import lax
from jaxfix_helpers import retrace


def plain_scan(f, init, xs):
    ys = []
    for x in xs:
        init, y = f(init, x)
        ys.append(y)
    return init, ys


def _through_an_alias_body(c, x):
    return c * 0.5 + x, c


def through_an_alias(x, verbose=False):
    scan = plain_scan if verbose else jax.lax.scan
    return scan(_through_an_alias_body, x, jnp.ones((4, 3)))[0]


def lifting_through_an_alias(x, rate, verbose=False):
    def body(c, x):
        return c * rate + x, c

    scan = plain_scan if verbose else jax.lax.scan
    return scan(body, x, jnp.ones((4, 3)))[0]


def _one_of_two_damp(c, x):
    return 0.5 * c + x, None


def _one_of_two_free(c, x):
    return c + x, None


def one_of_two(x, damped):
    return lax.scan(_one_of_two_damp if damped else _one_of_two_free, x, jnp.ones((4, 3)))[0]


def with_a_bar(x, n):
    def body(c, i):
        return 0.5 * c + i, None

    return retrace(lax.scan)(progress_bar(n)(body), x, jnp.arange(n))[0]


def _nobody_reads_the_carry_body(carry, i):
    c, rate = carry
    return (rate * c + i, rate), c


def nobody_reads_the_carry(x, rate):
    _, ys = lax.scan(_nobody_reads_the_carry_body, (x, rate), jnp.arange(4.0))
    return ys


def _nobody_reads_the_count_cond(carry):
    state, _ = carry
    return state[0] < 3


def _nobody_reads_the_count_body(carry):
    state, rate = carry
    count, y = state
    return (count + 1, rate * y), rate


def nobody_reads_the_count(x, rate):
    _, y = lax.while_loop(_nobody_reads_the_count_cond, _nobody_reads_the_count_body, ((0, x), rate))[0]
    return y


def module_body(c, x):
    return c + x, None


def one_that_stays(x, verbose=False):
    scan = plain_scan if verbose else jax.lax.scan
    return scan(module_body, x, jnp.ones((4, 3)))[0]


def wrapped_once_for_all(x, n):
    return lax.scan(STEADY, x, jnp.arange(n))[0]


STEADY = progress_bar(5)(module_body)
