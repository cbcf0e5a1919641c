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

  # The search goes on while this holds.
  def _solve_keep_going(state: State):
    return (state.error > tolerance) & (state.count < max_steps)

  def _solve_step(state: State) -> State:
    error = state.error * (0.9 if damped else 0.5)
    return State(error=error, count=state.count + 1)

  def solve(x, state: State):
    return jax.lax.while_loop(_solve_keep_going, _solve_step, state)

  return init, solve
