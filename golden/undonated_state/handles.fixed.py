"""Steps behind partials, bound methods and factories: what is called is not what is under `jit`."""

import functools

import jax
import jax.numpy as jnp


def _sgd(rate, params, batch):
    return params - rate * (params - batch)


def through_partial(batches):
    step = jax.jit(functools.partial(_sgd, 0.1), donate_argnums=0)
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def by_name_after_a_keyword(batches):
    step = jax.jit(functools.partial(_sgd, rate=0.1), donate_argnames="params")
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params=params, batch=batch)
    return params.sum()


def mapped(batches):
    step = jax.pmap(functools.partial(_sgd, 0.1), axis_name="devices", donate_argnums=0)
    params = jnp.zeros((1, 1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def bound_array(batches):
    params = jnp.zeros((1000, 1000))
    step = jax.jit(functools.partial(_sgd, params))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def _make_step(rate):
    @functools.partial(jax.jit, donate_argnums=0)
    def step(params, batch):
        return params - rate * (params - batch)

    return step


def through_factory(batches):
    step = _make_step(0.1)
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def _make_jitted(rate):
    def step(params, batch):
        return params - rate * (params - batch)

    return jax.jit(step, donate_argnums=0)


class Fitted:
    """The step of a factory is an attribute."""

    def __init__(self, n):
        self._step = _make_jitted(0.1)
        self._state = jnp.zeros((1000, 1000))

    def feed(self, batch):
        self._state = self._step(self._state, batch)


def _make_plain(rate):
    def step(params, batch):
        return params - rate * (params - batch)

    return step


def around_a_factory(batches):
    step = jax.jit(_make_plain(0.1), donate_argnums=0)
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def _make_closing(first):
    @jax.jit
    def step(params, batch):
        return params - 0.1 * (first - batch)

    return step


def closing_over_the_state(batches):
    params = jnp.zeros((1000, 1000))
    step = _make_closing(params)
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def _make_kept(rate):
    @jax.jit
    def step(params, batch):
        return params - rate * (params - batch)

    return step


def one_of_two_keeps(batches):
    step = _make_kept(0.1)
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


def the_other_keeps(batches):
    step = _make_kept(0.2)
    params = jnp.zeros((1000, 1000))
    best = params
    for batch in batches:
        params = step(params, batch)
    return best


class Trainer:
    def __init__(self):
        self.rate = 0.1

    def _advance(self, params, batch):
        return params - self.rate * (params - batch)

    def fit(self, batches):
        step = jax.jit(self._advance, donate_argnums=0)
        params = jnp.zeros((1000, 1000))
        for batch in batches:
            params = step(params, batch)
        return params.sum()


def fit(batches):
    trainer = Trainer()
    step = jax.jit(trainer._advance, donate_argnums=0)
    params = jnp.zeros((1000, 1000))
    for batch in batches:
        params = step(params, batch)
    return params.sum()


if __name__ == "__main__":
    given = [jnp.ones((1000, 1000))] * 4
    for run in (through_partial, through_factory, by_name_after_a_keyword, around_a_factory, Trainer().fit, fit):
        print(run(given))
    fitted = Fitted(1000)
    for each in given:
        fitted.feed(each)
