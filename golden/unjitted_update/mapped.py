"""Functions that `jax.vmap` has made, called eagerly again and again."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

SIZE = 4


@jax.vmap
def energy(x, scale):
    return jnp.sum(jnp.sin(x) * scale) + jnp.mean(x)


@partial(jax.vmap, in_axes=(None, 0))
def distance(center, x):
    return jnp.sqrt(jnp.sum((x - center) ** 2))


def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params) - y) ** 2)


losses = jax.vmap(loss, in_axes=(None, 0, None))


def encode(word, size):
    return jnp.zeros(size).at[word].set(1.0) * jnp.sqrt(size)


@jax.jit
def logits(params, x):
    return jnp.tanh(x * params) - jnp.log(jnp.sum(jnp.exp(x)))


batch_logits = jax.vmap(logits, in_axes=(None, 0))
encoded = jax.vmap(jax.vmap(partial(encode, size=SIZE)))


def main():
    xs = jnp.asarray(np.random.rand(20, 6))
    scales = jnp.ones(6)
    found = jnp.array([energy(x, scales) for x in xs])  # want: unjitted-update
    params = jnp.zeros(6)
    for _ in range(20):
        print(distance(params, xs))  # want: unjitted-update
        print(losses(params, xs, scales[0]))  # want: unjitted-update
        print(batch_logits(params, xs))  # want: unjitted-update
        print(encoded(jnp.ones((2, 3), int)).shape)  # want: unjitted-update
    squares = jax.vmap(lambda x: jnp.sum(x * x) - jnp.max(x))
    for _ in range(10):
        print(squares(xs))  # want: unjitted-update
    return found


main()
