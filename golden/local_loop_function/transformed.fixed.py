"""Under an eager `grad`, `vmap` and their kin, what is called is the transformation: the outermost one is wrapped."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace

BATCH = jnp.ones((3, 2))


def halve(v, _):
    return v * 0.5, None


def energy(x):
    return lax.scan(halve, x, None, length=3)[0].sum()


def hidden(x):
    return _inner(x) * 2


def _inner(x):
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, x).sum()


def gradient(x):
    return retrace(jax.grad(energy))(x)


def curvature(x):
    return retrace(jax.hessian(hidden))(x)


def pushed(x):
    return retrace(jax.jvp)(energy, (x,), (x,))


def of_each(xs):
    return retrace(jax.vmap(jax.value_and_grad(energy)))(xs)


def with_aux(x, fn):
    def loss(y, scale):
        out = lax.cond(y.sum() > 0, lambda v: fn(v), lambda v: v, y)
        return (out * scale).sum(), {"out": out, "name": "loss"}

    return retrace(jax.value_and_grad(loss, has_aux=True))(x, 2.0)


def outermost(xs):
    def one(x):
        return jax.grad(lambda y: lax.while_loop(lambda v: v.sum() < 3, lambda v: v * 2, y).sum() + y.sum())(x)

    return retrace(jax.vmap(one))(xs)


def mapped(xs, steps):
    def one(x):
        def body(v, _):
            return v * 0.5 + jnp.zeros(steps).sum(), None

        return lax.scan(body, x, None, length=3)[0]

    return retrace(jax.vmap(one))(xs)


def mapped_lift(xs, rate):
    def one(x):
        return lax.fori_loop(0, 3, lambda i, v: v * rate, x)

    return retrace(jax.vmap(one))(xs)


def _one_body(i, v):
    return v * 0.5


def mapped_move(xs):
    def one(x):
        return lax.fori_loop(0, 3, _one_body, x)

    return jax.vmap(one)(xs)


def descend(x, steps):
    slope = retrace(jax.grad(energy))
    for _ in range(steps):
        x = x - 0.1 * slope(x)
    return x


class Model:
    rate = 2.0

    def loss(self, x):
        return lax.scan(lambda c, v: (c + v * self.rate, None), 0.0, x)[0]

    def train(self, x):
        for _ in range(10):
            x = x - retrace(jax.grad(self.loss))(x)
        return x


def partially(x):
    return retrace(jax.grad(functools.partial(scaled, 2.0)))(x)


def scaled(scale, x):
    return scale * energy(x)


def both(x, fn):
    def own(y):
        return retrace(lax.fori_loop)(0, 3, lambda i, v: fn(v), y).sum()

    return own(x), retrace(jax.grad(own))(x)
