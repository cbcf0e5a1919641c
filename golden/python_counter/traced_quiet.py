"""Places where a run saw something else, or nothing that repeats."""

import jax

step = jax.jit(lambda x, mode: x, static_argnums=1)


def train(x):
    for mode in ("warm", "cold", "warmer"):
        x = step(x, mode)
    for flag in (True, False):
        x = step(x, flag)
    return step(x, 3), step(x, 4)
