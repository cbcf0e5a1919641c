"""Keys that look as if they were used twice, and are not."""

import functools

import jax
import jax.numpy as jnp


def renewed_by_a_walrus(key, n):
    found = []
    while (key := jax.random.fold_in(key, len(found))) is not None and len(found) < n:
        found.append(jax.random.normal(key, (3,)))
    return found


def one_of_two(key, is_train):
    return jax.random.normal(key) if is_train else jax.random.uniform(key)


def one_of_two_by_match(key, kind):
    match kind:
        case "a":
            return jax.random.normal(key)
        case "b":
            return jax.random.uniform(key)
    return jax.random.gumbel(key)


def left_by_assert(key, flag):
    if flag:
        x = jax.random.normal(key)
        assert False, x
    return jax.random.uniform(key)


def rows_of_keys(keys):
    a = jax.random.normal(keys[0])
    b = jax.random.uniform(keys[1])
    return a, b


def rows_by_number(keys, i, j):
    a = jax.random.normal(keys[i])
    b = jax.random.uniform(keys[j])
    return a, b


def mapped_over_keys(key):
    keys = jax.random.split(key, 4)
    a = jax.vmap(lambda k: jax.random.normal(k, (2,)))(keys)
    b = jax.vmap(functools.partial(jax.random.uniform, shape=(2,)))(jax.random.split(keys[0], 4))
    return a, b


def split_and_unpacked(key):
    key, sub = jax.random.split(key)
    a = jax.random.normal(sub)
    key, sub = jax.random.split(key)
    return a, jax.random.normal(sub)


def deleted_between(key):
    a = jax.random.normal(key)
    del key
    key = jax.random.key(1)
    return a, jax.random.normal(key)


def given_a_default(key=None):
    key = jax.random.key(0) if key is None else key
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1), jax.random.uniform(k2)


def antithetic(key, x):
    z = jax.random.normal(key, x.shape)
    w = -jax.random.normal(key, x.shape)  # the same draws, with the other sign
    return z + w


def same_on_purpose(key, f, x):
    eps = jax.random.normal(key, x.shape)
    again = jax.random.normal(key, x.shape)
    assert jnp.array_equal(eps, again)
    return f(x + eps)


def in_comprehensions(key, n):
    return [jax.random.normal(jax.random.fold_in(key, i)) for i in range(n)] + [
        jax.random.uniform(jax.random.fold_in(key, n + i)) for i in range(n)
    ]


def through_try(key):
    try:
        return jax.random.cholesky_normal(key)
    except AttributeError:
        return jax.random.normal(key)


class Holder:
    def __init__(self, key):
        self.key = key

    def next(self):
        self.key, sub = jax.random.split(self.key)
        return sub

    def two(self):
        return jax.random.normal(self.next()), jax.random.uniform(self.next())


def once_per_call_of_scan(key, xs):
    def body(k, x):
        k, sub = jax.random.split(k)
        return k, x + jax.random.normal(sub)

    return jax.lax.scan(body, key, xs)
