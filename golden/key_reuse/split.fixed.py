"""Keys that are used twice, split because that was asked for."""
# asked: --split-keys

import jax
from jax import random
from jax.random import normal, uniform


def two(key, n):
    key, key_for_inputs = random.split(key)
    inputs = random.normal(key_for_inputs, (n,))
    return inputs, random.uniform(key, (n,))


def three(key, n):
    key, key_for_first = jax.random.split(key)
    first = jax.random.normal(key_for_first, (n,))
    key, key_for_second = jax.random.split(key)
    second = jax.random.uniform(key_for_second, (n,))
    # the last one gets what is left
    third = jax.random.gumbel(key, (n,))
    return first, second, third


def by_name(key):
    key, key_part = jax.random.split(key)
    return normal(key_part) + uniform(key=key)


def by_keyword(key, n):
    key, key_for_x = jax.random.split(key)
    x = jax.random.normal(key=key_for_x, shape=(n,))
    return x, jax.random.bernoulli(key, 0.5, (n,))


def keys_again(key):
    key, key_part = random.split(key)
    first, second = random.split(key_part)
    third, fourth = random.split(key)
    return first, second, third, fourth


def in_a_branch(key, x, is_noisy):
    if is_noisy:
        key, key_for_x = random.split(key)
        x = x + random.normal(key_for_x, (3,))
    return x * random.bernoulli(key, 0.9, (3,))


def every_iteration(key, x):
    for _ in range(10):
        key, key_for_x = random.split(key)
        x = x + random.normal(key_for_x, x.shape)
    return x


def initial(rng, n):
    first, second = random.split(rng)
    return random.normal(first, (n,)), random.normal(second, (n,))


def through_functions(key):
    key, key_for_actor = jax.random.split(key)
    actor = initial(key_for_actor, 3)
    critic = initial(key, 4)
    return actor, critic


def returned_too(key, n):
    key, key_for_a = random.split(key)
    a = random.normal(key_for_a, (n,))
    b = random.uniform(key, (n,))
    return key, a, b


# What cannot be split by a line above stays a report.
def an_element(key):
    keys = random.split(key, 3)
    x = random.normal(keys[0])
    return x + random.uniform(keys[0])


def of_layers(key, sizes):
    return [random.normal(key, (n, m)) for n, m in sizes]


def in_a_test(key, x):
    key, key_part = random.split(key)
    if random.bernoulli(key_part):
        x = x + 1
    return x + random.normal(key)


def in_a_second_test(key, x):
    if x > 3:
        x = x - 1
    elif random.bernoulli(key):
        x = x + random.normal(key)
    return x


def in_the_test_of_a_loop(key, x):
    while random.bernoulli(key):
        x = x + 1
    return x


def with_a_function_alone(seed, n):
    rng = jax.random.key(seed)
    rng, rng_for_actor = jax.random.split(rng)
    actor = initial(rng_for_actor, n)
    return actor, initial(rng, n + 1)


def captured(key):
    x = random.normal(key)
    y = random.uniform(key)

    def later():
        return random.fold_in(key, 3)

    return x, y, later


def deleted(key):
    x = random.normal(key)
    y = random.uniform(key)
    del key
    return x, y


in_a_lambda = lambda key: random.normal(key) + random.uniform(key)
