"""Keys that are used twice, split because that was asked for."""
# asked: --split-keys

import jax
from jax import random
from jax.random import normal, uniform


def two(key, n):
    inputs = random.normal(key, (n,))
    return inputs, random.uniform(key, (n,))  # want: key-reuse


def three(key, n):
    first = jax.random.normal(key, (n,))
    second = jax.random.uniform(key, (n,))  # want: key-reuse
    # the last one gets what is left
    third = jax.random.gumbel(key, (n,))  # want: key-reuse
    return first, second, third


def by_name(key):
    return normal(key) + uniform(key=key)  # want: key-reuse


def by_keyword(key, n):
    x = jax.random.normal(key=key, shape=(n,))
    return x, jax.random.bernoulli(key, 0.5, (n,))  # want: key-reuse


def keys_again(key):
    first, second = random.split(key)
    third, fourth = random.split(key)  # want: key-reuse
    return first, second, third, fourth


def in_a_branch(key, x, is_noisy):
    if is_noisy:
        x = x + random.normal(key, (3,))
    return x * random.bernoulli(key, 0.9, (3,))  # want: key-reuse


def every_iteration(key, x):
    for _ in range(10):
        x = x + random.normal(key, x.shape)  # want: key-reuse
    return x


def initial(rng, n):
    first, second = random.split(rng)
    return random.normal(first, (n,)), random.normal(second, (n,))


def through_functions(key):
    actor = initial(key, 3)
    critic = initial(key, 4)  # want: key-reuse
    return actor, critic


def returned_too(key, n):
    a = random.normal(key, (n,))
    b = random.uniform(key, (n,))  # want: key-reuse
    return key, a, b


# What cannot be split by a line above stays a report.
def an_element(key):
    keys = random.split(key, 3)
    x = random.normal(keys[0])
    return x + random.uniform(keys[0])  # want: key-reuse (no fix): line 69 uses it first


def of_layers(key, sizes):
    return [random.normal(key, (n, m)) for n, m in sizes]  # want: key-reuse (no fix): in each iteration


def in_a_test(key, x):
    if random.bernoulli(key):
        x = x + 1
    return x + random.normal(key)  # want: key-reuse


def in_a_second_test(key, x):
    if x > 3:
        x = x - 1
    elif random.bernoulli(key):
        x = x + random.normal(key)  # want: key-reuse (no fix): uses it first
    return x


def in_the_test_of_a_loop(key, x):
    while random.bernoulli(key):  # want: key-reuse (no fix): in each iteration
        x = x + 1
    return x


def with_a_function_alone(seed, n):
    rng = jax.random.key(seed)
    actor = initial(rng, n)
    return actor, initial(rng, n + 1)  # want: key-reuse


def captured(key):
    x = random.normal(key)
    y = random.uniform(key)  # want: key-reuse (no fix): uses it first

    def later():
        return random.fold_in(key, 3)

    return x, y, later


def deleted(key):
    x = random.normal(key)
    y = random.uniform(key)  # want: key-reuse (no fix): uses it first
    del key
    return x, y


in_a_lambda = lambda key: random.normal(key) + random.uniform(key)  # want: key-reuse (no fix): uses it first
