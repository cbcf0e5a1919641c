"""Gradients beside which nothing is computed twice."""

import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


# Other arguments, another function, or none.
def elsewhere(params, xs, y):
    for x in xs:
        grads = jax.grad(loss_fn)(params, x)
        print(loss_fn(params, y), jnp.sum(params * x))
        params = params - grads
    return params


def drawn_twice(params, batches):
    for _ in range(100):
        loss = loss_fn(params, next(batches))
        params = params - jax.grad(loss_fn)(params, next(batches)) / loss
    return params


def after_the_step(params, xs):
    for x in xs:
        grads = jax.grad(loss_fn)(params, x)
        params = params - 0.1 * grads
        print(loss_fn(params, x))
    return params


def at_both_ends(params, x, steps):
    slope = jax.grad(loss_fn)
    g = slope(params, x)
    for _ in range(steps):
        params = params - g
        g = slope(params, x)
    return params, loss_fn(params, x)


def both_at_once(params, xs):
    for x in xs:
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        params = params - grads / loss
    return params


# One program: XLA computes it once.
@jax.jit
def traced(params, x):
    loss = loss_fn(params, x)
    return params - jax.grad(loss_fn)(params, x) / loss


# At times only, or never both.
def at_times(params, xs):
    for i, x in enumerate(xs):
        if i % 100 == 0:
            print(loss_fn(params, x))
        params = params - jax.grad(loss_fn)(params, x)
    return params


def one_of_two(params, x, wanted):
    return loss_fn(params, x) if wanted else jax.grad(loss_fn)(params, x)


def choosing(f, g, params):
    for _ in range(100):
        f = g
        loss = f(params)
        params = params - jax.grad(f)(params) / loss
    return params


# Once, at the top of a script.
if __name__ == "__main__":
    start = jnp.ones(3)
    print(loss_fn(start, start), jax.grad(loss_fn)(start, start))
