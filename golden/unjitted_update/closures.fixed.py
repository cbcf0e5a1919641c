"""Losses that an iteration defines over its batch and its state."""

import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


def apply_fn(variables, x):
    return x @ variables["params"]["w"]


@jax.jit
def train_step(state, x, rows, y):
    batch, labels = x[rows], y[rows]

    def loss_of(params):
        return jnp.mean((state.apply_fn({"params": params}, batch) - labels) ** 2)

    loss, gradients = jax.value_and_grad(loss_of)(state.params)
    state = state.apply_gradients(grads=gradients)
    return state, loss


def main():
    params = {"w": jnp.ones((3, 1))}
    state = train_state.TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(1e-2))
    x, y = jnp.ones((80, 3)), jnp.ones((80, 1))
    key = jax.random.key(0)
    for epoch in range(5):
        key, subkey = jax.random.split(key)
        order = jax.random.permutation(subkey, 80)
        for i in range(10):
            rows = order[i * 8 : (i + 1) * 8]
            state, loss = train_step(state, x, rows, y)
        print(epoch, float(loss), int(state.step))


# The loss of an iteration prints.
def told(params, batches):
    for batch in batches:

        def loss_of(params):
            print("loss of", batch.shape)
            return jnp.mean((batch @ params) ** 2)

        gradients = jax.grad(loss_of)(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


# It branches on what the loop binds.
def branching(params, batches):
    for number, batch in enumerate(batches):

        def loss_of(params):
            if number % 2:
                return jnp.mean(jnp.abs(batch @ params))
            return jnp.mean((batch @ params) ** 2)

        gradients = jax.grad(loss_of)(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


if __name__ == "__main__":
    main()
    told(branching(jnp.ones(3), [jnp.ones((2, 3))] * 20), [jnp.ones((2, 3))] * 20)
