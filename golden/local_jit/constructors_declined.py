"""Solvers and optimizers of a loop that another one, made before it, would not do for."""

from functools import partial

import jax
import jax.numpy as jnp
import jaxopt
import optax

SCALES = [1.0]
SHIFT = 0.0
LAST = {}


def loss(p, x):
    return jnp.sum((p - x) ** 2)


def scaled(p, x):
    return SCALES[0] * jnp.sum((p - x) ** 2)


def shifted(p, x):
    return jnp.sum((p - x - SHIFT) ** 2)


def tell(p, x):
    print("tracing")
    return loss(p, x)


@partial(jax.jit, static_argnums=0)
def update(optimizer, params, grads):
    return optax.apply_updates(params, optimizer.update(grads, optimizer.init(params), params)[0])


def runs(start, xs, config, pick, log):
    global SHIFT
    kept = []
    for number, x in enumerate(xs):
        closed = jaxopt.LBFGS(lambda p: loss(p, x))  # want: local-jit (no fix): takes `x` of each iteration
        start = closed.run(start).params
        fresh = jaxopt.LBFGS(lambda p, x: loss(p, x))  # want: local-jit (no fix): each iteration defines
        start = fresh.run(start, x=x).params
        picked = jaxopt.LBFGS(pick())  # want: local-jit (no fix): created with a new result of `pick` each time
        start = picked.run(start, x=x).params
        reads = jaxopt.LBFGS(shifted)  # want: local-jit (no fix): it keeps what `shifted` reads
        start = reads.run(start, x=x).params
        SHIFT += 0.1
        filled = jaxopt.LBFGS(scaled)  # want: local-jit (no fix): it keeps what `scaled` reads
        start = filled.run(start, x=x).params
        SCALES[0] *= 0.9
        telling = jaxopt.LBFGS(tell)  # want: local-jit (no fix): it keeps what `tell` reads
        start = telling.run(start, x=x).params
        changed = jaxopt.LBFGS(loss)  # want: local-jit (no fix): uses `changed` other than to call it
        changed.maxiter = 5 + number
        start = changed.run(start, x=x).params
        stored = jaxopt.LBFGS(loss)  # want: local-jit (no fix): uses `stored` other than to call it
        start = stored.run(start, x=x).params
        kept.append(stored)
        known = jaxopt.LBFGS(loss)  # want: local-jit (no fix): uses `known` other than to call it
        if LAST.get("solver") is not known:
            start = known.run(start, x=x).params
        logged = jaxopt.LBFGS(loss)  # want: local-jit (no fix): uses `logged` other than to call it
        start = logged.run(start, x=x).params
        log(logged)
        if number:
            start = late.run(start, x=x).params
        late = jaxopt.LBFGS(loss)  # want: local-jit (no fix): reads `late` before it is made
        config.tol = config.tol * 0.5
        tight = jaxopt.LBFGS(loss, tol=config.tol)  # want: local-jit (no fix): which can change between iterations
        start = tight.run(start, x=x).params
        starred = jaxopt.LBFGS(loss, **LAST)  # want: local-jit (no fix): with `**`
        start = starred.run(start, x=x).params
    return start, kept


def twice(start, xs):
    solver = jaxopt.BFGS(loss)
    for x in xs:
        solver = jaxopt.LBFGS(loss)  # want: local-jit (no fix): `solver` is bound more than once
        start = solver.run(start, x=x).params
    return solver.run(start, x=xs[0])


def given(fun, start, xs):
    for x in xs:
        solver = jaxopt.LBFGS(fun)  # want: local-jit (no fix): the definition of `fun` is unknown
        start = solver.run(start, x=x).params
    return start
