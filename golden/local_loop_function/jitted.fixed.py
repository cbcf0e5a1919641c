"""Where nothing can move and the function around the call can be traced as a whole, that is what is compiled once."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace

RATES = [0.5]


def _scaled(rate, index, value):
    return rate * value


@jax.jit
def _smooth(x, rate):
    x = lax.fori_loop(0, 3, functools.partial(_scaled, rate), x)
    return lax.map(lambda v: v * rate, x)


@jax.jit
def _slope(x, rate):
    return jax.vmap(lambda v: lax.scan(lambda c, y: (c * y + rate, c), 1.0, v)[0])(x)


def _reads_what_changes(x):
    return retrace(lax.fori_loop)(0, 3, functools.partial(_scaled, RATES[0]), x)


def _goes_round(x, rate):
    for _ in range(10):
        x = retrace(lax.fori_loop)(0, 3, functools.partial(_scaled, rate), x)
    return x


def main(steps):
    x = jnp.arange(4.0)
    for step in range(steps):
        rate = jnp.float32(step)
        RATES[0] = 0.1 * step
        x = _reads_what_changes(_goes_round(_smooth(x, rate), rate))
        x = x + _slope(jnp.stack([x, x]), rate)[0]
    return x


if __name__ == "__main__":
    main(3)
