# Objects that are made of the fields of others of their class.
import copy as copy_2
import functools

import jax
import jax.numpy as jnp


class Rates:
    """Of two numbers, or of those of another one."""

    def __init__(self, first, scale):
        self.first = first
        self.scale = scale

    def copy(self):
        return Rates(self.first, self.scale)

    def loss(self, params, batch):
        return jnp.sum((batch @ params) ** 2) * self.scale

    @functools.partial(jax.jit, static_argnums=0)
    def _step(self, params, batch, first, scale):
        new = copy_2.copy(self)
        new.first = first
        new.scale = scale
        gradient = jax.grad(new.loss)(params, batch)
        return params - new.first * gradient

    def step(self, params, batch):
        return self._step(params, batch, self.first, self.scale)


@jax.jit
def _nested_step(batch, params, rate):
    gradient = jax.grad(lambda p: jnp.sum((batch @ p) ** 2))(params)
    return params - rate * gradient


class Nested:
    """It holds another one, that is made with the same."""

    def __init__(self, rate, depth):
        self.rate = rate
        self.inner = Nested(rate, depth - 1) if depth else None

    def nested_step(self, params, batch):
        return _nested_step(batch, params, self.rate)


@jax.jit
def _copied_step(batch, params, rate):
    gradient = jax.grad(lambda p: jnp.sum((batch @ p) ** 2))(params)
    return params - rate * gradient


class Copied:
    """Nothing says what the first of them is made with."""

    def __init__(self, rate):
        self.rate = rate

    def copy(self):
        return Copied(self.rate)

    def copied_step(self, params, batch):
        return _copied_step(batch, params, self.rate)


def main(batches, copied: Copied):
    rates, nested = Rates(0.1, 2).copy(), Nested(0.1, 3)
    one = two = three = jnp.ones((64, 64))
    for batch in batches:
        one = rates.step(one, batch)
        two = nested.nested_step(two, batch)
        three = copied.copy().copied_step(three, batch)
    return one, two, three


print(main([jnp.ones((64, 64))] * 100, Copied(jnp.ones(()))))
