"""What a decorator makes of what a function returns: an object with a `device` of its own, or the same array."""

import functools
import time

import jax
import jax.numpy as jnp


class Sharded:
    """An array and where it is."""

    def __init__(self, value, place="left"):
        self.value, self.place = value, place

    def __add__(self, other):
        return Sharded(self.value + getattr(other, "value", other), self.place)

    __radd__ = __add__

    def device(self):
        return self.place


def sharded(function):
    @functools.wraps(function)
    def wrapped(*args):
        return Sharded(function(*args))

    return wrapped


def placed(place):
    def decorate(function):
        return lambda *args: Sharded(function(*args), place)

    return decorate


@sharded
def zeros(n):
    return jnp.zeros(n)


@placed("right")
def ones(n):
    return jnp.ones(n)


@sharded
def pair(n):
    return jnp.zeros(n), jnp.ones(n)


def whole(n):
    return zeros(n)


def where(value):
    return value.device()


def chosen(flag):
    if flag:
        found = zeros(3)
    else:
        found = ones(4)
    return found.device()


def summed(count):
    total = zeros(3)
    for _ in range(count):
        total = total + jnp.ones(3)
    return total.device()


def added():
    total = ones(3)
    total += 1.0
    return total.device()


one, other = zeros(1), ones(2)
print(one.device(), other.device(), where(zeros(2)), where(whole(2)), whole(3).device())
print((zeros(3) if chosen(True) else ones(3)).device(), summed(2), added())


def mixed(flag, given):
    if flag:
        found = whole(3) + given
    else:
        found = ones(3) * jnp.ones(3)
    return found.device()


def summed_up():
    return zeros(3) + jnp.ones(3)


print(mixed(True, jnp.ones(3)), summed_up().device())
state = jnp.ones(3)
state = whole(3) + state
print(state.device(), jax.tree.map(zeros, [1, 2])[0].device())


def logged(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        print(function.__name__)
        return function(*args, **kwargs)

    return wrapped


def timed(label):
    def decorate(function):
        def wrapped(*args):
            start = time.perf_counter()
            result = jax.block_until_ready(function(*args))
            print(label, time.perf_counter() - start)
            return result

        return wrapped

    return decorate


def registered(function):
    print(function.__name__)
    return function


def compiled(function):
    return jax.jit(function)


def halves(flag):
    if flag:
        found = halved(3)
    else:
        found = halved(4)
    return next(iter(found.devices()))


@logged
def halved(n):
    return jnp.ones(n) / 2


@timed("thirds")
@registered
def thirds(n):
    return jnp.ones(n) / 3


@functools.partial(jax.jit, static_argnums=0)
def quarters(n):
    return jnp.ones(n) / 4


@functools.cache
def fifths(n):
    return jnp.ones(n) / 5


@compiled
def squared(x):
    return jnp.square(x)


@jax.vmap
def cubed(x):
    return jnp.sum(x) ** 3


@jax.named_scope("sixths")
def sixths(n):
    return jnp.ones(n) / 6


total = thirds(3)
total += 1.0
part = quarters(3)
part += 1.0
kept = fifths(3)
kept += 1.0
shape = squared(jnp.ones(3))
shape += 1.0
solid = cubed(jnp.ones(3))
solid += 1.0
rest = sixths(3)
rest += 1.0
print(next(iter(total.devices())))
print(next(iter(part.devices())))
print(next(iter(kept.devices())))
print(next(iter(shape.devices())))
print(next(iter(solid.devices())))
print(next(iter(rest.devices())))
