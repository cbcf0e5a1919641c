"""Metrics that a function returns as numbers, the last of them computed where it is returned."""

import jax
import jax.numpy as jnp


@jax.jit
def _evaluate(x, params, y):
    logits = jnp.tanh(x @ params) @ params.T
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == y)
    errors = jnp.sum((logits - x) ** 2, axis=1)
    return accuracy, errors.mean()


def evaluate(params, x, y):
    accuracy, value = _evaluate(x, params, y)
    return float(accuracy), float(value)


def train(params, x, y):
    for epoch in range(100):
        accuracy, error = evaluate(params, x, y)
        print(epoch, accuracy, error)
    return params


@jax.jit
def _evaluate_named(x, params, y):
    logits = jnp.tanh(x @ params) @ params.T
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == y)
    error = jnp.mean(jnp.sum((logits - x) ** 2, axis=1))
    return accuracy, error


def evaluate_named(params, x, y):
    accuracy, error = _evaluate_named(x, params, y)
    return {"accuracy": float(accuracy), "error": float(error)}


def train_named(params, x, y):
    for epoch in range(100):
        print(epoch, evaluate_named(params, x, y))
    return params


if __name__ == "__main__":
    params = jax.random.normal(jax.random.key(0), (8, 4))
    x = jax.random.normal(jax.random.key(1), (64, 8))
    train(params, x, jnp.zeros(64, jnp.int32))
    train_named(params, x, jnp.zeros(64, jnp.int32))
