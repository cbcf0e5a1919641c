"""Trainers whose model and settings are objects of classes of the file: numbers, and lists of numbers, that stay."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class Config:
    hidden: int = 8
    rate: float = 0.1
    steps: int = 8


class Model:
    def __init__(self, sizes, scale):
        self.sizes = sizes
        self.scale = scale

    def apply(self, params, x):
        for i in range(len(self.sizes) - 1):
            x = jnp.tanh(self.scale * (x @ params[i]))
        return x


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.params = [jnp.ones((m, n)) for m, n in zip(model.sizes[:-1], model.sizes[1:])]

    def loss_of(self, params, x):
        return jnp.mean(self.model.apply(params, x) ** 2)

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, params, x, rate):
        value, gradients = jax.value_and_grad(self.loss_of)(params, x)
        params = jax.tree.map(lambda p, g: p - rate * g, params, gradients)
        return params, value

    def train_step(self, x):
        self.params, value = self._train_step(self.params, x, self.config.rate)
        return value


class Deepening:
    """Its list of sizes grows between the steps."""

    def __init__(self, sizes):
        self.sizes = sizes
        self.params = [jnp.ones((3, 3))]

    def deepen(self):
        self.sizes.append(3)
        self.params = [*self.params, jnp.ones((3, 3))]

    def loss_of(self, params, x):
        for i in range(len(self.sizes) - 1):
            x = jnp.tanh(x @ params[i])
        return jnp.mean(x**2)

    def train_step(self, x):
        value, gradients = jax.value_and_grad(self.loss_of)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, gradients)
        return value


def main(xs):
    config = Config()
    trainer = Trainer(Model([3, config.hidden, 1], config.rate), config)
    for x in xs:
        trainer.train_step(x)
    deepening = Deepening([3, 3])
    for x in xs:
        deepening.train_step(x)
        deepening.deepen()
    return trainer.params, deepening.params


if __name__ == "__main__":
    main([jnp.ones((4, 3)) for _ in range(8)])
