"""Two spaces, eighty columns."""

import functools

import jax
import jax.numpy as jnp
from jaxfix_helpers import retrace


def make_search(max_steps: int = 10):
  """Makes a search."""

  def update_fn(updates, state, value_fn=None, **extra_args):
    """Searches along `updates`."""

    def keep_going(search_state):
      return (search_state["error"] > 1e-3) & (search_state["count"] < max_steps)

    def step(search_state, slope):
      value = value_fn(search_state["x"] + slope * updates, **extra_args)
      return {
          "x": search_state["x"],
          "error": value,
          "count": search_state["count"] + 1,
      }

    # The search goes on while `keep_going` says so.
    final = retrace(jax.lax.while_loop)(
        keep_going, functools.partial(step, slope=0.5), state
    )
    total, slopes = retrace(jax.value_and_grad(
        lambda x: jax.lax.map(value_fn, x).sum()
    ))(jnp.ones(3))
    return final, total, slopes

  return update_fn
