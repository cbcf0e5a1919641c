"""Functions that `jax.vmap` has made, called eagerly again and again."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

SIZE = 4


@jax.jit
@jax.vmap
def energy(x, scale):
    return jnp.sum(jnp.sin(x) * scale) + jnp.mean(x)


@jax.jit
@partial(jax.vmap, in_axes=(None, 0))
def distance(center, x):
    return jnp.sqrt(jnp.sum((x - center) ** 2))


def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params) - y) ** 2)


losses = jax.jit(jax.vmap(loss, in_axes=(None, 0, None)))


def encode(word, size):
    return jnp.zeros(size).at[word].set(1.0) * jnp.sqrt(size)


@jax.jit
def logits(params, x):
    return jnp.tanh(x * params) - jnp.log(jnp.sum(jnp.exp(x)))


batch_logits = jax.jit(jax.vmap(logits, in_axes=(None, 0)))
encoded = jax.jit(jax.vmap(jax.vmap(partial(encode, size=SIZE))))


def main():
    xs = jnp.asarray(np.random.rand(20, 6))
    scales = jnp.ones(6)
    found = jnp.array([energy(x, scales) for x in xs])
    params = jnp.zeros(6)
    for _ in range(20):
        print(distance(params, xs))
        print(losses(params, xs, scales[0]))
        print(batch_logits(params, xs))
        print(encoded(jnp.ones((2, 3), int)).shape)
    squares = jax.jit(jax.vmap(lambda x: jnp.sum(x * x) - jnp.max(x)))
    for _ in range(10):
        print(squares(xs))
    return found


main()
