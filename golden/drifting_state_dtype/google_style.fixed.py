"""Two-space indents and a construction that fills its lines; the file has a helper of its library."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax.tree


class LinesearchState(NamedTuple):
  learning_rate: jax.typing.ArrayLike
  decrease_error: jax.typing.ArrayLike
  iter_num: jax.typing.ArrayLike


def backtrack(value_fn, params, updates, max_steps):
  """Runs a line search."""

  def body_fn(search_state: LinesearchState) -> LinesearchState:
    learning_rate = search_state.learning_rate
    search_state = optax.tree.cast_like(LinesearchState(
        learning_rate=learning_rate,
        decrease_error=value_fn(params + learning_rate * updates) - value_fn(params),
        iter_num=search_state.iter_num + 1,
    ), search_state)
    return search_state

  def cond_fn(search_state):
    return (search_state.decrease_error > 0) & (search_state.iter_num < max_steps)

  search_state = LinesearchState(
      learning_rate=jnp.asarray(1.0),
      decrease_error=jnp.asarray(jnp.inf, dtype=jnp.float32),
      iter_num=jnp.asarray(0),
  )
  return jax.lax.while_loop(cond_fn, body_fn, search_state)


def finish(new_state, state):
  return optax.tree.cast_like(new_state, other_tree=state)
