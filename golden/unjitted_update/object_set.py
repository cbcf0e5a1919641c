"""A size of an object that code sets by the name of the attribute, in a call of another method or through a function."""

import functools

import jax
import jax.numpy as jnp


class Spec:
    def __init__(self, window):
        self.window = window


class Model:
    def __init__(self, spec):
        self.spec = spec
        self.w = jnp.ones(3)
        self.m = jnp.zeros(3)

    def loss(self, w, x):
        return jnp.mean((x[: self.spec.window] @ w - 1) ** 2)

    def step(self, x):
        g = jax.grad(self.loss)(self.w, x)
        self.m = 0.9 * self.m + g
        self.w = self.w - 0.01 * self.m


def fit(model, after):
    for k in range(12):
        model.step(jnp.arange(12.0).reshape(4, 3) * k / 80)  # want: unjitted-update (no fix): rebinds `window`, by its name
        after(k)


class Wide:
    def __init__(self, columns):
        self.columns = columns
        self.w = jnp.ones(3)
        self.m = jnp.zeros(3)

    def loss(self, w, x):
        return jnp.mean((x[: self.columns] @ w - 1) ** 2)

    def step_all(self, x):
        g = jax.grad(self.loss)(self.w, x)
        self.m = 0.9 * self.m + g
        self.w = self.w - 0.01 * self.m


def fit_wide(model, widen):
    for k in range(12):
        model.step_all(jnp.arange(12.0).reshape(4, 3) * k / 80)  # want: unjitted-update (no fix): rebinds `columns`, by its name
        widen(1 + k % 3)


if __name__ == "__main__":
    spec = Spec(2)
    model = Model(spec)
    fit(model, lambda k: spec.__setattr__("window", 1 + k % 3))
    wide = Wide(2)
    fit_wide(wide, functools.partial(setattr, wide, "columns"))
    print(model.w, wide.w)
