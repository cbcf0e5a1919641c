"""Weakly typed scalars that stay weak, that are no state, or that no jitted function takes."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from optax import GradientTransformation, tree

HALF = jnp.array(0.5)  # a constant: a strong one would promote bfloat16


class State(NamedTuple):
    count: jax.Array
    scale: jax.Array


def stays_weak():
    def init_fn(params):
        return State(count=jnp.asarray(0), scale=jnp.asarray(1.0))

    def update_fn(updates, state, params=None):
        return updates * HALF, State(count=state.count + 1, scale=jnp.where(state.count > 3, state.scale, 0.5))

    return GradientTransformation(init_fn, update_fn)


def passes_through():
    def init_fn(params):
        return State(count=jnp.asarray(0), scale=jnp.asarray(1.0))

    def update_fn(updates, state):
        return updates, state._replace(count=state.count * 2)

    return GradientTransformation(init_fn, update_fn)


def hidden():
    def init_fn(params):
        return State(count=jnp.asarray(0), scale=jnp.asarray(1.0))

    def update_fn(updates, state):
        new_state = tree.where(state.count > 3, init_fn(updates), State(state.count + 1, state.scale))
        return updates, new_state

    return GradientTransformation(init_fn, update_fn)


def typed():
    def init_fn(params):
        return State(count=jnp.zeros([], jnp.int32), scale=jnp.asarray(1.0, dtype=float))

    def update_fn(updates, state):
        return updates, State(count=state.count + 1, scale=jnp.mean(updates))

    return GradientTransformation(init_fn, update_fn)


class Chosen:
    """What the branches make of the state is not followed: here they leave it weak."""

    def init(self, params):
        return State(count=jnp.array(0), scale=jnp.asarray(1.0))

    def update(self, updates, state):
        state = lax.cond(state.count > 3, lambda s: s, lambda s: s, state)
        return updates, State(count=state.count + 1, scale=state.scale)


class Configured:
    """An option may be a Python number, and leave the state weak."""

    growth: float = 3.5

    def init(self, params):
        return State(count=jnp.zeros([], jnp.int32), scale=jnp.array(1.0))

    def update(self, updates, state):
        factor = jnp.where(jnp.sum(updates) > 0, self.growth, 1)
        return updates, State(count=state.count, scale=factor * state.scale)


def search(f):
    """A loop in three parts: its state lives inside of one trace."""

    def init_fn(x):
        return State(count=jnp.asarray(0), scale=jnp.asarray(jnp.inf))

    def step_fn(state):
        return State(count=state.count + 1, scale=jnp.sum(f(state.scale)))

    def condition_fn(state):
        return state.count < 10

    return init_fn, step_fn, condition_fn


def solve(f, x):
    init_fn, step_fn, condition_fn = search(f)
    return lax.while_loop(condition_fn, step_fn, init_fn(x))


def carry_of_a_scan(xs):
    def body(total, x):
        return total + jnp.sum(x), None

    total = jnp.asarray(0.0)
    total, _ = lax.scan(body, total, xs)
    return total


def init(params):
    return jnp.asarray(0.0)


def update(total, x):
    return total + jnp.sum(x), None


def looped(xs):
    return lax.scan(update, init(None), xs)


@jax.jit
def count_up(count):
    return count + 1


def counter(steps):
    count = jnp.asarray(0)
    for _ in range(steps):
        count = count_up(count)
    return count


def eager(total, x):
    return total + jnp.sum(x)


def eager_loop(batches):
    total = jnp.asarray(0.0)
    for batch in batches:
        total = eager(total, batch)
    return total


@jax.jit
def measure(scale, x):
    return scale * jnp.sum(x)


def constant_argument(batches):
    scale, seen = jnp.asarray(2.0), []
    for batch in batches:
        seen.append(measure(scale, batch))
    return seen


def with_options(batches, **options):
    total = jnp.asarray(0.0, **options)
    for batch in batches:
        total = step(total, batch)
    return total


@jax.jit
def step(total, x):
    return total + jnp.sum(x)


class Walk(NamedTuple):
    position: jax.Array
    accepted: jax.Array


def start_walk(position):
    return Walk(position, jnp.asarray(0.0))


def walk_once(state: Walk, f) -> Walk:
    return Walk(state.position + 1, state.accepted + f(state.position))


def walk(f, position):
    """Taken and returned by functions of their own, but only ever the carry of a loop that is traced."""
    state = start_walk(position)
    return lax.fori_loop(0, 3, lambda i, state: walk_once(state, f), state)


def mapped_weakly():
    def init_fn(params):
        return {"scale": jax.tree.map(lambda p: jnp.full(p.shape, 1.0), params)}

    def update_fn(updates, state):
        return updates, {"scale": jax.tree.map(lambda s: s * 0.5, state["scale"])}

    return GradientTransformation(init_fn, update_fn)


def mapped_strongly():
    def init_fn(params):
        return {"scale": jax.tree.map(lambda p: jnp.full_like(p, 1.0), params)}

    def update_fn(updates, state):
        return updates, {"scale": jax.tree.map(lambda s, u: s + u, state["scale"], updates)}

    return GradientTransformation(init_fn, update_fn)


@jax.jit
def described(text, total):
    return total + 1


def words(texts):
    total = jnp.asarray(0)
    for text in texts:
        total = described(text.replace("a", "b"), total)
    return total


class Looped:
    """Loops and branches that leave a state as weak as it was, and a strong one that only another branch makes."""

    def init(self, params):
        return {"rate": jnp.asarray(1.0), "count": jnp.asarray(0), "best": jnp.asarray(jnp.inf)}

    def update(self, updates, state):
        rate = lax.while_loop(lambda rate: rate > 0.1, lambda rate: 0.5 * rate, 2 * state["rate"])
        count, _ = lax.scan(lambda count, u: (count + 1, u), state["count"], updates)
        best = lax.cond(count > 3, lambda best: jnp.float32(0), lambda best: best, state["best"])
        return updates, {"rate": rate, "count": count, "best": best}


class Opaque:
    """What the body of a loop is, nobody knows."""

    def init(self, params):
        return {"rate": jnp.asarray(1.0), "count": jnp.asarray(0)}

    def update(self, updates, state):
        state = lax.while_loop(tree.going, tree.step, state)
        return updates, {"rate": state["rate"], "count": state["count"]}
