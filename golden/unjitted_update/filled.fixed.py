"""Lists that a loop between the parts of a step fills: what reads them stays after it."""

import jax
import jax.numpy as jnp


@jax.jit
def _collected(rows):
    total = jnp.stack(rows["x"]) + 1.0
    other = jnp.stack(rows["y"]) - jnp.zeros_like(jnp.stack(rows["x"]))
    return total, other


def collected(n, seed):
    rows = {"x": [], "y": []}
    key = jax.random.PRNGKey(seed + 1)
    for _ in range(n):
        key, part = jax.random.split(key)
        x = jax.random.normal(part, (3,))
        rows["x"].append(x)
        rows["y"].append(x * 2)
    total, other = _collected(rows)
    return total, other, key


@jax.jit
def _collected_2(rows):
    total = jnp.stack(rows) + 1.0
    other = jnp.stack(rows) - jnp.zeros_like(jnp.stack(rows))
    return total, other


class Rollout:
    def __init__(self):
        self.rows = []

    def collected(self, n, seed):
        self.rows = []
        key = jax.random.PRNGKey(seed + 1)
        for _ in range(n):
            key, part = jax.random.split(key)
            self.rows.append(jax.random.normal(part, (3,)))
        total, other = _collected_2(self.rows)
        return total, other, key


if __name__ == "__main__":
    rollout = Rollout()
    for epoch in range(100):
        total, other, key = collected(8, 3)
        again, more, key = rollout.collected(8, epoch)
        print(epoch, float(total.sum() + again.sum()))
