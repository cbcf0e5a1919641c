"""Two jitted programs of an iteration, of which one makes what the other alone takes; a state that is begun eagerly."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def init_params(key):
    keys = jax.random.split(key, 2)
    return {
        "first": jax.random.normal(keys[0], (4, 8)),
        "second": jax.random.normal(keys[1], (8, 2)),
        "bias": jnp.zeros((2,)),
    }


def loss_of(params, batch):
    hidden = jnp.tanh(batch @ params["first"])
    return jnp.mean((hidden @ params["second"] + params["bias"]) ** 2)


gradient = jax.jit(jax.value_and_grad(loss_of))


@jax.jit
def clip(gradients):
    return jax.tree.map(lambda g: jnp.clip(g, -1.0, 1.0), gradients)


@jax.jit
def update(params, state, gradients):
    updates, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, updates), state


def train(batches):
    params = init_params(jax.random.PRNGKey(0))
    state = optimizer.init(params)  # want: unjitted-update
    for batch in batches:
        loss, gradients = gradient(params, batch)  # want: unjitted-update
        params, state = update(params, state, gradients)
        print(f"{loss:.6f}")
    return params


def train_clipped(batches, params, state):
    for step, batch in enumerate(batches):
        loss, gradients = gradient(params, batch)  # want: unjitted-update
        print(step, loss)
        clipped = clip(gradients)
        params, state = update(params, state, clipped)
    return params


def fine_tune(batches, params):
    for epoch in range(3):
        state = optimizer.init(params)
        for batch in batches:
            _, gradients = gradient(params, batch)  # want: unjitted-update
            params, state = update(params, state, gradients)
    return params


train(jnp.ones((20, 3, 4)))
train_clipped(jnp.ones((20, 3, 4)), init_params(jax.random.PRNGKey(1)), optimizer.init(init_params(jax.random.PRNGKey(1))))
fine_tune(jnp.ones((20, 3, 4)), init_params(jax.random.PRNGKey(1)))
