"""Slices by a variable of a loop are taken outside of a step, and passed."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


def loss_of(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) + params["b"] - y) ** 2)


def fit(params, images, labels, size=32):
    optimizer = optax.adam(1e-2)
    state = optimizer.init(params)

    @jax.jit
    def train_step(params, state, images_slice, labels_slice):
        loss, gradients = jax.value_and_grad(loss_of)(
            params, images_slice, labels_slice
        )
        updates, state = optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    for epoch in range(10):
        for i in range(0, len(images), size):
            params, state, loss = train_step(params, state, images[i : i + size], labels[i : i + size])
        print(epoch, loss)
    return params


@jax.jit
def shuffled_step(params, images, order_slice, labels, rate):
    gradients = jax.grad(loss_of)(
        params, images[order_slice], labels[order_slice]
    )
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)


def shuffled(params, images, labels, key, rate=0.1):
    for _ in range(10):
        key, draw = jax.random.split(key)
        order = jax.random.permutation(draw, images.shape[0])
        for number, start in enumerate(range(0, 256, 32)):
            params = shuffled_step(params, images, order[start : start + 32], labels, rate)
    return params


class Trainer:
    def __init__(self, params, images, labels, size):
        self.params, self.size = params, size
        self.images, self.labels = images, labels
        self.optimizer = optax.sgd(0.1)
        self.state = self.optimizer.init(params)

    @functools.partial(jax.jit, static_argnums=0)
    def _train_step(self, params, state, images_slice, labels_slice):
        gradients = jax.grad(loss_of)(
            params,
            images_slice,
            labels_slice,
        )
        updates, state = self.optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state

    def epoch(self):
        for i in range(len(self.images) // self.size):
            self.params, self.state = self._train_step(
                self.params,
                self.state,
                self.images[i * self.size : (i + 1) * self.size],
                self.labels[i * self.size : (i + 1) * self.size],
            )


@jax.jit
def compute_value(xs_slice, w):
    return jnp.sum(xs_slice * w) / jnp.sum(w) + jnp.tanh(w).mean()


def windows(xs, w):
    found, start = [], 0
    while start < 60:
        found.append(compute_value(xs[start : start + 4], w))
        start += 1
    return found


def relaxed(u):
    for i in range(1, 60):
        v = jnp.sin(u[i : i + 4]) * jnp.cos(u[:4]) + jnp.tanh(u[:4])
        u = u.at[:4].set(v * jnp.mean(v) - 0.1 * jnp.exp(v))
    return u


@jax.jit
def swept_step(u):
    return u * 0.9 + jnp.roll(u, 1) * 0.1 - jnp.tanh(u)


def swept(u):
    for i in range(1, 60):
        u = swept_step(u)
        u = u.at[:4].set(jnp.sin(u[i : i + 4]) * jnp.cos(u[:4]) + jnp.tanh(u[:4]))
    return u


@jax.jit
def numbered_step(params, images_slice, labels_slice):
    gradients = jax.grad(loss_of)(params, images_slice, labels_slice)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


# Batches by a number and its end.
def numbered(params, images, labels, size):
    for i in range(len(images) // size):
        begin = i * size
        end = min(begin + size, len(images))
        params = numbered_step(params, images[begin:end], labels[begin:end])
    return params


# Longer at each iteration: each length would be compiled for.
def prefixes(params, images, labels):
    for i in range(1, 64):
        gradients = jax.grad(loss_of)(params, images[:i], labels[: i + 0])
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


def triangles(params, images, labels):
    for i in range(1, 64):
        gradients = jax.grad(loss_of)(params, images[i : 2 * i], labels[i : i + i])
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


@jax.jit
def faded_step(params, images_slice, labels_slice, first):
    second = jax.grad(loss_of)(params, images_slice, labels_slice)
    return jax.tree.map(lambda p, g, h: p - 0.1 * (g + h), params, first, second)


grad_loss_of = jax.jit(jax.grad(loss_of))


# Filled between two parts, which are no one step then.
def faded(params, images, labels):
    for i in range(0, 64, 4):
        first = grad_loss_of(params, images[i : i + 4], labels[i : i + 4])
        np.multiply(images, 0.97, out=images)
        params = faded_step(params, images[i : i + 4], labels[i : i + 4], first)
    return params


# What is inside of a function of the step is taken there.
def columns(x, w):
    for i in range(0, 60, 4):
        w = w - 0.1 * jax.vmap(lambda j: jnp.mean(jnp.tanh(x[i : i + 4, j]) * jnp.cos(w[j])))(jnp.arange(4))
    return w


if __name__ == "__main__":
    start = {"b": jnp.zeros(1), "w": jnp.ones((4, 1))}
    data = jax.random.normal(jax.random.PRNGKey(0), (256, 4))
    target = np.asarray(data.sum(1, keepdims=True))
    print(fit(start, data, target), shuffled(start, data, target, jax.random.PRNGKey(1)))
    trainer = Trainer(start, data, target, 32)
    for _ in range(10):
        trainer.epoch()
    print(trainer.params, windows(data[:, 0], jnp.ones(4)))
    print(relaxed(data[:, 0]), swept(data[:, 0]))
    print(numbered(start, data, target, 32), prefixes(start, data, target), triangles(start, data, target))
    print(columns(data, data[0]), faded(start, np.asarray(data), target))
