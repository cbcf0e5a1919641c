"""Loops over elements that are left alone."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


# The element is used on the device, or its type would be another one in NumPy.
def on_device(n):
    for v in jnp.linspace(0.0, 1.0, n):
        print(jnp.sin(v))


def arithmetic(n):
    total = 0
    for v in jnp.arange(n):
        total = total + v
    return total


def compared(n):
    values = jnp.zeros(n)
    return [i for i in range(n) if values[i] > 0.1], [values[i] > 1 for i in range(n)]


def shown_as_it_is(n):
    return [repr(v) for v in jnp.arange(n)], [f"{v!r}" for v in jnp.arange(n)], ["%r" % v for v in jnp.arange(n)]


def kept(n):
    found = []
    for v in jnp.arange(n):
        found.append(v)
        print(v)
    return found


# NumPy, lists, and what is not known to be an array.
def of_numpy(n):
    values = np.zeros(n)
    return [float(values[i]) for i in range(len(values))], [float(v) for v in values]


def of_a_list(n):
    losses = []
    for i in range(n):
        losses.append(jnp.sin(i))
    return [float(loss) for loss in losses]


def unknown(values):
    return [float(values[i]) for i in range(len(values))]


# It changes in the loop.
def rebound(n):
    values = jnp.zeros(n)
    for i in range(len(values)):
        print(float(values[i]))
        values = values + 1


def filled(n):
    values = jnp.zeros(n)
    for i in range(n):
        values = values.at[i].set(float(values[i]) + 1)
    return values


class Walker:
    def __init__(self):
        self.place = jnp.zeros(4)

    def step(self):
        self.place = self.place + 1

    def run(self):
        for i in range(len(self.place)):
            print(float(self.place[i]))
            self.step()


# Read later, when it may be another one.
def later(n):
    values = jnp.zeros(n)
    shown = [lambda i=i: float(values[i]) for i in range(n)]
    lazy = (float(values[i]) for i in range(n))
    values = values + 1
    return shown, lazy


# Not bound on each way to the loop.
def maybe(n, flag):
    if flag:
        values = jnp.zeros(n)
    for i in range(n):
        print(float(values[i]))


# Under a trace; a few rounds; the same element each time.
@functools.partial(jax.jit, static_argnums=0)
def traced(n, x):
    for i in range(n):
        x = x + i
    return x


def few():
    low, high = (float(v) for v in jnp.quantile(jnp.arange(9), jnp.array([0.1, 0.9])))
    values = jnp.zeros(3)
    for i in range(3):
        print(float(values[i]))
    return low, high, values, [float(v) for v in jnp.sin(values)[:3]]


def first(n):
    values = jnp.zeros(n)
    for _ in range(n):
        print(float(values[0]))
    return values


# Of an object of the file's own, which a decorator makes of the array.
class Sharded:
    def __init__(self, value):
        self.value = np.asarray(value)

    def __getitem__(self, index):
        return self.value[index]


def sharded(function):
    return lambda *args: Sharded(function(*args))


@sharded
def zeros(n):
    return jnp.zeros(n)


def of_objects(n):
    values = zeros(n)
    print([float(value) for value in values])
    for i in range(n):
        print(float(values[i]))
