"""A script whose options are read as a dictionary, with `jit` imported by its name."""

import argparse

import jax.numpy as jnp
from jax import jit, random, value_and_grad, vmap


def generate(params, noise):
    return jnp.tanh(jnp.dot(params, noise) + 1.0)


generate_all = jit(vmap(generate, in_axes=(None, 0)))


def loss_of(params, images, labels):
    return jnp.mean((jnp.dot(images, params) - labels) ** 2)


@jit
def update(params, images, labels, rate):
    loss, gradient = value_and_grad(loss_of)(params, images, labels)
    return params - rate * gradient, loss


@jit
def train_step(params, real, fake, rate):
    labels = jnp.concatenate([0.9 * jnp.ones(len(real)), jnp.zeros(len(fake))])
    images = jnp.concatenate([real, fake]) - jnp.mean(fake)
    return update(params, images, labels, rate)


@jit
def update_step(params, noise, real, rate):
    fake = generate_all(params, noise)
    return train_step(params, real, fake, rate)


def train(batches, rate, size):
    key = random.PRNGKey(0)
    params = jnp.zeros((size, size))
    for real in batches:
        key, sub = random.split(key)
        noise = random.normal(sub, (8, size))
        params, loss = update_step(params, noise, real, rate)
        print(loss)
    return params


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", default=0.1, type=float)
    parser.add_argument("--size", default=3, type=int)
    options = vars(parser.parse_args())
    shown = {**vars(parser.parse_args([]))}
    train([jnp.ones((8, 3))] * 50, rate=options["rate"], size=options["size"])
