"""A part that is less than half of what a call starts: with the rest eager, a function for it is in the way."""
import jax
import jax.numpy as jnp
import numpy as np


def potential(q):
    return jnp.sum(q ** 4 / 4 - q ** 2 / 2)


def leapfrog(q, p, eps, n):
    p = p - 0.5 * eps * jax.grad(potential)(q)
    for i in range(n):
        q = q + eps * p
        if i != n - 1:
            p = p - eps * jax.grad(potential)(q)  # want: unjitted-update
    p = p - 0.5 * eps * jax.grad(potential)(q)
    return q, -p


def trajectories(q, p, n):
    ends = []
    for i in range(n):
        q, p = leapfrog(q, p, 0.2, 5 + i % 2)  # want: unjitted-update (no fix)
        ends.append(np.asarray(q))
    return ends


def relax(x, rounds):
    for i in range(rounds):
        x = jnp.tanh(x) + jnp.sin(x) * jnp.cos(x) - x ** 2  # want: unjitted-update
        print(i)
    return x


# Most of what it starts is in its loop.
def settle(x):
    x = jnp.tanh(x) + jnp.sin(x) * jnp.cos(x)
    for i in range(20):
        if i % 3 != 1:
            x = x - 0.1 * jnp.sin(x)
        print(i)
    return x


def repeated(x):
    for i in range(50):
        x = settle(x)
    return x


print(trajectories(jnp.ones(2), jnp.ones(2), 24), relax(jnp.ones(3), 30), repeated(jnp.ones(2)))
