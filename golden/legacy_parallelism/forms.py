"""The forms of a call that are rewritten; a function is bound when it is mapped, not when it is called."""

import functools

import jax
from jax import pmap
from jax.lax import pmean

AXIS = "batch"


def step(x):
    return x - pmean(x, AXIS)


step = jax.pmap(step, AXIS)  # want: legacy-parallelism


@jax.pmap  # want: legacy-parallelism
def double(x):
    return 2 * x


class Trainer:
    def __init__(self, devices):
        self.update = pmap(self.update, axis_name=AXIS, devices=devices, in_axes=(None, 0), out_axes=None)  # want: legacy-parallelism

    def update(self, w, x):
        return w - pmean(x, AXIS)


def doubled(x):
    return pmap(lambda x: double(x) + 1, donate_argnums=0)(x)  # want: legacy-parallelism


@functools.partial(jax.pmap, in_axes=(0, None))  # want: legacy-parallelism
def scale(x, factor):
    return x * factor
