"""Gradients that a function of their own returns, under `jit` or not."""

import equinox as eqx
import jax
import jax.numpy as jnp


@jax.jit
def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def grads_of(w, x, y):
    """The gradient by the weights."""
    return jax.grad(loss_fn)(w, x, y)


value_and_grads_of = jax.jit(jax.value_and_grad(loss_fn))


def train(w, batches):
    for x, y in batches:
        loss, grads = value_and_grads_of(w, x, y)
        print(loss)
        w = w - 0.1 * grads
    return w


def model_loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


compute_loss = eqx.filter_jit(model_loss)


@eqx.filter_jit
def model_grads(model, x, y):
    return eqx.filter_grad(model_loss)(model, x, y)


value_and_model_grads = eqx.filter_jit(eqx.filter_value_and_grad(model_loss))


def train_model(model, batches):
    for x, y in batches:
        loss, grads = value_and_model_grads(model, x, y)
        print(loss)
        model = eqx.apply_updates(model, grads)
    return model


def plain_loss(w, x):
    return jnp.sum(jnp.tanh(x @ w))


def plain_grads(w, x):
    return jax.grad(plain_loss)(w, x)


def train_plainly(w, batches):
    for x in batches:
        loss, gradient = jax.value_and_grad(plain_loss)(w, x)
        w = w - 0.1 * gradient / loss
    return w


@jax.jit
def jitted_grads(w, x):
    return jax.grad(plain_loss)(w, x)


def eager_beside_jitted(w, batches):
    for x in batches:
        loss = plain_loss(w, x)
        w = w - 0.1 * jitted_grads(w, x) / loss
    return w


@jax.jit
def scaled_grads(w, x):
    return jax.grad(plain_loss)(0.5 * w, x)


@jax.jit
def other_order(x, w):
    return jax.grad(plain_loss)(w, x)


@jax.jit
def counted_grads(w, x):
    print("traced")
    return jax.grad(plain_loss)(w, x)


def other_functions(w, batches):
    for x in batches:
        loss = plain_loss(w, x)
        w = w - 0.1 * scaled_grads(w, x) / loss - other_order(w, x) - counted_grads(w, x)
    return w
