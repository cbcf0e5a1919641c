"""Functions that are bound again, to what is made of them or to something else."""

import jax
import jax.numpy as jnp


def _run_step(x):
    return x + 1


_run_step = jax.jit(_run_step)


def run(xs):
    for x in xs:
        print(_run_step(x))


# grows with what it has seen
def _with_options_grow(x, size, rate):
    return x * rate * jnp.ones(size)


_with_options_grow = jax.jit(_with_options_grow, static_argnums=1)


def with_options(xs, rate):
    return [_with_options_grow(x, 3, rate) for x in xs]


_two_of_a_name_step = jax.jit(lambda p, x: p - x)
_two_of_a_name_step_2 = jax.jit(lambda p, x: p + x)


def two_of_a_name(params, xs):
    for x in xs:
        step = _two_of_a_name_step
        params = step(params, x)
    for x in xs:
        step = _two_of_a_name_step_2
        params = step(params, x)
    return params


def two_that_take_more(params, xs, rate):
    step = jax.jit(lambda p: p - rate * xs)
    params = step(params)
    step = jax.jit(lambda p: p + rate * xs)
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
