"""A parameter that is updated by arithmetic alone: what else is done with it says whether it may be a Python number."""

import jax
import jax.numpy as jnp


def learned(w, y, theta, rule, state, steps):
    def loss(theta):
        product = jax.vmap(jnp.matmul)(w, theta)
        return jnp.mean(jnp.sum((product - y) ** 2, axis=1))


    def loop_body(carry, _):
        state, theta = carry
        value, slopes = jax.value_and_grad(loss)(theta)
        updates, state = rule(slopes, state)
        theta += updates
        return (state, theta), value

    (state, theta), losses = jax.lax.scan(loop_body, (state, theta), jnp.arange(steps))
    return losses, theta, state


# A number may be passed for `theta`, and Python then computes in double precision.
def scalar(theta, rule, state, steps):
    def loss(theta):
        return (theta - 0.1) ** 2

    for _ in range(steps):
        slopes = jax.grad(loss)(theta)
        updates, state = rule(slopes, state)
        theta += updates
    return theta, state


# With axes given, `vmap` takes numbers as well.
def unmapped(w, theta, rule, state, steps):
    def loss(theta):
        return jnp.mean(jax.vmap(jnp.multiply, in_axes=(0, None))(w, theta))

    for _ in range(steps):
        updates, state = rule(jax.grad(loss)(theta), state)
        theta += updates
    return theta, state


def momentum(slopes, state):
    state = 0.9 * state + slopes
    return -0.01 * state, state


@jax.jit
def run(w, y, theta):
    losses, theta, state = learned(w, y, theta, momentum, jnp.zeros_like(theta), 12)
    last, _ = scalar(theta[0, 0], momentum, jnp.zeros(()), 12)
    other, _ = unmapped(w, theta[0, 0], momentum, jnp.zeros(()), 12)
    return losses, theta, state, last, other


if __name__ == "__main__":
    print(run(jnp.ones((4, 3, 3)), jnp.ones((4, 3)), jnp.full((4, 3), 0.2)))
