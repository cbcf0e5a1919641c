"""The loss and the optimizer of a step are made by functions of the program."""

import functools

import jax
import jax.numpy as jnp


def make_loss(l2):
    def loss(params, x, y):
        return jnp.mean((x @ params - y) ** 2) + l2 * jnp.sum(params**2)

    return loss


def scaled(loss, factor):
    if factor == 1:
        return loss
    return lambda params, x, y: factor * loss(params, x, y)


@functools.partial(jax.jit, static_argnames="loss")
def step(params, x, y, loss):
    return params - 0.1 * jax.grad(loss)(params, x, y)


def stated(params, x, y, loss):
    return params - 0.1 * jax.grad(loss)(params, x, y)


def logged(log):
    def loss(params, x, y):
        log.append(params)
        return jnp.mean((x @ params - y) ** 2)

    return loss


def weighing(weights):
    def loss(params, x, y):
        return jnp.mean((x @ params - y) ** 2) + weights["l2"] * jnp.sum(params**2)

    return loss


def weighed(params, x, y, loss):
    return params - 0.1 * jax.grad(loss)(params, x, y)


def logging(params, x, y, loss):
    return params - 0.1 * jax.grad(loss)(params, x, y)


def main(params, batches):
    loss = make_loss(1e-3)
    for x, y in batches:
        params = step(params, x, y, loss)
    either = scaled(loss, len(batches))
    for x, y in batches:
        params = stated(params, x, y, either)
    noted = logged([])
    for x, y in batches:
        params = logging(params, x, y, noted)
    weights = {"l2": 1.0}
    lighter = weighing(weights)
    for x, y in batches:
        params = weighed(params, x, y, lighter)
        weights["l2"] *= 0.5
    return params


if __name__ == "__main__":
    main(jnp.ones(3), [(jnp.ones((4, 3)), jnp.ones(4)) for _ in range(8)])
