"""Attributes whose assignment runs code of the class, each time; and such as hold what they are assigned."""

import dataclasses

import jax
import jax.numpy as jnp


class Bounded:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return getattr(owner, self.name)

    def __set__(self, owner, value):
        setattr(owner, self.name, jnp.clip(value, -5.0, 5.0))


class Described:
    weights = Bounded()

    def __init__(self):
        self.weights = jnp.zeros(3)

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


class Guarded:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, jnp.minimum(value, 4.0) if name == "weights" else value)


class Derived(Guarded):
    def __init__(self):
        self.weights = jnp.zeros(3)

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


class Later:
    def __init__(self):
        self._weights = jnp.ones(3)

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


def _get(self):
    return self._weights / jnp.linalg.norm(self._weights)


def _set(self, value):
    self._weights = value


Later.weights = property(_get, _set)


class ByName:
    def __init__(self):
        self._weights = jnp.ones(3)

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


setattr(ByName, "weights", property(_get, _set))


class Found:
    def __init__(self):
        self.held = {"weights": jnp.ones(3)}

    def __getattr__(self, name):
        return self.held[name] * 0.5

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


class Plain:
    weights = None
    scale: float = dataclasses.field(default=0.1)

    def __init__(self):
        self.weights = jnp.zeros(3)

    def update(self, x):
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(self.weights)
        self.weights = self.weights - 0.1 * slopes
        self.weights = self.weights * 0.99


def train(xs):
    described, derived, later, named, found, plain = Described(), Derived(), Later(), ByName(), Found(), Plain()
    for x in xs:
        described.update(x)  # want: unjitted-update (no fix): `Described.weights` may compute
    for x in xs:
        derived.update(x)  # want: unjitted-update (no fix): `Guarded.__setattr__` runs
    for x in xs:
        later.update(x)  # want: unjitted-update (no fix): `Later.weights` may compute
    for x in xs:
        named.update(x)  # want: unjitted-update (no fix): `ByName.weights` may compute
    for x in xs:
        found.update(x)  # want: unjitted-update (no fix): `Found.__getattr__` runs
    for x in xs:
        plain.update(x)  # want: unjitted-update
    for x in xs:
        slopes = jax.grad(lambda w: jnp.sum((w * x - 9.0) ** 2))(described.weights)  # want: unjitted-update
        described.weights = described.weights - 0.1 * slopes
        described.weights = described.weights * 0.99
    return described, derived, later, named, found, plain


if __name__ == "__main__":
    print([each.weights for each in train([jnp.ones(3)] * 9)])
