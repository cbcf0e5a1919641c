"""Steps that are under jit by another statement, in the file itself or as older code says it."""

import itertools

import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((jnp.tanh(x @ w) - x) ** 2)


def train(w, x):
    loss, gradient = jax.value_and_grad(loss_of)(w, x)
    return loss, w - 0.1 * gradient


train = jax.jit(train)


@jax.partial(jax.jit, static_argnums=(2,))
def advance(w, x, rate):
    gradient = jax.grad(loss_of)(w, x)
    return w - rate * gradient


def run(data, valid, log):
    w, count = jnp.ones((20, 20)), itertools.count()
    for epoch in range(100):
        losses = []
        for x in data:
            x = jnp.array(x, dtype=jnp.float32)
            loss, w = train(w, x)
            w = advance(w, x, 0.1)
            log({"loss": float(loss), "step": next(count)})
            losses.append(float(loss))
        if valid is None:
            continue
        if epoch % 5 == 0:
            log({"mean": sum(losses) / len(losses)})
    return w
