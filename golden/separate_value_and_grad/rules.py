"""A derivative rule of a function's own, whose forward pass returns another value."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def rounded(x):
    return jnp.round(x)


rounded.defvjp(lambda x: (x, None), lambda _, g: (g,))


def loss_fn(p):
    return jnp.sum(rounded(p) ** 2)


def train(p):
    for _ in range(100):
        loss = loss_fn(p)
        grads = jax.grad(loss_fn)(p)  # want: separate-value-and-grad (no fix): derivative rule
        p = p - 0.1 * grads / loss
    return p
