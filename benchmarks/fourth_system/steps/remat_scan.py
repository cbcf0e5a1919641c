"""The gradient of a scan over layers."""

import jax
import jax.numpy as jnp


def loss(layers, x):
    def layer(h, w):
        return jnp.tanh(h @ w) + jnp.sin(h), None

    h, _ = jax.lax.scan(layer, x, layers)
    return jnp.mean(h**2)


@jax.jit
def step(layers, x):
    return layers - 0.1 * jax.grad(loss)(layers, x)


layers = 0.1 * jax.random.normal(jax.random.key(0), (24, 64, 64))
x = jax.random.normal(jax.random.key(1), (512, 64))
for number in range(60):
    layers = step(layers, x)
    print(f"step {number}: {float(layers[0, 0, 0])}")
