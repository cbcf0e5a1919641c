"""Look-alikes: nothing is compiled again here."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp


def double(x):
    return x * 2


def same_function(x):
    return jax.jit(double)(x) + jax.jit(double, donate_argnums=0)(x)


def same_function_filtered(x, model):
    return eqx.filter_jit(double)(x) + eqx.filter_jit(model.predict)(x) + eqx.filter_jit(eqx.filter_vmap(double))(x)


def factory(rate):
    @jax.jit
    def step(v):
        return v * rate

    return step


def factory_through_a_closure(rate):
    step = jax.jit(lambda v: v * rate)

    def run(xs):
        return [step(x) for x in xs]

    return run


def kept_in_a_dictionary(rates):
    return {rate: jax.jit(lambda v, rate=rate: v * rate) for rate in rates}


class Model:
    def __init__(self, rate):
        self.step = jax.jit(lambda v: v * rate)
        self.bound = jax.jit(self.predict)

    def predict(self, x):
        return self.step(x)

    @property
    def lazily(self):
        if self._lazily is None:
            self._lazily = jax.jit(lambda v: v)
        return self._lazily


@functools.cache
def remembered(n):
    step = jax.jit(lambda v: v[:n])
    return step(jnp.ones(9))


def compiled_ahead(x):
    return jax.jit(lambda v: v * 2).lower(x).compile()


@jax.jit
def under_jit(x):
    return jax.jit(lambda v: v * 2)(x)


def _only_under_jit(x):
    return jax.jit(lambda v: v * 3)(x)


@jax.jit
def caller(x):
    return _only_under_jit(x)


def not_compiled(x):
    jaxpr = jax.make_jaxpr(lambda v: v)(x)
    return jaxpr, jax.eval_shape(lambda v: v, x), jax.vmap(lambda v: v)(x), jax.grad(lambda v: v.sum())(x)


def another_program_in_every_round(x):
    for n in (8, 16, 32):
        print(jax.jit(lambda v: v + jnp.zeros(n).sum())(x))
    for function in (jnp.sin, jnp.cos):
        print(jax.jit(lambda v: function(v))(x))


def handed_on(x, run):
    return run(jax.jit(lambda v: v * 2), x)


class jit:
    """Not the one of `jax`."""

    def jit(self, f):
        return f


def another_jit(x):
    return jit().jit(lambda v: v)(x)


@functools.partial(jax.jit, static_argnames=("fn", "size"))
def apply(x, fn, size):
    return fn(x)[:size]


def static_arguments(x):
    return apply(x, fn=double, size=3)


once = jax.jit(lambda v: v * 2)


def only_shapes(batches):
    return [jax.eval_shape(jax.jit(lambda x: x * 2), batch) for batch in batches]


def only_programs(batches):
    for batch in batches:
        double = jax.jit(lambda x: x * 2)
        print(jax.make_jaxpr(double)(batch))
