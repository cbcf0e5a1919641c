"""Methods whose object may be another thing at a later step, or that `jit` cannot take as a static argument."""

import abc
import copy
import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


class Decaying:
    def __init__(self, rate):
        self.rate = rate

    def decayed(self, params, batch):
        return params - self.rate * jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.decayed(params, batch)  # want: unjitted-update
            self.rate *= 0.9
        return params


class FromOutside:
    def __init__(self, rate):
        self.speed = rate

    def outer(self, params, batch):
        return params - self.speed * jax.grad(loss_of)(params, batch)


def slowing(params, batches):
    trainer = FromOutside(0.1)
    for number, batch in enumerate(batches):
        trainer.speed = 0.1 / (1 + number)
        params = trainer.outer(params, batch)  # want: unjitted-update
    return params


class Configured:
    def __init__(self):
        self.config = {"factor": 0.1}
        self.target = jnp.ones(3)

    def by_config(self, params, batch):
        return params - self.config["factor"] * jax.grad(loss_of)(params, batch)

    def to_target(self, params, batch):
        return params - jax.grad(loss_of)(params - self.target, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.by_config(params, batch)  # want: unjitted-update
            params = self.to_target(params, batch)  # want: unjitted-update
            self.config["factor"] *= 0.9
        return params


class Noisy:
    def __init__(self):
        self.generator = np.random.default_rng(0)

    def jittered(self, params, batch):
        return params - jax.grad(loss_of)(params, batch) * self.generator.normal(batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.jittered(params, batch)  # want: unjitted-update (no fix): `self.generator.normal`, which returns a different value
        return params


class Sampling:
    def __init__(self, buffer):
        self.buffer = buffer

    def sampled(self, params):
        return params - jax.grad(loss_of)(params, self.buffer.sample(32))

    def fit(self, params, count):
        for _ in range(count):
            params = self.sampled(params)  # want: unjitted-update (no fix): `self.buffer.sample`, which may return a different value
        return params


@dataclasses.dataclass
class Compared:
    factor: float

    def compared(self, params, batch):
        return params - self.factor * jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.compared(params, batch)  # want: unjitted-update
        return params


class Equal:
    def __init__(self, strength):
        self.strength = strength

    def __eq__(self, other):
        return isinstance(other, Equal)

    def equal(self, params, batch):
        return params - self.strength * jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.equal(params, batch)  # want: unjitted-update
        return params


class Module(eqx.Module):
    weight: jax.Array

    def module_step(self, params, batch):
        return params - jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.module_step(params, batch)  # want: unjitted-update
        return params


class Made:
    def __init__(self, level):
        self.level = level

    def made(self, params, batch):
        return params - self.level * jax.grad(loss_of)(params, batch)


def sweep(params, batches):
    found = []
    for level in (0.1, 0.2, 0.3):
        trainer = Made(level)
        for batch in batches:
            params = trainer.made(params, batch)  # want: unjitted-update
        found.append(params)
    return found


class Copied:
    def __init__(self, share):
        self.share = share

    def shared(self, params, batch):
        return params - helper(self, jax.grad(loss_of)(params, batch))

    def fit(self, params, batches):
        for batch in batches:
            params = self.shared(params, batch)  # want: unjitted-update (no fix): passes all of `self` on
        return params


def helper(trainer, gradients):
    return copy.copy(trainer).share * gradients


class Base(abc.ABC):
    @abc.abstractmethod
    def inner_loss(self, params, batch): ...

    def inner_step(self, params, batch):
        return params - jax.grad(self.inner_loss)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.inner_step(params, batch)  # want: unjitted-update (no fix): `inner_loss`, which it uses: it calls `print`
        return params


class Printing(Base):
    def inner_loss(self, params, batch):
        print(params)
        return loss_of(params, batch)


class Again:
    def __init__(self, amount):
        self.amount = amount

    def again(self, params, batch):
        return params - self.amount * jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for number, batch in enumerate(batches):
            self.__dict__["amount"] = 0.1
            params = self.again(params, batch)  # want: unjitted-update
        return params


class Handed:
    def handed(self, params, batch):
        return params - jax.grad(loss_of)(params, batch)

    def fit(self, params, batches):
        for batch in batches:
            params = self.handed(params, batch)  # want: unjitted-update
        return params


TRAINERS = {"handed": Handed}


def scaled(gradients):
    return gradients * SCALE


def told(name, gradients):
    print(name)
    return gradients


SCALE = 1.0


class Given:
    """Holds functions, of which one reads what changes, and one speaks."""

    def __init__(self, change):
        self.change = change
        self.tell = functools.partial(told, "step")

    def changed(self, params, batch):
        return params - self.change(jax.grad(loss_of)(params, batch))

    def loud(self, params, batch):
        return params - self.tell(jax.grad(loss_of)(params, batch))

    def fit(self, params, batches):
        global SCALE
        for batch in batches:
            params = self.changed(params, batch)  # want: unjitted-update (no fix): `self.change` holds a function: it reads `SCALE`
            params = self.loud(params, batch)  # want: unjitted-update (no fix): `self.tell` holds a function: it calls `print`
            SCALE *= 0.9
        return params


class Warmed:
    """Another class sets its rate, in a method that has no object of its own."""

    def __init__(self, rate):
        self.rate = rate

    def warmed(self, params, batch):
        return params - self.rate * jax.grad(loss_of)(params, batch)


class Schedule:
    @staticmethod
    def set(trainer, rate):
        trainer.rate = rate


class Drawing:
    def __init__(self):
        self.seen = []

    def loss(self, params):
        self.seen = []
        return loss_of(params, np.random.uniform(size=3))

    def fit(self, params, count):
        gradient = jax.value_and_grad(self.loss)
        for number in range(count):
            value, gradients = gradient(params)  # want: unjitted-update (no fix): reads its object
            params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
            print(number, value)
        return params


def warming(params, batches):
    trainer = Warmed(0.1)
    for number, batch in enumerate(batches):
        Schedule.set(trainer, 0.1 / (number + 1))
        params = trainer.warmed(params, batch)  # want: unjitted-update
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    Decaying(0.1).fit(jnp.ones(3), batches)
    slowing(jnp.ones(3), batches)
    Configured().fit(jnp.ones(3), batches)
    Noisy().fit(jnp.ones(3), batches)
    Sampling(None).fit(jnp.ones(3), 4)
    Compared(0.1).fit(jnp.ones(3), batches)
    Equal(0.1).fit(jnp.ones(3), batches)
    Module(jnp.ones(3)).fit(jnp.ones(3), batches)
    sweep(jnp.ones(3), batches)
    Copied(0.1).fit(jnp.ones(3), batches)
    Printing().fit(jnp.ones(3), batches)
    Again(0.1).fit(jnp.ones(3), batches)
    TRAINERS["handed"]().fit(jnp.ones(3), batches)
    Given(scaled).fit(jnp.ones(3), batches)
    warming(jnp.ones(3), batches)
    Drawing().fit(jnp.ones(3), 4)
