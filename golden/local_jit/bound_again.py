"""Functions that are bound again, to what is made of them or to something else."""

import jax
import jax.numpy as jnp


def run(xs):
    def step(x):
        return x + 1

    step = jax.jit(step)  # want: local-jit
    for x in xs:
        print(step(x))


def with_options(xs, rate):
    # grows with what it has seen
    def grow(x, size):
        return x * rate * jnp.ones(size)

    grow = jax.jit(grow, static_argnums=1)  # want: local-jit
    return [grow(x, 3) for x in xs]


def two_of_a_name(params, xs):
    for x in xs:
        step = jax.jit(lambda p, x: p - x)  # want: local-jit
        params = step(params, x)
    for x in xs:
        step = jax.jit(lambda p, x: p + x)  # want: local-jit
        params = step(params, x)
    return params


def two_that_take_more(params, xs, rate):
    step = jax.jit(lambda p: p - rate * xs)  # want: local-jit (no fix): `step` is bound more than once, and this function would have to take `rate`
    params = step(params)
    step = jax.jit(lambda p: p + rate * xs)  # want: local-jit (no fix): and this function would have to take `rate`
    return step(params)


def by_turns(xs, flag):
    def step(x):
        return x + 1

    if flag:
        step = jax.jit(step)
    return [step(x) for x in xs]


def used_before(x):
    def step(x):
        return x + 1

    first = step(x)
    step = jax.jit(step)
    return first + step(x)


def again(f, xs):
    step = lambda x: x + 1  # noqa: E731
    for x in xs:
        step = jax.jit(step)
        print(step(x))
    return f


for _ in range(30):
    run([1, 2])
    with_options([1.0, 2.0], 0.5)
    two_of_a_name(1.0, [1.0, 2.0])
    two_that_take_more(1.0, 2.0, 0.5)
    by_turns([1.0], True)
    used_before(1.0)
