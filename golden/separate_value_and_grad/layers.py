"""Models of `flax.nnx` whose layers count nothing."""

import jax
import jax.numpy as jnp
from flax import nnx


class Perceptron(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(4, 8, rngs=rngs)
        self.last = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.first(x)))


def loss_of(model, x):
    return jnp.mean(model(x) ** 2)


def train(xs):
    model = Perceptron(nnx.Rngs(0))
    for x in xs:
        loss = loss_of(model, x)
        grads = nnx.grad(loss_of)(model, x)  # want: separate-value-and-grad
        nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model, nnx.Param), grads))
        print(loss)
    return model


def train_under_jit(xs):
    model = Perceptron(nnx.Rngs(0))
    compute_loss = nnx.jit(loss_of)
    compute_grads = nnx.jit(nnx.grad(loss_of))
    for x in xs:
        loss = compute_loss(model, x)
        grads = compute_grads(model, x)  # want: separate-value-and-grad
        nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model, nnx.Param), grads))
        print(loss)
    return model


class Counting(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(4, 1, rngs=rngs)
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.layer(x)


def train_counting(xs):
    model = Counting(nnx.Rngs(0))
    for x in xs:
        loss = loss_of(model, x)
        grads = nnx.grad(loss_of)(model, x)  # want: separate-value-and-grad (no fix): may count its calls
        print(loss, grads)
    return model


def train_before_the_value(xs):
    model = Perceptron(nnx.Rngs(0))
    for x in xs:
        grads = nnx.grad(loss_of)(model, x)
        nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model, nnx.Param), grads))
        print(loss_of(model, x))  # want: separate-value-and-grad (no fix): may change `model`
    return model


if __name__ == "__main__":
    train([jnp.ones((2, 4))] * 4)
