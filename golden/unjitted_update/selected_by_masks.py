"""Elements that a mask selects: how many there are is a value, so that no step takes them."""

import jax
import jax.numpy as jnp


def loss(w, x):
    return (jnp.tanh(x @ w) - 1.0) ** 2


def watched(w, batches):
    total = jnp.zeros(())
    for x in batches:
        losses = loss(w, x)
        scaled = losses / (1.0 + jnp.mean(losses))
        hard = scaled[scaled > 0.1].mean()
        w = w - 0.1 * jax.grad(lambda w, x=x: loss(w, x).mean())(w)  # want: unjitted-update
        total = total + jnp.where(jnp.isnan(hard), 0.0, hard)
    return w, total


def kept(w, batches):
    for x in batches:
        losses = loss(w, x)  # want: unjitted-update  # want: unjitted-update
        losses = losses.at[losses > 1.0].set(1.0) / (1.0 + jnp.mean(losses))
        w = w - 0.1 * losses.mean() * jnp.sign(w)
    return w


if __name__ == "__main__":
    data = list(jax.random.normal(jax.random.key(0), (20, 6, 3)))
    print(watched(jnp.ones(3), data))
    print(kept(jnp.ones(3), data))
