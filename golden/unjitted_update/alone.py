"""Gradients whose loop does nothing else that can be traced: each is a step of its own."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


def settings(params, batches, options):
    for batch in batches:
        gradients = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        params = params - options.rate * gradients
    return params


def kept(params, batches):
    later = []
    for batch in batches:
        gradients = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        show = lambda: gradients
        params = params - 0.1 * gradients
        later.append(show)
    return params, later


def clipped(params, batches):
    """NumPy takes the values."""
    for batch in batches:
        gradients = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        params = np.clip(params - 0.1 * gradients, 0.0, 1.0)
        params = params / np.sum(params)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    print(kept(jnp.ones(3), batches)[0], clipped(jnp.ones(3), batches))
