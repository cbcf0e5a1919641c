"""A training loop whose step is jitted again for every batch."""

import jax
import jax.numpy as jnp


def predict(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def _train_loss(p, x, targets):
    return jnp.mean((predict(p, x) - targets) ** 2)


_train_value_and_grad_loss = jax.jit(jax.value_and_grad(_train_loss))


def train(steps, decay):
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"w": jax.random.normal(keys[0], (8, 4)), "v": jax.random.normal(keys[1], (4,))}
    x = jax.random.normal(keys[2], (32, 8))
    for step in range(steps):
        targets = jnp.sin(x[:, 0] + 0.1 * step)

        value, gradients = _train_value_and_grad_loss(params, x, targets)
        params = jax.tree_util.tree_map(lambda p, g: decay * p - 0.1 * g, params, gradients)
    return value, params


if __name__ == "__main__":
    value, params = train(12, 0.99)
    print(value, params["v"])
