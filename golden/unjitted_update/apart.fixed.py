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


@jax.jit
def train_step(params, state, batch):
    loss, gradients = gradient(params, batch)
    params, state = update(params, state, gradients)
    return params, state, loss


def train(batches):
    params = init_params(jax.random.PRNGKey(0))
    state = jax.jit(optimizer.init)(params)
    for batch in batches:
        params, state, loss = train_step(params, state, batch)
        print(f"{loss:.6f}")
    return params


@jax.jit
def train_clipped_step(params, state, batch):
    loss, gradients = gradient(params, batch)
    clipped = clip(gradients)
    params, state = update(params, state, clipped)
    return params, state, loss


def train_clipped(batches, params, state):
    for step, batch in enumerate(batches):
        params, state, loss = train_clipped_step(params, state, batch)
        print(step, loss)
    return params


@jax.jit
def fine_tune_step(params, state, batch):
    _, gradients = gradient(params, batch)
    return update(params, state, gradients)


def fine_tune(batches, params):
    for epoch in range(3):
        state = optimizer.init(params)
        for batch in batches:
            params, state = fine_tune_step(params, state, batch)
    return params


train(jnp.ones((20, 3, 4)))
train_clipped(jnp.ones((20, 3, 4)), init_params(jax.random.PRNGKey(1)), optimizer.init(init_params(jax.random.PRNGKey(1))))
fine_tune(jnp.ones((20, 3, 4)), init_params(jax.random.PRNGKey(1)))
