"""Random keys that are used twice: what draws twice gets the same bits."""

import jax
import jax.numpy as jnp
from jax import random


def same(key, n):
    x = random.normal(key, (n,))
    y = random.normal(key, (2, n))  # want: key-reuse (no fix): changes every number that follows
    return x, y


def of_the_same_bits(key, n):
    x = jax.random.normal(key=key, shape=(n,))
    return x, jax.random.bernoulli(key, 0.5, (n,))  # want: key-reuse (no fix): line 15 uses it first


def of_other_bits(key, n):
    order = random.permutation(key, n)
    return order, random.randint(key, (), 0, n)  # want: key-reuse (no fix): line 20 uses it first


def keys_again(key):
    first, second = random.split(key)
    third, fourth = random.split(key)  # want: key-reuse (no fix): line 25 uses it first
    return first, second, third, fourth


def drawn_and_split(key):
    x = random.normal(key)
    key, other = random.split(key)  # want: key-reuse (no fix): line 31 uses it first
    return x, random.normal(key), random.normal(other)


def an_element(key):
    keys = random.split(key, 3)
    x, y = random.normal(keys[0]), random.normal(keys[1])
    return x + y + random.uniform(keys[0])  # want: key-reuse (no fix): line 38 uses it first


# On some ways only, of which one surely has both.
def in_a_branch(key, is_noisy):
    x = jnp.ones(3)
    if is_noisy:
        x = x + random.normal(key, (3,))
    return x * random.bernoulli(key, 0.9, (3,))  # want: key-reuse (no fix): line 46 uses it first


def after_a_branch_that_raises(key, n):
    x = random.normal(key, (n,))
    if n > 3:
        raise ValueError(n)
    return x, random.uniform(key, (n,))  # want: key-reuse (no fix): line 51 uses it first


def then_rebound(key):
    x = random.normal(key)
    y = random.uniform(key)  # want: key-reuse (no fix): line 58 uses it first
    key, part = random.split(key)  # want: key-reuse (no fix): line 58 uses it first
    return x, y, random.normal(part), random.normal(key)


# In each iteration.
def every_round(key, x):
    for _ in range(10):
        x = x + random.normal(key, x.shape)  # want: key-reuse (no fix): in each iteration
    return x


def of_the_round_before(key, x):
    while jnp.sum(x) < 10:
        x = x + random.uniform(key, x.shape)  # want: key-reuse (no fix): in each iteration
        x = x * random.normal(key, x.shape)  # want: key-reuse (no fix): line 73 uses it first
    return x


def of_layers(key, sizes):
    return [random.normal(key, (n, m)) for n, m in sizes]  # want: key-reuse (no fix): in each iteration


def of_leaves(key, tree):
    return jax.tree.map(lambda leaf: leaf + random.normal(key, leaf.shape), tree)  # want: key-reuse (no fix): each leaf


# Through a function of the file.
def initial(key, n):
    first, second = random.split(key)
    return random.normal(first, (n,)), random.normal(second, (n,))


def handed_on(n, key):
    return initial(key, n)


def through_functions(key):
    actor = initial(key, 3)
    critic = handed_on(4, key)  # want: key-reuse (no fix): line 97 uses it first
    return actor, critic, random.normal(key)  # want: key-reuse (no fix): line 97 uses it first
