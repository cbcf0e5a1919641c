"""A step that reads an object which its own one holds, and which `jit` does not take as an argument."""

import jax
import jax.numpy as jnp


class Schedule:
    def __init__(self, rates):
        self.rates = rates


@jax.jit
def _step(w, m, x, rates):
    g = jax.grad(loss_of)(w, x)
    m = rates[1] * m + g
    w = w - rates[0] * m
    return w, m


class Scheduled:
    def __init__(self, rates):
        self.schedule = Schedule(rates)
        self.w = jnp.ones(3)
        self.m = jnp.zeros(3)

    def step(self, x):
        self.w, self.m = _step(self.w, self.m, x, self.schedule.rates)


def loss_of(w, x):
    return jnp.mean((x @ w - 1) ** 2)


def fit(model, rates):
    for k in range(12):
        model.step(jnp.arange(12.0).reshape(4, 3) * k / 80)
        rates[0] = 0.01 * k


if __name__ == "__main__":
    rates = [0.01, 0.9]
    fit(Scheduled(rates), rates)
