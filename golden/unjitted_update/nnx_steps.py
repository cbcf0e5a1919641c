"""Steps of `flax.nnx` change their model in place: `nnx.jit` carries that out."""

import jax.numpy as jnp
import optax
from flax import nnx


def loss_of(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def train_step(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)
    return loss


gradients_of = nnx.grad(loss_of)


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def fit(self, x, y, steps):
        for _ in range(steps):
            gradients = gradients_of(self.model, x, y)  # want: unjitted-update
            self.optimizer.update(self.model, gradients)


def train(model, optimizer, x, y):
    for step in range(100):
        loss = train_step(model, optimizer, x, y)  # want: unjitted-update
        if step % 10 == 0:
            print(step, loss)


def train_in_place(model, optimizer, x, y):
    for _ in range(100):
        loss, gradients = nnx.value_and_grad(loss_of)(model, x, y)  # want: unjitted-update
        optimizer.update(model, gradients)
    print(loss)


# What `nnx.jit` does otherwise, or refuses: an object that comes back, one from around, a count in Python, a print.
def returning(model, optimizer, x, y):
    gradients = nnx.grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)
    return model


shared = nnx.Linear(3, 1, rngs=nnx.Rngs(1))
its_optimizer = nnx.Optimizer(shared, optax.adam(1e-3), wrt=nnx.Param)


def from_around(x, y):
    gradients = nnx.grad(loss_of)(shared, x, y)
    its_optimizer.update(shared, gradients)


def counting(model, optimizer, x, y):
    gradients = nnx.grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)
    model.steps += 1


def printing(model, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)
    print(loss)


def train_otherwise(model, optimizer, x, y):
    for _ in range(100):
        model = returning(model, optimizer, x, y)  # want: unjitted-update (no fix): it returns `model`, which would be another object
        from_around(x, y)  # want: unjitted-update (no fix): which is not an argument
        counting(model, optimizer, x, y)  # want: unjitted-update (no fix): it changes `model.steps`
        printing(model, optimizer, x, y)  # want: unjitted-update (no fix): it passes `loss` to `print`


# Under `nnx.jit` already, by its decorator or where it is called.
@nnx.jit
def jitted_step(model, optimizer, x, y):
    gradients = nnx.grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)


def step(model, optimizer, x, y):
    gradients = nnx.grad(loss_of)(model, x, y)
    optimizer.update(model, gradients)


jitted = nnx.jit(step)


def train_jitted(model, optimizer, x, y):
    for _ in range(100):
        jitted_step(model, optimizer, x, y)
        jitted(model, optimizer, x, y)


# A few steps, and one.
def few(model, optimizer, x, y):
    for _ in range(3):
        gradients = nnx.grad(loss_of)(model, x, y)
        optimizer.update(model, gradients)


def once(model, optimizer, x, y):
    optimizer.update(model, nnx.grad(loss_of)(model, x, y))


def main():
    model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    x, y = jnp.ones((8, 3)), jnp.ones((8, 1))
    train(model, optimizer, x, y)
    train_in_place(model, optimizer, x, y)
    train_jitted(model, optimizer, x, y)
    train_otherwise(model, optimizer, x, y)
    Trainer(model, optimizer).fit(x, y, 100)
    few(model, optimizer, x, y)
    once(model, optimizer, x, y)


if __name__ == "__main__":
    main()
