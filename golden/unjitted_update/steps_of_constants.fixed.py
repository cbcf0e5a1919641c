"""A number that callers hand on from the code: it is static, and the function that asks for it goes under `jit`."""

import functools

import jax
import jax.numpy as jnp


@jax.jit
def potential(q):
    return 0.5 * jnp.sum(q**2) + 0.1 * jnp.sum(q**4)


@jax.jit
def leapfrog_step(p, eps, q):
    return p - eps * jax.grad(potential)(q)


@functools.partial(jax.jit, static_argnames="n_steps")
def leapfrog(q, p, eps, n_steps):
    p = p - 0.5 * eps * jax.grad(potential)(q)
    for i in range(n_steps):
        q = q + eps * p
        if i < n_steps - 1:
            p = leapfrog_step(p, eps, q)
    return q, -(p - 0.5 * eps * jax.grad(potential)(q))


@jax.jit
def _moved(key, q):
    one, two = jax.random.split(key)
    p = jax.random.normal(one, q.shape)
    before = potential(q) + 0.5 * jnp.sum(p**2)
    return two, p, before


def moved(key, q, eps, n_steps):
    two, p, before = _moved(key, q)
    new, after = leapfrog(q, p, eps, n_steps)
    if jax.random.uniform(two) < jnp.exp(before - potential(new) - 0.5 * jnp.sum(after**2)):
        return new
    return q


def sample(samples=30, eps=0.1, n_steps=5):
    key, q = jax.random.key(0), jnp.ones(3)
    kept = []
    for _ in range(samples):
        key, sub = jax.random.split(key)
        q = moved(sub, q, eps, n_steps)
        kept.append(q)
    return jnp.stack(kept)


if __name__ == "__main__":
    print(sample().mean(0))
