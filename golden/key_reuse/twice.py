"""Keys that are used twice, in one line each."""

import jax
import jax.numpy as jnp


def twice_in_one_call(key):
    return jnp.add(jax.random.normal(key), jax.random.uniform(key))  # want: key-reuse (no fix): uses it first


def twice_through_a_tuple(key):
    a, b = jax.random.normal(key), jax.random.uniform(key)  # want: key-reuse (no fix): uses it first
    return a + b


def twice_in_a_loop(key, n):
    return [jax.random.normal(key) for _ in range(n)]  # want: key-reuse (no fix): in each iteration


def initial(key, shape):
    return jax.random.normal(key, shape) / shape[0] ** 0.5


def layer(key, size):
    first, second = jax.random.split(key)
    return {
        "query": initial(first, (size, size)),
        "key": initial(first, (size, size)),  # want: key-reuse (no fix)
        "value": initial(second, (size, size)),
    }


NOISE = jax.random.key(3)


def noised(x):
    level = jax.random.uniform(NOISE, (x.shape[0],))
    return x * level + jax.random.normal(NOISE, x.shape)  # want: key-reuse (no fix)


def shifted(x):
    return x + jax.random.normal(NOISE, x.shape)


def first_is_read_before_the_second(key, n):
    keys = jax.random.split(key, n)
    first = [jax.random.normal(each) for each in keys]
    keys = jax.random.split(key, n)  # want: key-reuse (no fix)
    return first, [jax.random.normal(each) for each in keys]


def first_is_read_in_the_next_round(key, n):
    keys, total = jax.random.split(key, n), 0.0
    for _ in range(n):
        total = total + jax.random.normal(keys[0])
        keys = jax.random.split(key, n)  # want: key-reuse (no fix)
    return total
