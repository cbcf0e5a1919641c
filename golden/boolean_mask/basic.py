"""Reductions of what a mask of the same array selects."""

import jax
import jax.numpy as jnp


def direct(x, limits):
    found = []
    for limit in limits:
        found.append(jnp.sum(x[x > limit]))  # want: boolean-mask
        found.append(jnp.mean(x[(x > limit) & (x < 2 * limit)]))  # want: boolean-mask
        found.append(jnp.prod(x[~jnp.isnan(x)]))  # want: boolean-mask
    return found


def methods(rows):
    for row in rows:
        y = jnp.asarray(row)
        print(y[y != 0].sum())  # want: boolean-mask
        print(y[limit_of(y) < y].any())  # want: boolean-mask


def limit_of(y):
    return jnp.median(y)


class Gains:
    def __init__(self, returns):
        self.returns = jnp.array(returns)

    def total(self):
        return jnp.sum(self.returns[self.returns > 0])  # want: boolean-mask


def named(x):
    positive = x > 0
    found = jnp.sum(x[positive])  # want: boolean-mask
    return found, jnp.any(x[positive & (x < 1)])  # want: boolean-mask


def of_numbers(x):
    for i in range(10):
        print(jnp.sum(x[x > i]))  # want: boolean-mask
        print(jnp.sum(x[(x > -1) & (x < 2 * i + 1)]))  # want: boolean-mask
        print(jnp.mean(x[x > jnp.mean(x)]))  # want: boolean-mask


def of_what_is_passed(x, limit=0.5):
    return jnp.sum(x[x > limit])  # want: boolean-mask


@jax.jit
def losses_of(params, batch):
    return (batch @ params) ** 2


mapped_losses = jax.pmap(losses_of, in_axes=(None, 0))


def hard_ones(params, batches):
    for batch in batches:
        losses = losses_of(params, batch)
        print(losses[losses > 1.0].mean())  # want: boolean-mask
        rows = mapped_losses(params, batch).reshape(-1)
        print(rows[rows > 1.0].sum())  # want: boolean-mask


def of_draws(keys):
    for key in keys:
        x = jax.random.normal(key, (100,))
        print(x[x > 0.1].mean())  # want: boolean-mask
