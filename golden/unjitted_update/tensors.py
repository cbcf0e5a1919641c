"""Tensors of another library, whose values a step asks for: that stays on the host."""

import jax
import jax.numpy as jnp
import tensorflow as tf


def loss_of(params, x):
    return jnp.mean((x @ params) ** 2)


def step(params, batch):
    batch = jax.tree_util.tree_map(lambda x: x._numpy(), batch)
    return params - 0.1 * jax.grad(loss_of)(params, batch["x"]) + 0.01 * jnp.tanh(params)


params = jnp.ones(3)
for count in range(10):
    params = step(params, {"x": tf.ones((4, 3))})  # want: unjitted-update (no fix): asks for `x._numpy`
print(params)
