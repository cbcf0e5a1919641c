"""A step that runs operation by operation."""

import jax
import jax.numpy as jnp


def loss_of(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


def step(params, velocity, x, y, rate=0.1):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.8 * v + g, velocity, gradients)
    params = jax.tree_util.tree_map(lambda p, v: p - rate * v, params, velocity)
    return params, velocity, loss


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": 0.1 * jax.random.normal(keys[0], (256, 128)), "v": jnp.zeros(128)}
velocity = jax.tree_util.tree_map(jnp.zeros_like, params)
x = jax.random.normal(keys[1], (64, 256))
for number in range(60):
    params, velocity, loss = step(params, velocity, x, jnp.sin(x[:, 0]))
    print(f"step {number}: {float(loss)}")
