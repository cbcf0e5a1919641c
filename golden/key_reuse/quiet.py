"""Keys that are used once on each way, or twice on purpose."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random


# Another key each time.
def split_first(key, n):
    for_x, for_y = random.split(key)
    return random.normal(for_x, (n,)), random.normal(for_y, (n,))


def rebound(key, n):
    key, part = random.split(key)
    x = random.normal(part, (n,))
    key, part = random.split(key)
    return x, random.normal(part, (n,))


def folded(key, n):
    x = random.normal(random.fold_in(key, 0), (n,))
    return x, random.normal(random.fold_in(key, 1), (n,)), [random.normal(random.fold_in(key, i)) for i in range(n)]


def elements(key, n):
    keys = random.split(key, n)
    x, y = random.normal(keys[0]), random.normal(keys[1])
    return x, y, [random.normal(keys[i]) for i in range(n)], [random.normal(k) for k in keys]


def filled(key, keys):
    x = random.normal(keys[0])
    keys[0] = key
    return x, random.normal(keys[0])


def taken_off(keys):
    x = random.normal(keys[0])
    keys.pop(0)
    return x, random.normal(keys[0])


def in_each_round(key, n):
    x = 0.0
    for i in range(n):
        key, part = random.split(key)
        x += random.normal(part)
        if i > 3:
            continue
        key = random.fold_in(key, i)
    while x < 3:
        part = random.fold_in(key, int(x))
        x += random.normal(part)
    return x


def of_a_loop_that_is_left(key, xs):
    for x in xs:
        return x + random.normal(key)
    return random.uniform(key)


def of_one_round(key):
    for _ in range(1):
        x = random.normal(key)
    return x


# One way or the other.
def either(key, kind, n):
    if kind == "normal":
        return random.normal(key, (n,))
    if kind == "uniform":
        x = random.uniform(key, (n,))
    elif kind == "gumbel":
        x = random.gumbel(key, (n,))
    else:
        x = random.normal(key, (n,)) if n > 3 else random.laplace(key, (n,))
    return x


def by_two_questions(key, is_training, is_noisy):
    x = jnp.ones(3)
    if is_training:
        x = x + random.normal(key, (3,))
    if is_noisy and not is_training:
        x = x * random.uniform(key, (3,))
    return x


def matched(key, kind):
    match kind:
        case "normal":
            return random.normal(key)
        case "uniform":
            x = random.uniform(key)
        case _:
            x = random.gumbel(key)
    return x


def tried(key):
    try:
        return random.poisson(key, 3.0)
    except NotImplementedError:
        return random.normal(key)


def left_early(key, is_done):
    if is_done:
        x = random.normal(key)
    if is_done:
        return x
    return random.uniform(key)


# Elements of arrays that belong together.
def shuffled(key, images, labels):
    images = random.permutation(key, images)
    labels = random.permutation(key, labels)
    return images, labels


def sampled(key, batch, n):
    x = random.choice(key, batch["x"], (n,), replace=False)
    y = random.choice(key, batch["y"], (n,), replace=False)
    return x, y


def shuffled_by_name(key, batch):
    for name in batch:
        batch[name] = random.permutation(key, batch[name])
    return batch


def shuffled_leaves(key, batch):
    return jax.tree.map(lambda leaf: random.permutation(key, leaf), batch)


# The same on purpose.
def is_deterministic(key):
    np.testing.assert_array_equal(random.normal(key, (3,)), random.normal(key, (3,)))
    print(random.uniform(key, (3,)))


def shown(key):
    print(random.normal(key))
    print(random.normal(key))


def said(key, n):
    x = random.normal(key, (n,))
    # common random numbers: both see the same noise
    y = 2 * random.normal(key, (n,)) + 1
    return x, y


def fixed(sample_key, xs):
    for x in xs:
        print(x)
        key_q, key_sample = random.split(sample_key)  # Fixed key
        print(random.normal(key_q), random.normal(key_sample))


# What it is, is not known, or not a use.
def looked_at(key):
    return random.key_data(key), random.key_impl(key), random.normal(key), key.shape


def called(model, key, x):
    return model.init(key, x), model.apply(key, x), random.normal(key)


def of_an_object(state):
    return random.normal(state.key), random.uniform(state.key)


def of_others(random, key):
    return random.normal(key), random.uniform(key)


def sometimes(key, is_random):
    return random.normal(key) if is_random else 0.0


def through_functions_that_may_not(key):
    return sometimes(key, False), sometimes(key, True)


def of_captured(key):
    def noise(n):
        return random.normal(key, (n,))

    def more():
        return random.uniform(key)

    return noise, more


KEY = random.PRNGKey(0)


def of_the_module():
    return random.normal(KEY)


def of_the_module_too():
    return random.uniform(KEY)


def rebound_by_another(key):
    def advance():
        nonlocal key
        key, part = random.split(key)
        return part

    x = random.normal(key)
    advance()
    return x, random.uniform(key)


def split_and_split_again(key, n):
    keys = random.split(key, n)

    # the loop over them is gone

    keys = random.split(key, n)
    return [random.normal(each) for each in keys]
