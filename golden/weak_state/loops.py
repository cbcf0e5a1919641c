"""States that an update hands through loops and branches of JAX."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from optax import GradientTransformation, safe_increment
from optax.tree import vdot


class Info(NamedTuple):
    steps: jax.Array
    error: jax.Array


class SearchState(NamedTuple):
    rate: jax.Array
    value: jax.Array
    info: Info


class Search(NamedTuple):
    rate: jax.Array
    value: jax.Array
    error: jax.Array
    steps: jax.Array


def scale_by_search(decrease=0.5, most=1.0):
    """The rate and the number of steps come back as weak as they were."""

    def init_fn(params):
        return SearchState(
            rate=jnp.array(1.0),
            value=jnp.array(jnp.inf),  # want: weak-state
            info=Info(steps=jnp.asarray(0), error=jnp.asarray(jnp.inf)),
        )

    def update_fn(updates, state, params, *, value, grad, value_fn):
        slope = vdot(updates, grad)

        def going(search):
            return (search.error > 0) & (search.steps < 10)

        def body(search):
            rate = jnp.where(search.steps > 0, decrease * search.rate, search.rate)
            new_value = value_fn(params + rate * updates)
            error = jnp.maximum(new_value - value - 1e-4 * rate * slope, 0.0)
            search = Search(rate, new_value, error, steps=search.steps + 1)
            return search

        search = Search(
            rate=jnp.minimum(2.0 * state.rate, most), value=value, error=jnp.array(jnp.inf), steps=jnp.asarray(0)
        )
        search = lax.while_loop(going, body, search)
        new_state = SearchState(search.rate, search.value, Info(search.steps, search.error))
        return jax.tree.map(lambda u: search.rate * u, updates), new_state

    return GradientTransformation(init_fn, update_fn)


class Averaged:
    """As weak as the false branch: `total` comes back strong, `best` weak."""

    def init(self, params):
        return {"total": jnp.asarray(0.0), "best": jnp.asarray(jnp.inf), "count": jnp.zeros([], jnp.int32)}  # want: weak-state

    def update(self, updates, state):
        total = state["total"] + jnp.mean(updates)
        new_state = {"total": total, "best": state["best"], "count": state["count"] + 1}
        new_state = lax.cond(new_state["count"] == 5, self_reset, lambda s: s, new_state)
        return updates, new_state


def self_reset(state):
    return {"total": jnp.zeros_like(state["total"]), "best": jnp.float32(0), "count": jnp.zeros([], jnp.int32)}


class Scanned:
    def init(self, params):
        return {"level": jnp.asarray(0.0), "seen": jnp.asarray(0)}  # want: weak-state

    def update(self, updates, state):
        def body(carry, update):
            level, seen = carry
            return (0.9 * level + jnp.mean(update), seen + 1), level

        (level, seen), _ = lax.scan(body, (state["level"], state["seen"]), updates)
        return updates, {"level": level, "seen": seen}


class Repeated:
    def init(self, params):
        return {"scale": jnp.asarray(1.0), "power": jnp.asarray(1.0)}  # want: weak-state

    def update(self, updates, state):
        scale = lax.fori_loop(0, 3, lambda i, scale: scale + jnp.mean(updates), state["scale"])
        power = lax.fori_loop(0, 3, lambda i, power: 0.9 * power, state["power"])
        return updates, {"scale": scale, "power": power}


class Steps:
    """The count takes the type that the update spells out, here of a loop: under x64 that of `int` is another one."""

    def init(self, params):
        return {"params": params, "steps": jnp.asarray(0), "total": jnp.asarray(0)}  # want: weak-state

    def update(self, updates, state):
        def body(carry):
            steps, mean = carry
            return safe_increment(steps), 0.5 * mean

        steps, _ = lax.while_loop(lambda carry: carry[1] > 1, body, (jnp.zeros([], jnp.int32), jnp.sum(updates)))
        return updates, {"params": state["params"], "steps": steps, "total": safe_increment(state["total"])}
