"""Functions that are bound again to what is made of them: which one a use means, nobody follows."""

import jax


def run(xs):
    def step(x):
        return x + 1

    step = jax.jit(step)
    for x in xs:
        print(step(x))


def again(f, xs):
    step = lambda x: x + 1  # noqa: E731
    for x in xs:
        step = jax.jit(step)
        print(step(x))
    return f


run([1, 2])
