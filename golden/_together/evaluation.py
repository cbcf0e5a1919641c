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


def evaluate(weights, rows, labels):
    scores = classify(weights, rows)
    losses = jnp.sum(scores**2, axis=1)
    accuracy = jnp.mean(jnp.argmax(scores, axis=1) == labels)
    margins = jnp.stack([margin(row) for row in scores])  # want: mapped-loop
    wrong = losses[losses > 0.5].mean()  # want: boolean-mask
    return float(accuracy), float(wrong), float(margins.mean())


def main(epochs):
    weights = jnp.ones((3, 4)) * jnp.arange(4.0)
    rows = np.linspace(-1.0, 1.0, 120, dtype=np.float32).reshape(40, 3)
    labels = np.zeros(40, np.int32)
    for _ in range(epochs):
        print(*evaluate(weights, rows, labels))  # want: unjitted-update
        weights = weights * 0.9


if __name__ == "__main__":
    main(10)
