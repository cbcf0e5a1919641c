# Objects that are made of the fields of others of their class.
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

    def step(self, params, batch):
        gradient = jax.grad(self.loss)(params, batch)
        return params - self.first * gradient


class Nested:
    """It holds another one, that is made with the same."""

    def __init__(self, rate, depth):
        self.rate = rate
        self.inner = Nested(rate, depth - 1) if depth else None

    def nested_step(self, params, batch):
        gradient = jax.grad(lambda p: jnp.sum((batch @ p) ** 2))(params)
        return params - self.rate * gradient


class Copied:
    """Nothing says what the first of them is made with."""

    def __init__(self, rate):
        self.rate = rate

    def copy(self):
        return Copied(self.rate)

    def copied_step(self, params, batch):
        gradient = jax.grad(lambda p: jnp.sum((batch @ p) ** 2))(params)
        return params - self.rate * gradient


def main(batches, copied: Copied):
    rates, nested = Rates(0.1, 2).copy(), Nested(0.1, 3)
    one = two = three = jnp.ones((64, 64))
    for batch in batches:
        one = rates.step(one, batch)  # want: unjitted-update
        two = nested.nested_step(two, batch)  # want: unjitted-update
        three = copied.copy().copied_step(three, batch)  # want: unjitted-update
    return one, two, three


print(main([jnp.ones((64, 64))] * 100, Copied(jnp.ones(()))))
