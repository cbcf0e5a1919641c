"""Metrics that a function returns as numbers, the last of them computed where it is returned."""

import jax
import jax.numpy as jnp


def evaluate(params, x, y):
    logits = jnp.tanh(x @ params) @ params.T
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == y)
    errors = jnp.sum((logits - x) ** 2, axis=1)
    return float(accuracy), float(errors.mean())


def train(params, x, y):
    for epoch in range(100):
        accuracy, error = evaluate(params, x, y)  # want: unjitted-update
        print(epoch, accuracy, error)
    return params


def evaluate_named(params, x, y):
    logits = jnp.tanh(x @ params) @ params.T
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == y)
    error = jnp.mean(jnp.sum((logits - x) ** 2, axis=1))
    return {"accuracy": float(accuracy), "error": float(error)}


def train_named(params, x, y):
    for epoch in range(100):
        print(epoch, evaluate_named(params, x, y))  # want: unjitted-update
    return params


if __name__ == "__main__":
    params = jax.random.normal(jax.random.key(0), (8, 4))
    x = jax.random.normal(jax.random.key(1), (64, 8))
    train(params, x, jnp.zeros(64, jnp.int32))
    train_named(params, x, jnp.zeros(64, jnp.int32))
