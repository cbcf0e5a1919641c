# Callers pass a model, and the loop applies it: it is a static argument.
import functools
import pickle

import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.relu(nn.Dense(self.width)(x)))


class Wide(nn.Module):
    widths: list

    @nn.compact
    def __call__(self, x):
        for width in self.widths:
            x = nn.relu(nn.Dense(width)(x))
        return x


class Telling(nn.Module):
    @nn.compact
    def __call__(self, x):
        print(x.shape)
        return nn.Dense(10)(x)


SETTINGS = {"scale": 1.0}


class Scaled(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(x) * SETTINGS["scale"]


class Held(nn.Module):
    owner: object

    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(x) * self.owner.rate


class Owner:
    def __init__(self):
        self.rate = 1.0


@functools.partial(jax.jit, static_argnums=0)
def compute_scores(net, variables, x):
    return net.apply(variables, x)


def evaluate(net, variables, images, labels):
    right = 0
    for x, y in zip(images, labels):
        scores = compute_scores(net, variables, x)
        right += (scores.argmax(-1) == y).sum()
    return right


@functools.partial(jax.jit, static_argnames="model")
def loss_of(params, model, x, y):
    scores = jax.nn.log_softmax(model.apply(params, x))
    return -jnp.mean(scores[jnp.arange(len(y)), y])


def mean_loss(params, model, batches):
    total = jnp.zeros(())
    for x, y in batches:
        total = total + loss_of(params, model, x, y)
    return total / len(batches)


@functools.partial(jax.jit, static_argnums=0)
def denoise_step(denoiser, x, variables):
    noise = denoiser.apply(variables, x)
    return x - 0.1 * jnp.pad(noise, ((0, 0), (0, 10)))


def denoise(variables, x, *, denoiser, steps):
    for _ in range(steps):
        x = denoise_step(denoiser, x, variables)
    return x


# The list is a field of the model: it cannot be hashed.
def evaluate_wide(wide, variables, images, labels):
    right = 0
    for x, y in zip(images, labels):
        scores = jax.nn.softmax(jnp.tanh(wide.apply(variables, x)))
        right += (scores.argmax(-1) == y).sum()
    return right


# Under a trace it would print once.
def evaluate_telling(telling, variables, images, labels):
    right = 0
    for x, y in zip(images, labels):
        scores = jax.nn.softmax(jnp.tanh(telling.apply(variables, x)))
        right += (scores.argmax(-1) == y).sum()
    return right


# What the caller passes is read from a file.
def evaluate_any(any_net, variables, images, labels):
    right = 0
    for x, y in zip(images, labels):
        scores = jax.nn.softmax(jnp.tanh(any_net.apply(variables, x)))
        right += (scores.argmax(-1) == y).sum()
    return right


# The model reads what the program changes between two evaluations.
def evaluate_scaled(scaled, variables, images):
    total = jnp.zeros(())
    for x in images:
        total = total + jax.nn.softmax(jnp.tanh(scaled.apply(variables, x))).max()
    return total


# So it does of an object that it is given.
def loss_of_held(held, variables, x):
    return jnp.tanh(held.apply(variables, x)).sum() + jnp.mean(x)


def mean_of_held(held, variables, images):
    total = jnp.zeros(())
    for x in images:
        total = total + loss_of_held(held, variables, x)
    return total


def main():
    images, labels = jnp.ones((30, 8, 20)), jnp.zeros((30, 8), jnp.int32)
    net, wide, telling, owner = Net(), Wide([16, 10]), Telling(), Owner()
    scaled, held = Scaled(), Held(owner)
    variables = net.init(jax.random.key(0), images[0])
    for seed in range(5):
        print(evaluate(net, variables, images, labels), mean_loss(variables, net, list(zip(images, labels))))
        print(denoise(variables, images[seed], denoiser=net, steps=20).mean())
        print(evaluate_wide(wide, wide.init(jax.random.key(1), images[0]), images, labels))
        print(evaluate_telling(telling, telling.init(jax.random.key(2), images[0]), images, labels))
        print(evaluate_any(pickle.loads(pickle.dumps(net)), variables, images, labels))
        print(evaluate_scaled(scaled, variables, images), mean_of_held(held, variables, images))
        SETTINGS["scale"] *= 0.5
        owner.rate *= 0.5


main()
