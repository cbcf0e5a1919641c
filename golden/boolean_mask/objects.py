"""What a class of the file selects by a mask need not be what an array does."""

import jax.numpy as jnp


class Prices:
    def __init__(self, values):
        self.values = values

    def __gt__(self, other):
        return self.values > other

    def __getitem__(self, mask):
        return self.values[mask] * 2.0


def upside(p):
    return jnp.sum(p[p > 0])  # want: boolean-mask (no fix): may be an object of `Prices`


def upsides(xs):
    for x in xs:
        print(upside(x), upside(Prices(x)))


def of_an_array(count):
    for number in range(count):
        x = jnp.sin(jnp.arange(9.0) + number)
        print(jnp.sum(x[x > 0]))  # want: boolean-mask
