"""Static functions that are made where a step is called: again and again, or once."""

import jax
import jax.numpy as jnp


def step(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


def local(params, batch):
    loss = lambda p: jnp.mean((p * 2) ** 2)
    params = step(params, loss, batch)
    print(params)
    return params


def stepped(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


def defined(params, batch):
    def loss(p):
        return jnp.mean((p * 2) ** 2)

    params = stepped(params, loss, batch)  # want: unjitted-update
    print(params)
    return params


def train(params, batches):
    for batch in batches:
        params = local(params, batch)  # want: unjitted-update
        params = defined(params, batch)
    return params


def public(params, batches):
    """Made once a call, of which other code may make many."""
    loss = lambda p: jnp.mean((p * 2) ** 2)
    for batch in batches:
        params = constant(params, loss, batch)  # want: unjitted-update (no fix): at every call of `public`
    return params


def constant(params, loss, batch):
    slopes = jax.grad(loss)(params)
    return params - 0.1 * slopes + 0.01 * jnp.mean(batch)


if __name__ == "__main__":
    print(train(jnp.ones(3), [jnp.ones(3)] * 5))
    for _ in range(10):
        print(public(jnp.ones(3), [jnp.ones(3)] * 5))
