"""States that are told by what flows: methods, attributes, records, Python numbers, whatever the names are."""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Track(NamedTuple):
    at: jax.Array
    best: jax.Array


def begin(x):
    return Track(x, best=jnp.asarray(jnp.inf, dtype=float))


@jax.jit
def proceed(track):
    losses = jnp.sum(track.at**2)
    return Track(0.9 * track.at, jnp.minimum(track.best, losses.min()))


def smoothed(p, steps):
    @jax.jit
    def advance(p, mean):
        value, grads = jax.value_and_grad(lambda p: jnp.mean(p**2))(p)
        return p - 0.1 * grads, 0.9 * mean + 0.1 * value

    mean = jnp.asarray(0.0, dtype=float)
    for _ in range(steps):
        p, mean = advance(p, mean)
    return p, mean


class Search:
    def __init__(self, size):
        self.size = size

    def _init(self, key):
        return {"key": key, "mean": jnp.zeros(self.size), "best": jnp.asarray(jnp.inf, dtype=float)}

    @partial(jax.jit, static_argnums=0)
    def _tell(self, state, xs):
        return {**state, "mean": xs.mean(0), "best": jnp.minimum(state["best"], xs.min())}


class Feed:
    def __init__(self, n):
        self.state = {"total": jnp.array(0.0, dtype=float), "last": jnp.zeros(n)}
        self._step = jax.jit(_added)

    def __call__(self, x):
        self.state = self._step(self.state, x)


def _added(state, x):
    return {"total": state["total"] + x.sum(), "last": x}


def rescaling():
    def prepare(p):
        return p * 0.0, jnp.asarray(1.0, dtype=float)

    def apply(g, state):
        mu, power = state
        return 0.9 * mu + g, power * jnp.max(jnp.abs(g))

    return prepare, apply


def rescaled(g, steps):
    prepare, apply = rescaling()
    apply = jax.jit(apply)
    state = prepare(g)
    for _ in range(steps):
        state = apply(g, state)
    return state


class Scaled(eqx.Module):
    scale: jax.Array
    depth: int

    def __init__(self):
        self.scale = jnp.array(1.0, dtype=float)
        self.depth = 3


def fitted(optim, xs):
    @eqx.filter_jit
    def fit(model, state, x):
        grads = eqx.filter_grad(lambda model: jnp.sum(model.scale * x) ** 2)(model)
        updates, state = optim.update(grads, state)
        return eqx.apply_updates(model, updates), state

    model = Scaled()
    state = optim.init(model)
    for x in xs:
        model, state = fit(model, state, x)
    return model


def counted(x, steps):
    @jax.jit
    def count(x, n):
        return x * 0.5, n + 1

    n = 0  # as weak as what it comes back as
    for _ in range(steps):
        x, n = count(x, n)
    return x, n


class Reset(NamedTuple):
    steps: jax.Array
    scale: jax.Array


class Ladder:
    """What `climb` of another class returns says nothing of this one."""

    def start(self):
        return Reset(jnp.zeros((), jnp.int32), jnp.asarray(1.0))


class Other:
    def climb(self, state):
        return Reset(state.steps + 1, state.scale * jnp.sum(jnp.ones(3)))
