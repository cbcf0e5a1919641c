"""A layer that draws numbers: two calls of the model are not one."""

import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(4, 1, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.layer(x))


def loss_of(model, x):
    return jnp.mean(model(x) ** 2)


def train(xs):
    model = Noisy(nnx.Rngs(0))
    for x in xs:
        loss = loss_of(model, x)
        grads = nnx.grad(loss_of)(model, x)  # want: separate-value-and-grad (no fix): draw from its own key
        print(loss, grads)
    return model
