"""Training whose learning rate is a Python number in a static argument, and so a program of its own each step."""

from functools import partial

import jax
import jax.numpy as jnp


def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


@partial(jax.jit, static_argnames=("power",))
def update(params, x, y, rate, power):
    value, gradients = jax.value_and_grad(loss)(params, x, y)
    return value, jax.tree_util.tree_map(lambda p, g: p - rate * jnp.sign(g) * jnp.abs(g) ** power, params, gradients)


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    params = {"w": jax.random.normal(keys[0], (8, 4)), "v": jax.random.normal(keys[1], (4,))}
    x, y = jax.random.normal(keys[2], (32, 8)), jax.random.normal(keys[3], (32,))
    rate = 0.25
    for _ in range(12):
        value, params = update(params, x, y, rate, power=1)
        rate *= 0.75
    print(value, params["v"])


main()
