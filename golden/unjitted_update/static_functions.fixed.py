"""Static functions that are made where a step is called: again and again, or once."""

import functools

import jax
import jax.numpy as jnp


def step(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


@jax.jit
def _local(params, batch):
    loss = lambda p: jnp.mean((p * 2) ** 2)
    return step(params, loss, batch)


def local(params, batch):
    params = _local(params, batch)
    print(params)
    return params


@functools.partial(jax.jit, static_argnames="loss")
def stepped(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


def defined(params, batch):
    def loss(p):
        return jnp.mean((p * 2) ** 2)

    params = stepped(params, loss, batch)
    print(params)
    return params


def train(params, batches):
    for batch in batches:
        params = local(params, batch)
        params = defined(params, batch)
    return params


def public(params, batches):
    """Made once a call, of which other code may make many."""
    loss = lambda p: jnp.mean((p * 2) ** 2)
    for batch in batches:
        params = constant(params, loss, batch)
    return params


def constant(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


if __name__ == "__main__":
    print(train(jnp.ones(3), [jnp.ones(3)] * 5))
    for _ in range(10):
        print(public(jnp.ones(3), [jnp.ones(3)] * 5))
