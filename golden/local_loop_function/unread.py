"""A carry that the caller does not read: no new name takes its place."""

import jax
import jax.numpy as jnp


def walk(x0, key, rate):
    def body(carry, _):
        x, key = carry
        key, noise = jax.random.split(key)
        x = x + rate * jax.random.normal(noise, x.shape)
        return (x, key), x

    (_, _), path = jax.lax.scan(body, (x0, key), None, length=5)  # want: local-loop-function
    return path


def scaled(x0, rate, bias):
    def body(carry, _):
        x, best = carry
        x = x * rate + bias
        return (x, jnp.maximum(best, x)), None

    (_, best), _ = jax.lax.scan(body, (x0, x0), None, length=5)  # want: local-loop-function
    return best


def brightest(x0, rate):
    def body(carry, _):
        x, best = carry
        return (x * rate, jnp.maximum(best, x)), None

    (_, best), _ = jax.lax.scan(body, (x0, x0), None, length=5)  # want: local-loop-function
    return best


for step in range(9):
    print(walk(jnp.ones(2), jax.random.key(step), jnp.float32(0.1 * step))[-1])
    print(scaled(jnp.ones(()), jnp.float32(step), jnp.float32(1.0)), brightest(jnp.ones(()), jnp.float32(step)))
