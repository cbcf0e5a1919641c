"""Reductions of what a mask of the same array selects."""

import jax
import jax.numpy as jnp


def direct(x, limits):
    found = []
    for limit in limits:
        found.append(jnp.sum(x, where=jnp.broadcast_to(x > limit, x.shape)))
        found.append(
            jnp.mean(x, where=jnp.broadcast_to((x > limit) & (x < 2 * limit), x.shape))
        )
        found.append(jnp.prod(x, where=~jnp.isnan(x)))
    return found


def methods(rows):
    for row in rows:
        y = jnp.asarray(row)
        print(y.sum(where=y != 0))
        print(y.any(where=limit_of(y) < y))


def limit_of(y):
    return jnp.median(y)


class Gains:
    def __init__(self, returns):
        self.returns = jnp.array(returns)

    def total(self):
        return jnp.sum(self.returns, where=self.returns > 0)


def named(x):
    positive = x > 0
    found = jnp.sum(x, where=positive)
    return found, jnp.any(x, where=positive & (x < 1))


def of_numbers(x):
    for i in range(10):
        print(jnp.sum(x, where=x > i))
        print(jnp.sum(x, where=(x > -1) & (x < 2 * i + 1)))
        print(jnp.mean(x, where=x > jnp.mean(x)))


def of_what_is_passed(x, limit=0.5):
    return jnp.sum(x, where=jnp.broadcast_to(x > limit, x.shape))


@jax.jit
def losses_of(params, batch):
    return (batch @ params) ** 2


mapped_losses = jax.pmap(losses_of, in_axes=(None, 0))


def hard_ones(params, batches):
    for batch in batches:
        losses = losses_of(params, batch)
        print(losses.mean(where=losses > 1.0))
        rows = mapped_losses(params, batch).reshape(-1)
        print(rows.sum(where=rows > 1.0))


def of_draws(keys):
    for key in keys:
        x = jax.random.normal(key, (100,))
        print(x.mean(where=x > 0.1))
