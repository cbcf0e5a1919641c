"""A model whose list of sizes the caller goes on with: what it holds may change between the steps."""

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

    def train_step(self, x):
        value, gradients = jax.value_and_grad(self.loss_of)(self.params, x)
        self.params = jax.tree.map(lambda p, g: p - self.config.rate * g, self.params, gradients)
        return value


def main(xs):
    sizes = [3, 1]
    trainer = Trainer(Model(sizes, 1.0), Config())
    for x in xs:
        trainer.train_step(x)  # want: unjitted-update (no fix): `sizes` is changed in place
        sizes.append(1)
    return trainer.params


if __name__ == "__main__":
    main([jnp.ones((4, 3)) for _ in range(8)])
