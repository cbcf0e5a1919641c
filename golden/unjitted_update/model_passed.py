# Callers pass the method that applies a model: it is a static argument.
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Net(nn.Module):
    width: int = 64

    def setup(self):
        self.hidden = nn.Dense(self.width)
        self.last = nn.Dense(1)

    def __call__(self, x):
        self.sow("intermediates", "x", x)
        return self.last(nn.relu(self.hidden(x)))


def loss_of(params, x, y, apply):
    prediction = apply(params, x)
    return jnp.mean((prediction - y) ** 2)


@partial(jax.jit, static_argnames=("apply", "optimizer"))
def update(params, state, x, y, apply, optimizer):
    gradients = jax.grad(loss_of)(params, x, y, apply)
    updates, state = optimizer.update(gradients, state)
    return optax.apply_updates(params, updates), state


def evaluate(params, batches, apply):
    total = 0.0
    for x, y in batches:
        total += loss_of(params, x, y, apply)  # want: unjitted-update
    return total / len(batches)


def accuracy(params, batches, apply_fn):
    correct = jnp.zeros(())
    for x, y in batches:
        scores = apply_fn(params, x)  # want: unjitted-update
        correct = correct + jnp.sum(jnp.argmax(scores, axis=-1) == y)
    return correct


def sample(params, predict, key):
    x = jax.random.normal(key, (16, 3))
    for step in range(100):
        noise = predict(params, x)  # want: unjitted-update
        x = x - 0.1 * noise
    return x


def main():
    model = Net()
    optimizer = optax.adam(1e-3)
    params = model.init(jax.random.key(0), jnp.ones((1, 3)))
    state = optimizer.init(params)
    batches = [(jnp.ones((4, 3)), jnp.ones((4, 1)))] * 20
    update_fn = partial(update, apply=model.apply, optimizer=optimizer)
    for seed in range(10):
        for x, y in batches:
            params, state = update_fn(params, state, x, y)
        print(evaluate(params, batches, model.apply))
        print(accuracy(params, batches, model.apply))
        print(sample(params, model.apply, jax.random.key(seed)))


main()
