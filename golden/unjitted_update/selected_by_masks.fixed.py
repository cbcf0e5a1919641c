"""Elements that a mask selects: how many there are is a value, so that no step takes them."""

import jax
import jax.numpy as jnp


@jax.jit
def loss(w, x):
    return (jnp.tanh(x @ w) - 1.0) ** 2


@jax.jit
def train_step(w, total, x, hard):
    w = w - 0.1 * jax.grad(lambda w, x=x: loss(w, x).mean())(w)
    total = total + jnp.where(jnp.isnan(hard), 0.0, hard)
    return w, total


def watched(w, batches):
    total = jnp.zeros(())
    for x in batches:
        losses = loss(w, x)
        scaled = losses / (1.0 + jnp.mean(losses))
        hard = scaled[scaled > 0.1].mean()
        w, total = train_step(w, total, x, hard)
    return w, total


@jax.jit
def kept_step(w, losses):
    return w - 0.1 * losses.mean() * jnp.sign(w)


def kept(w, batches):
    for x in batches:
        losses = loss(w, x)
        losses = losses.at[losses > 1.0].set(1.0) / (1.0 + jnp.mean(losses))
        w = kept_step(w, losses)
    return w


if __name__ == "__main__":
    data = list(jax.random.normal(jax.random.key(0), (20, 6, 3)))
    print(watched(jnp.ones(3), data))
    print(kept(jnp.ones(3), data))
