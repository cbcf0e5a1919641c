"""Jits in a loop of what reads a state that the loop advances."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Model(eqx.Module):
    w: jax.Array

    def __call__(self, ts, y0):
        return self.w * y0 * ts


@eqx.filter_jit
def make_step(model, ys):
    return eqx.apply_updates(model, eqx.filter_grad(lambda m: jnp.sum(m.w * ys))(model))


def mapped(model, ts, ys, steps):
    run_model = eqx.filter_jit(
        lambda model, *args: jax.vmap(lambda y0: model(ts, y0))(*args)
    )
    for _ in range(steps):
        model = make_step(model, ys)
        print(run_model(model, ys))


def filtered(model, ts, ys, steps):
    predict = eqx.filter_jit(lambda model, y0: model(ts, y0))
    for _ in range(steps):
        model = make_step(model, ys)
        print(predict(model, ys))


def trees(params, apply, ys, steps):
    predict = jax.jit(lambda params, y0: apply(params, y0))
    for _ in range(steps):
        params = make_step(params, ys)
        print(predict(params, ys))


def with_data(params, apply, batches):
    run_params = jax.jit(lambda params, batch: apply(params) + jnp.sum(batch))
    for batch in batches:
        params = make_step(params, batch)
        print(run_params(params, batch))


def called_twice(params, apply, ys, steps):
    for _ in range(steps):
        predict = jax.jit(lambda y0: apply(params, y0))
        print(predict(ys))
        params = make_step(params, ys)
        print(predict(ys))


def with_options(params, apply, ys, steps):
    for _ in range(steps):
        params = make_step(params, ys)
        predict = jax.jit(lambda y0, n: apply(params, y0, n), static_argnums=1)
        print(predict(ys, 2))


def with_a_default(params, apply, ys, steps):
    for i in range(steps):
        params = make_step(params, ys)
        predict = jax.jit(lambda y0, k=i: apply(params, y0, k))
        print(predict(ys))


def by_keyword(model, ys, steps):
    for _ in range(steps):
        model = make_step(model, ys)
        print(jax.jit(jax.vmap(lambda ts, y0: model(ts, y0)))(ys, y0=ys))


def other_programs(depth, ys, grown):
    """Another program in each round, on purpose."""
    for _ in range(4):
        depth = grown(depth)
        predict = jax.jit(lambda y0: sum(y0 * i for i in range(depth)))
        print(predict(ys))


def chosen(ys, functions):
    for function in functions:
        print(jax.jit(lambda y0: function(y0))(ys))
