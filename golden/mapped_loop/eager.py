"""Lists of eager code, computed in each iteration of a loop."""

import jax
import jax.numpy as jnp
import numpy as np


def margin(row):
    best = jnp.sort(row)
    return best[-1] - best[-2]


@jax.jit
def classify(weights, rows):
    return jnp.tanh(rows @ weights)


def report(weights, rows):
    scores = classify(weights, rows).reshape(-1, 4)
    margins = jnp.stack([margin(row) for row in scores])  # want: mapped-loop
    spread = jnp.stack([jnp.max(score) - jnp.min(score) * 0.5 for score in scores], axis=0)  # want: mapped-loop
    return margins.mean(), spread.mean()


def by_value(row):
    if row[0] > 0:
        return jnp.sum(row)
    return jnp.max(row)


def noisy(row):
    return row + jax.random.normal(jax.random.key(0), row.shape)


def left(weights, rows):
    scores = classify(weights, rows)
    chosen = jnp.stack([by_value(row) for row in scores])  # want: mapped-loop (no fix): in eager code
    drawn = jnp.stack([noisy(row) for row in scores])  # want: mapped-loop (no fix): in eager code
    halves = jnp.stack([jnp.tanh(row) for row in (scores[:2], scores[2:4])])
    signs = jnp.stack([jnp.exp(row) if row[0] > 0 else jnp.tanh(row) for row in scores])  # want: mapped-loop (no fix): in eager code
    rounded = jnp.stack([jnp.tanh(float(row[0])) for row in scores])  # want: mapped-loop (no fix): in eager code
    copied = jnp.stack([jnp.tanh(np.asarray(row)) for row in scores])  # want: mapped-loop (no fix): in eager code
    of_host = jnp.stack([jnp.tanh(row * 0.1) for row in np.ones((4, 4))])
    return chosen.sum() + drawn.sum() + signs.sum() + rounded.sum() + copied.sum() + halves.sum() + of_host.sum()


def main():
    weights, rows = jnp.ones((3, 4)), np.linspace(-1.0, 1.0, 120, dtype=np.float32).reshape(40, 3)
    for _ in range(6):
        print(*report(weights, rows), left(weights, rows))
        weights = weights * 0.9


if __name__ == "__main__":
    main()
