"""Solvers that keep their own programs, and optimizers that are static arguments, made in every round."""

from functools import partial

import jax
import jax.numpy as jnp
import jaxopt
import optax


def loss(p, x):
    return jnp.sum((p - x) ** 2)


@partial(jax.jit, static_argnums=0)
def update(optimizer, params, grads):
    return optax.apply_updates(params, optimizer.update(grads, optimizer.init(params), params)[0])


def named(starts, xs):
    found = []
    solver = jaxopt.LBFGS(fun=loss, maxiter=50)
    for start, x in zip(starts, xs):
        found.append(solver.run(start, x=x).params)
    return found


def at_once(starts, xs):
    found = []
    solver_2 = jaxopt.GradientDescent(loss, maxiter=50)
    for start, x in zip(starts, xs):
        found.append(solver_2.run(start, x=x).params)
    return found


def static(params, grads, rate: float):
    optimizer = optax.chain(optax.clip(1.0), optax.adam(rate))
    for g in grads:
        params = update(optimizer, params, g)
    return params


def handed_on(params, grads):
    optimizer_2 = optax.sgd(optax.cosine_decay_schedule(0.1, 10))
    for g in grads:
        params = update(optimizer_2, params, g)
    return params


def of_two_loops(starts, batches):
    found = []
    solver = jaxopt.BFGS(loss)
    for start in starts:
        for x in batches:
            state = solver.init_state(start, x=x)
            start, state = solver.update(start, state, x=x)
        found.append(start)
    return found


def of_each_start(starts, batches):
    found = []
    for start, steps in starts:
        solver = jaxopt.BFGS(loss, maxiter=steps)
        for x in batches:
            start = solver.run(start, x=x).params
        found.append(start)
    return found
