"""States of optimizers, solvers, samplers and training loops, in the classes of several libraries."""

from typing import Any, NamedTuple
import jax
import jax.numpy as jnp
import equinox as eqx
from flax import struct
from optax import GradientTransformation


class State(NamedTuple):
    best: jax.Array
    total: Any


def tracked():
    def init_fn(params):
        return State(
            best=jnp.asarray(jnp.inf, dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype),
            total=jax.tree.map(lambda p: jnp.full(p.shape, 0.0, dtype=jnp.result_type(float, p)), params),
        )

    def update_fn(updates, state, params=None, *, value):
        total = jax.tree.map(lambda t, u: 0.9 * t + u, state.total, updates)
        return updates, State(best=jnp.minimum(state.best, value), total=total)

    return GradientTransformation(init_fn, update_fn)


class Loop(eqx.Module):
    loss: jax.Array
    step: jax.Array


@eqx.filter_jit
def make_step(state, x):
    return Loop(loss=state.loss * 0.9 + jnp.mean(x), step=state.step + 1)


def train(batches):
    state = Loop(loss=jnp.array(0.0, dtype=float), step=jnp.array(0))
    for batch in batches:
        state = make_step(state, batch)
    return state


@struct.dataclass
class Mean:
    value: jax.Array
    count: int


@jax.jit
def updated(mean, x):
    return mean.replace(value=mean.value + jnp.sum(x), count=mean.count + 1)


def means(batches):
    mean = Mean(value=jnp.array(0.0, dtype=float), count=0)
    for batch in batches:
        mean = updated(mean, batch)
    return mean


class Chain(NamedTuple):
    position: jax.Array
    logdensity: jax.Array
    accepted: jax.Array


def init(position, logdensity_fn):
    return Chain(position, logdensity_fn(position), jnp.asarray(0.0, dtype=float))


def build_kernel():
    def kernel(key, state: Chain, logdensity_fn, step_size) -> tuple[Chain, None]:
        proposal = state.position + step_size * jax.random.normal(key, state.position.shape)
        density = logdensity_fn(proposal)
        accept = jnp.exp(density - state.logdensity)
        return Chain(proposal, density, state.accepted + accept), None

    return kernel


class Solver:
    """Options on the class, a state that is a dictionary."""

    rate: float = 0.1

    def init_state(self, params):
        return {
            "params": params,
            "error": jnp.asarray(jnp.inf, dtype=jnp.finfo(jnp.result_type(float, *jax.tree.leaves(params))).dtype),
        }

    def update_state(self, state, gradient):
        error = jnp.linalg.norm(gradient)
        return {"params": state["params"] - self.rate * gradient, "error": error}

    step = update_state

    def update(self, params, state):
        return params, {"params": params, "error": jnp.sqrt(jnp.sum(params**2))}


@jax.jit
def run_epoch(carry, batch):
    (params, best), seen = carry
    params = params - 0.1 * batch
    return (params, jnp.minimum(best, jnp.mean(params))), seen + 1


def epochs(params, batches):
    """Restarted: the first value of the inner loop is made in the outer one."""
    for batch in batches:
        state = ((params, jnp.full((), jnp.inf, dtype=float)), 0)
        for part in batch:
            state = run_epoch(state, part)
    return state


@jax.jit
def make_average(average, x):
    return 0.9 * average + jnp.mean(x)


if __name__ == "__main__":
    average = jnp.array(1.0, dtype=float)
    for _ in range(100):
        average = make_average(average, jnp.ones(3))
