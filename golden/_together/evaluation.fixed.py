"""An evaluation: what selects by a mask and what stacks rows is rewritten first, and the step takes all of it."""

import jax
import jax.numpy as jnp
import numpy as np


def margin(row):
    best = jnp.sort(row)
    return best[-1] - best[-2]


@jax.jit
def classify(weights, rows):
    return jnp.tanh(rows @ weights)


@jax.jit
def _evaluate(weights, rows, labels):
    scores = classify(weights, rows)
    losses = jnp.sum(scores**2, axis=1)
    accuracy = jnp.mean(jnp.argmax(scores, axis=1) == labels)
    margins = jax.vmap(margin)(scores)
    wrong = losses.mean(where=losses > 0.5)
    return accuracy, wrong, margins.mean()


def evaluate(weights, rows, labels):
    accuracy, wrong, value = _evaluate(weights, rows, labels)
    return float(accuracy), float(wrong), float(value)


def main(epochs):
    weights = jnp.ones((3, 4)) * jnp.arange(4.0)
    rows = np.linspace(-1.0, 1.0, 120, dtype=np.float32).reshape(40, 3)
    labels = np.zeros(40, np.int32)
    for _ in range(epochs):
        print(*evaluate(weights, rows, labels))
        weights = weights * 0.9


if __name__ == "__main__":
    main(10)
