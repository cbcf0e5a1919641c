"""Fits a line with momentum, one eager operation after the other."""

import jax
import jax.numpy as jnp


def loss_of(params, inputs, targets):
    return jnp.mean((params["slope"] * inputs + params["offset"] - targets) ** 2)


@jax.jit
def step(params, velocity, inputs, rate=0.1):
    targets = 3.0 * inputs + 1.0
    loss, gradients = jax.value_and_grad(loss_of)(params, inputs, targets)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.8 * v + g, velocity, gradients)
    params = jax.tree_util.tree_map(lambda p, v: p - rate * v, params, velocity)
    return params, velocity, loss


def train(params, velocity, steps):
    key = jax.random.PRNGKey(0)
    for number in range(steps):
        inputs = jax.random.normal(jax.random.fold_in(key, number), (16,))
        params, velocity, loss = step(params, velocity, inputs)
    return params, loss


if __name__ == "__main__":
    start = {"slope": jnp.zeros(()), "offset": jnp.zeros(())}
    params, loss = train(start, start, 60)
    print(f"{float(params['slope']):.3f} {float(params['offset']):.3f} {float(loss):.3f}")
