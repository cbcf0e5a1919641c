"""A function that reads the configuration of its factory moves there, and no further."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
  error: jax.Array
  count: jax.Array


def make_solver(tolerance: float = 1e-6, max_steps: int = 10, damped: bool = False):
  """Makes a pair of functions."""

  def init(x):
    return State(error=jnp.full_like(x, jnp.inf), count=jnp.zeros([], jnp.int32))

  def solve(x, state: State):
    # The search goes on while this holds.
    def keep_going(state: State):
      return (state.error > tolerance) & (state.count < max_steps)

    def step(state: State) -> State:
      error = state.error * (0.9 if damped else 0.5)
      return State(error=error, count=state.count + 1)

    return jax.lax.while_loop(keep_going, step, state)  # want: local-loop-function

  return init, solve
