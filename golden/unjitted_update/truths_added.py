"""Truth values that a step is passed are counted by Python, and not in the step."""

import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


def stepped(w, x, warm, restart):
    slopes = jax.grad(loss_of)(w, x)
    votes = (warm + restart) * 0.5
    return w - 0.1 * slopes - votes * 0.01


def train(x, period):
    w = jnp.zeros(3)
    for number in range(10):
        w = stepped(w, x, number < 4, number % period == 5)  # want: unjitted-update
    return w


def inverted(w, x, flag: bool):
    slopes = jax.grad(loss_of)(w, x)
    return w - 0.1 * slopes * (2 + ~flag)


def one_alone(w, x, warm):
    slopes = jax.grad(loss_of)(w, x)
    return w - 0.1 * slopes * (1 + warm)


def train_others(x):
    w = jnp.zeros(3)
    for number in range(10):
        w = inverted(w, x, number > 4)  # want: unjitted-update
        w = one_alone(w, x, number > 4)  # want: unjitted-update
    return w


if __name__ == "__main__":
    x = jnp.linspace(-1, 1, 12).reshape(4, 3)
    print(train(x, 6), train_others(x))
