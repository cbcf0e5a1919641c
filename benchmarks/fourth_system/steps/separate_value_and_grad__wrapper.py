"""A loss and its gradient, which a function of its own returns."""

import jax
import jax.numpy as jnp


@jax.jit
def loss_fn(params, x):
    return jnp.mean(jnp.tanh(jnp.tanh(x @ params) @ params.T) ** 2)


@jax.jit
def grads_of(params, x):
    return jax.grad(loss_fn)(params, x)


params = 0.05 * jax.random.normal(jax.random.key(0), (512, 256))
x = jax.random.normal(jax.random.key(1), (64, 512))
for number in range(60):
    loss = loss_fn(params, x)
    grads = grads_of(params, x)
    params = params - 0.1 * grads
    print(f"step {number}: {float(loss)}")
