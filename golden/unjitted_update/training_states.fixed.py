"""Training states of flax: trees whose methods return another state."""

import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


def apply_fn(params, x):
    return x @ params["w"]


def loss_of(params, x, y):
    return jnp.mean((apply_fn(params, x) - y) ** 2)


@jax.jit
def update_step(state, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(state.params, x, y)
    state = state.apply_gradients(grads=gradients)
    return state, loss


# The gradient and what applies it; the state is donated in the same run of `apply`.
def train(x, y, steps):
    state = TrainState.create(apply_fn=apply_fn, params={"w": jnp.ones((3, 1))}, tx=optax.adam(1e-2))
    for step in range(steps):
        state, loss = update_step(state, x, y)
        if step % 10 == 0:
            print(step, loss)
    return state


# A jitted gradient that takes the whole state.
@jax.jit
def gradients_of(state, x, y):
    def loss(params):
        return jnp.mean((state.apply_fn(params, x) - y) ** 2)

    return jax.value_and_grad(loss)(state.params)


@jax.jit
def fit_step(state, x, y):
    loss, gradients = gradients_of(state, x, y)
    state = state.apply_gradients(grads=gradients)
    return state, loss


def fit(state, batches):
    for x, y in batches:
        state, loss = fit_step(state, x, y)
        print(float(loss))
    return state


# A step of its own.
@jax.jit
def train_step(state, batch):
    def loss(params):
        return jnp.mean((state.apply_fn(params, batch[0]) - batch[1]) ** 2)

    value, gradients = jax.value_and_grad(loss)(state.params)
    return state.apply_gradients(grads=gradients), value


def epochs(state, batches):
    for epoch in range(5):
        for batch in batches:
            state, value = train_step(state, batch)
        print(epoch, float(value))
    return state


@jax.jit
def averaged_step(state, x, y):
    gradients = jax.grad(loss_of)(state.params, x, y)
    state = state.apply_gradients(grads=gradients)
    average = jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, state.average, state.params)
    return state, average


# An average beside the parameters, in the same state.
def averaged(state, batches):
    for x, y in batches:
        state, average = averaged_step(state, x, y)
        state = state.replace(average=average)
    return state


def main():
    x, y = jnp.ones((8, 3)), jnp.ones((8, 1))
    state = train(x, y, 40)
    state = epochs(fit(state, [(x, y)] * 20), [(x, y)] * 20)
    averaged(state, [(x, y)] * 20)


if __name__ == "__main__":
    main()
