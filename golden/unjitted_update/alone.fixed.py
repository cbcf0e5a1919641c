"""Gradients whose loop does nothing else that can be traced: each is a step of its own."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


@jax.jit
def train_step(params, batch, rate):
    gradients = jax.grad(loss_of)(params, batch)
    return params - rate * gradients


def settings(params, batches, options):
    for batch in batches:
        params = train_step(params, batch, options.rate)
    return params


grad_loss_of = jax.jit(jax.grad(loss_of))


def kept(params, batches):
    later = []
    for batch in batches:
        gradients = grad_loss_of(params, batch)
        show = lambda: gradients
        params = params - 0.1 * gradients
        later.append(show)
    return params, later


grad_loss_of_2 = jax.jit(jax.grad(loss_of))


def clipped(params, batches):
    """NumPy takes the values."""
    for batch in batches:
        gradients = grad_loss_of_2(params, batch)
        params = np.clip(params - 0.1 * gradients, 0.0, 1.0)
        params = params / np.sum(params)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    print(kept(jnp.ones(3), batches)[0], clipped(jnp.ones(3), batches))
