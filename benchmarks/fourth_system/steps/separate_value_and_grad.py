"""A loss and its gradient by two calls."""

import jax
import jax.numpy as jnp


def loss_fn(weights, x):
    return jnp.mean(jnp.tanh(x @ weights) ** 2)


loss_of = jax.jit(loss_fn)
slope_of = jax.jit(jax.grad(loss_fn))


def step(weights, x):
    loss = loss_of(weights, x)
    slope = slope_of(weights, x)
    return weights - 0.1 * slope, loss


weights = 0.1 * jnp.eye(256)
x = jax.random.normal(jax.random.key(0), (512, 256))
for number in range(60):
    weights, loss = step(weights, x)
    print(f"step {number}: {float(loss)}")
