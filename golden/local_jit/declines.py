"""Jits that are created, and must stay where they are; the reason stands beside each."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

CONFIG = {"scale": 1.0}
traces = []


def set_scale(scale):
    CONFIG["scale"] = scale


def reads_changing_global(x):
    return jax.jit(lambda v: v * CONFIG["scale"])(x)  # want: local-jit (no fix): reads `CONFIG`, which can change


def scaled(x):
    return x * CONFIG["scale"]


def calls_what_reads_it(x):
    return jax.jit(jax.vmap(scaled))(x)  # want: local-jit (no fix): reads `CONFIG`, which can change


def draws_random_numbers(x):
    return jax.jit(lambda v: v * np.random.rand())(x)  # want: local-jit (no fix): may return a different value at every trace


def counts_its_traces(x):
    @jax.jit  # want: local-jit (no fix): for its side effect, at trace time only
    def step(v):
        traces.append(1)
        return v

    return step(x)


def keeps_the_first_value(x, rate):
    step = jax.jit(lambda v: v * rate)  # want: local-jit (no fix): rebound between its calls
    first = step(x)
    rate = rate + 1
    return first + step(x)


def keeps_the_first_params(params, batches):
    @jax.jit  # want: local-jit (no fix): rebound between its calls
    def step(batch):
        return params - 0.1 * batch

    for batch in batches:
        params = step(batch)
    return params


class Model:
    rate = 1.0

    def step(self, x):
        return x * self.rate

    def run(self, x):
        return jax.jit(self.step)(x)  # want: local-jit (no fix): a bound method and reads its object at each trace

    def slow(self, x):
        step = jax.jit(lambda v: v * self.rate)  # want: local-jit (no fix): `self.rate` can change between its calls
        first = step(x)
        self.rate = 2.0
        return first + step(x)


def calls_its_argument(x, fn):
    return jax.jit(lambda v: fn(v))(x)  # want: local-jit (no fix): uses `fn` as a function


def asks_for_a_length(x, n):
    return jax.jit(lambda v: v + jnp.zeros(n))(x)  # want: local-jit (no fix): uses `n` in `jnp.zeros`


def asks_for_the_type(x, k):
    return jax.jit(lambda v: v * (2 if isinstance(k, int) else 3))(x)  # want: local-jit (no fix): `isinstance`


def pads(n, x):
    return jnp.concatenate([x, jnp.zeros(n)])


def applied(x, n):
    return jax.jit(functools.partial(pads, n))(x)  # want: local-jit (no fix): created with `n`


def weighted(weight, x):
    return weight * x


def kept(weight, xs):
    step = jax.jit(functools.partial(weighted, weight))  # want: local-jit (no fix): created with `weight`
    for x in xs:
        weight = step(x)
    return weight


def overridden(weight, x):
    step = jax.jit(functools.partial(weighted, x=weight))  # want: local-jit (no fix): created with `weight`
    return step(weight, x=x)


def mapped(x, rate):
    return jax.jit(jax.vmap(lambda v: v * rate))(x)  # want: local-jit (no fix): would be mapped over


def differentiated_outside(x, rate):
    step = jax.jit(lambda v: jnp.sum(v * rate))  # want: local-jit (no fix): passed to another transformation
    return jax.grad(step)(x)


def counted_from_the_end(x, rate):
    def loss(v, w):
        return jnp.sum(v * w * rate)

    return jax.jit(jax.grad(loss, argnums=-1))(x, x)  # want: local-jit (no fix): may count from the end


def conditional(x, flag):
    step = jax.jit(lambda v: v) if flag else None  # want: local-jit (no fix): depends on a condition
    return step(x)


def local_import(x):
    import jax.numpy as np

    return jax.jit(lambda v: np.sin(v))(x)  # want: local-jit (no fix): uses `np.sin` as a function


def make(rate):
    def step(v):
        return v * rate

    return step


def made_by_a_factory(x):
    return jax.jit(make(2.0))(x)  # want: local-jit (no fix): what `make` returns is unknown


@functools.partial(jax.jit, static_argnames="fn")
def apply(x, fn):
    return fn(x)


def static_closure(x, rate):
    return apply(x, fn=lambda v: v * rate)  # want: local-jit (no fix): which `apply` does not pass
