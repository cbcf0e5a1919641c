"""A function that was new once, one that the code explains, and a line without a known cause."""

import jax


def warm(step, x):
    return step(x)


def unknown(step, x):
    return step(x)
