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
    for start, x in zip(starts, xs):
        solver = jaxopt.LBFGS(fun=loss, maxiter=50)  # want: local-jit
        found.append(solver.run(start, x=x).params)
    return found


def at_once(starts, xs):
    found = []
    for start, x in zip(starts, xs):
        found.append(jaxopt.GradientDescent(loss, maxiter=50).run(start, x=x).params)  # want: local-jit
    return found


def static(params, grads, rate: float):
    for g in grads:
        optimizer = optax.chain(optax.clip(1.0), optax.adam(rate))  # want: local-jit
        params = update(optimizer, params, g)
    return params


def handed_on(params, grads):
    for g in grads:
        params = update(optax.sgd(optax.cosine_decay_schedule(0.1, 10)), params, g)  # want: local-jit
    return params


def of_two_loops(starts, batches):
    found = []
    for start in starts:
        for x in batches:
            solver = jaxopt.BFGS(loss)  # want: local-jit
            state = solver.init_state(start, x=x)
            start, state = solver.update(start, state, x=x)
        found.append(start)
    return found


def of_each_start(starts, batches):
    found = []
    for start, steps in starts:
        for x in batches:
            solver = jaxopt.BFGS(loss, maxiter=steps)  # want: local-jit
            start = solver.run(start, x=x).params
        found.append(start)
    return found
