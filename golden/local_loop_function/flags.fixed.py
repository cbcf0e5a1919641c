"""Truth values of the caller that are added, or inverted, are no arrays of a carry: there a sum of them is `or`."""

import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace


def adds_flags(x, hot, cold):
    def body(i, v):
        return v * 0.9 + (hot + cold) * 0.1

    return retrace(lax.fori_loop)(0, 5, body, x)


class Gate:
    def __init__(self, wide):
        self.wide = wide


def adds_a_flag_and_what_is_unknown(x, gate, fast):
    wide = gate.wide

    def body(c, v):
        return c + v * (fast + wide), c

    return retrace(lax.scan)(body, jnp.zeros(()), x)


def _multiplies_by_a_flag_body(i, carry):
    v, fast = carry
    return v * 0.9 + fast * 0.1, fast


def multiplies_by_a_flag(x, fast):
    return lax.fori_loop(0, 5, _multiplies_by_a_flag_body, (x, fast))[0]


def main():
    for hot in (True, False):
        for cold in (True, False):
            print(adds_flags(jnp.zeros(2), hot, cold))
            print(adds_a_flag_and_what_is_unknown(jnp.arange(3.0), Gate(cold), hot))
            print(multiplies_by_a_flag(jnp.zeros(2), hot))


main()
