"""Weakly typed initial states that an explicit dtype would not cure, or would change."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from optax import GradientTransformation
from optax.tree import cast_like


def decided_by_the_caller(start=0.5):
    def init_fn(params):
        return {"rate": jnp.asarray(start)}  # want: weak-state (no fix): the type of `start` is decided by the caller

    def update_fn(updates, state):
        return updates, cast_like({"rate": state["rate"]}, state)

    return GradientTransformation(init_fn, update_fn)


def shadowed():
    float = np.float16

    def init_fn(params):
        return {"best": jnp.asarray(np.inf), "kind": float}  # want: weak-state (no fix): `float` may not be the builtin

    def update_fn(updates, state):
        return updates, {"best": jnp.minimum(state["best"], jnp.sum(updates)), "kind": float}

    return GradientTransformation(init_fn, update_fn)


def without_dtype():
    def init_fn(params):
        return {"scale": jnp.sqrt(2.0)}  # want: weak-state (no fix): takes no dtype

    def update_fn(updates, state):
        return updates, {"scale": jnp.mean(updates)}

    return GradientTransformation(init_fn, update_fn)


def computed():
    def init_fn(params):
        return {
            "low": jnp.asarray(0.0) - 1.0,  # want: weak-state (no fix): `jnp.asarray(0.0) - 1.0` takes no dtype
            "count": jnp.asarray(0),
        }

    def update_fn(updates, state):
        return updates, cast_like(state, state)

    return GradientTransformation(init_fn, update_fn)


def shared():
    def init_fn(params):
        one = jnp.asarray(1.0)  # want: weak-state (no fix): is used for something else too
        return {"scale": one, "mean": one * params}

    def update_fn(updates, state):
        return updates, cast_like({"scale": state["scale"] / 2, "mean": updates}, state)

    return GradientTransformation(init_fn, update_fn)


UNSEEN = jnp.asarray(jnp.inf)  # want: weak-state (no fix): is used for something else too


def with_a_constant():
    def init_fn(params):
        return {"best": UNSEEN}

    def update_fn(updates, state):
        return updates, {"best": jnp.minimum(state["best"], jnp.sum(updates))}

    return GradientTransformation(init_fn, update_fn)


@jax.jit
def average(level, x):
    return 0.9 * level + 0.1 * jnp.mean(x)


def starts_as_an_integer(batches):
    level = jnp.asarray(0)  # want: weak-state (no fix): is an integer and becomes floating
    for batch in batches:
        level = average(level, batch)
    return level


def mapped_without_dtype():
    def init_fn(params):
        return {"scale": jax.tree.map(lambda p: jnp.sqrt(2.0), params)}  # want: weak-state (no fix): takes no dtype

    def update_fn(updates, state):
        return updates, {"scale": jax.tree.map(lambda s, u: jnp.mean(u), state["scale"], updates)}

    return GradientTransformation(init_fn, update_fn)
