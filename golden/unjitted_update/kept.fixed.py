"""Functions and optimizers that a dictionary keeps."""

import jax
import jax.numpy as jnp
import optax


def squares(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


def distances(params, x, y):
    return jnp.mean(jnp.abs(x @ params - y))


LOSSES = {"l2": squares, "l1": distances}


def with_optimizers(params, x, y):
    optimizers = {"sgd": optax.sgd(0.1), "adam": optax.adam(1e-2)}
    state = optimizers["adam"].init(params)

    @jax.jit
    def train_step(params, state, x, y):
        loss, gradients = jax.value_and_grad(squares)(params, x, y)
        updates, state = optimizers["adam"].update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    for _ in range(40):
        params, state, loss = train_step(params, state, x, y)
        print(loss)
    return params


def with_functions(params, x, y, kind="l2"):
    parts = {"loss": LOSSES[kind], "optimizer": optax.adam(1e-2)}
    state = parts["optimizer"].init(params)

    @jax.jit
    def with_functions_step(params, state, x, y):
        gradients = jax.grad(parts["loss"])(params, x, y)
        updates, state = parts["optimizer"].update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state

    for _ in range(40):
        params, state = with_functions_step(params, state, x, y)
    return params


# What it keeps changes while the loop runs.
def changing(params, x, y):
    parts = {"loss": squares}
    for step in range(40):
        gradients = jax.grad(parts["loss"])(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
        if step == 20:
            parts["loss"] = distances
    return params


# A function that does more than compute.
calls = []


def counted(params, x, y):
    calls.append(1)
    return squares(params, x, y)


def counting(params, x, y):
    parts = {"loss": counted}
    for _ in range(40):
        gradients = jax.grad(parts["loss"])(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


# A dictionary that a caller passes in.
def handed(params, parts, x, y):
    for _ in range(40):
        gradients = jax.grad(parts["loss"])(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params


# Functions beside data.
def mixed(params, x, y):
    parts = {"loss": squares, "rate": 0.1}

    @jax.jit
    def compute_gradients(params, x, y):
        return jax.grad(parts["loss"])(params, x, y)

    for _ in range(40):
        gradients = compute_gradients(params, x, y)
        params = jax.tree.map(lambda p, g: p - parts["rate"] * g, params, gradients)
    return params


def main():
    params, x, y = jnp.ones(3), jnp.ones((8, 3)), jnp.ones(8)
    params = with_functions(with_optimizers(params, x, y), x, y)
    params = counting(changing(params, x, y), x, y)
    print(mixed(params, x, y))


main()
