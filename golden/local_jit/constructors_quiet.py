"""Solvers and optimizers that a loop makes on purpose, once, or without a program of their own."""

from functools import partial

import jax
import jax.numpy as jnp
import jaxopt
import optax
import optimistix as optx


def loss(p, x):
    return jnp.sum((p - x) ** 2)


@partial(jax.jit, static_argnums=0)
def update(optimizer, params, grads):
    return optax.apply_updates(params, optimizer.update(grads, optimizer.init(params), params)[0])


@jax.jit
def traced(start, xs):
    for _ in range(3):
        solver = jaxopt.LBFGS(loss)
        start = solver.run(start, x=xs).params
    return start


def sweep(params, rates, grads):
    for rate in rates:
        optimizer = optax.adam(rate)
        for g in grads:
            params = update(optimizer, params, g)
    return params


def eagerly(params, grads):
    for g in grads:
        optimizer = optax.sgd(0.1)
        state = optimizer.init(params)
        updates, state = optimizer.update(g, state, params)
        params = optax.apply_updates(params, updates)
    return params


def by_value(ys, x):
    for y in ys:
        x = optx.root_find(loss, optx.Newton(1e-3, 1e-3), x, args=y).value
    return x


def now_and_then(start, xs):
    for number, x in enumerate(xs):
        if number == 0:
            solver = jaxopt.LBFGS(loss)
        start = solver.run(start, x=x).params
    return start


def before(start, xs):
    solver = jaxopt.LBFGS(loss)
    for x in xs:
        start = solver.run(start, x=x).params
    return start
