"""A stack of layers: the gradient stores what each of them computes."""
# asked: --goal memory

import jax
import jax.numpy as jnp


def forward(layers, x):
    def layer(h, w):
        return jnp.tanh(h @ w) + jnp.sin(h), None

    h, _ = jax.lax.scan(layer, x, layers)  # want: remat-scan
    return jnp.sum(h**2)


step = jax.jit(jax.grad(forward))
print(step(jnp.full((24, 64, 64), 0.01), jnp.ones((512, 64))).shape)
