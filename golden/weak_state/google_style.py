"""Two-space indents, a constructor that fills its line."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from optax._src import base
import optax.tree


class ScaleByLinesearchState(NamedTuple):
  learning_rate: jax.typing.ArrayLike
  largest_improvement_so_far: jax.typing.ArrayLike
  count: jax.typing.ArrayLike


def scale_by_linesearch() -> base.GradientTransformationExtraArgs:
  """Scales by a line search."""

  def init_fn(params: base.Params) -> ScaleByLinesearchState:
    val_dtype = jax.tree.leaves(params)[0].dtype
    return ScaleByLinesearchState(
        learning_rate=jnp.asarray(1.0, dtype=val_dtype),
        largest_improvement_so_far=jnp.asarray(-jnp.inf),  # want: weak-state
        count=jnp.asarray(0),
    )

  def update_fn(updates, state, params=None, **extra_args):
    del params, extra_args
    new_state = ScaleByLinesearchState(
        learning_rate=state.learning_rate * 0.5,
        largest_improvement_so_far=state.largest_improvement_so_far,
        count=state.count + 1,
    )
    return updates, optax.tree.cast_like(new_state, other_tree=state)

  return base.GradientTransformationExtraArgs(init_fn, update_fn)
