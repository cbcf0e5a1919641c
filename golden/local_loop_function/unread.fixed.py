"""A carry that the caller does not read: no new name takes its place."""

import jax
import jax.numpy as jnp


def _walk_body(state, _):
    carry, rate = state
    x, key = carry
    key, noise = jax.random.split(key)
    x = x + rate * jax.random.normal(noise, x.shape)
    return ((x, key), rate), x


def walk(x0, key, rate):
    _, path = jax.lax.scan(_walk_body, ((x0, key), rate), None, length=5)
    return path


def _scaled_body(state, _):
    carry, rate, bias = state
    x, best = carry
    x = x * rate + bias
    return ((x, jnp.maximum(best, x)), rate, bias), None


def scaled(x0, rate, bias):
    ((_, best), *_), _ = jax.lax.scan(_scaled_body, ((x0, x0), rate, bias), None, length=5)
    return best


def _brightest_body(state, _):
    carry, rate = state
    x, best = carry
    return ((x * rate, jnp.maximum(best, x)), rate), None


def brightest(x0, rate):
    ((_, best), _), _ = jax.lax.scan(_brightest_body, ((x0, x0), rate), None, length=5)
    return best


for step in range(9):
    print(walk(jnp.ones(2), jax.random.key(step), jnp.float32(0.1 * step))[-1])
    print(scaled(jnp.ones(()), jnp.float32(step), jnp.float32(1.0)), brightest(jnp.ones(()), jnp.float32(step)))
