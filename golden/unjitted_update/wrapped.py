"""Functions that decorators of the file wrap: what those do at each call, a trace does once."""

import functools

import jax
import jax.numpy as jnp

CALLS = []


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        CALLS.append(function.__name__)
        return function(*args)

    return inner


def limited(most):
    left = [most]

    def decorate(function):
        def inner(*args):
            left[0] -= 1
            return function(*args) if left[0] >= 0 else 0.0 * function(*args)

        return inner

    return decorate


class counted:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


def doubled(function):
    @functools.wraps(function)
    def inner(*args):
        return 2.0 * function(*args)

    return inner


@logged
def first(params, x):
    return jnp.mean((x @ params) ** 2)


@limited(40)
def second(params, x):
    return jnp.mean((x @ params) ** 2)


@counted
def third(params, x):
    return jnp.mean((x @ params) ** 2)


@doubled
def fourth(params, x):
    return jnp.mean((x @ params) ** 2)


def of_logged(params, batches):
    for x in batches:
        params = params - 0.1 * jax.grad(first)(params, x)  # want: unjitted-update (no fix)
    return params


def of_limited(params, batches):
    for x in batches:
        params = params - 0.1 * jax.grad(second)(params, x)  # want: unjitted-update (no fix)
    return params


def of_counted(params, batches):
    for x in batches:
        params = params - 0.1 * jax.grad(third)(params, x)  # want: unjitted-update (no fix)
    return params


def of_doubled(params, batches):
    for x in batches:
        params = params - 0.1 * jax.grad(fourth)(params, x)  # want: unjitted-update
    return params


def main():
    batches = [jnp.ones((4, 3)) * number for number in range(6)]
    for train in (of_logged, of_limited, of_counted, of_doubled):
        print(train(jnp.ones(3), batches))
    print(len(CALLS))


if __name__ == "__main__":
    main()
