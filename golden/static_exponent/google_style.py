"""Two-space indents, lines of 80 columns, a comment that must stay."""

from typing import NamedTuple, Optional

import jax
import jax.numpy as jnp
from optax._src import base
from optax._src import numerics


class ScaleState(NamedTuple):
  count: jax.typing.ArrayLike
  nu: base.Updates


def scale_by_rectified(
    b1: jax.typing.ArrayLike = 0.9,
    b2: jax.typing.ArrayLike = 0.999,
) -> base.GradientTransformation:
  """Scales by a rectified second moment."""

  ro_inf = 2.0 / (1.0 - b2) - 1.0

  def init_fn(params):
    return ScaleState(count=jnp.zeros([], jnp.int32), nu=params)

  def update_fn(updates, state, params=None):
    del params
    count_inc = numerics.safe_increment(state.count)
    b2t = b2**count_inc  # want: static-exponent
    ro = ro_inf - 2 * count_inc * b2t / (1 - b2t)
    correction = jnp.asarray(1 - b1**count_inc, dtype=state.nu.dtype)  # noqa: E501
    new_updates = jax.tree.map(lambda u: u * ro / correction, updates)
    return new_updates, ScaleState(count=count_inc, nu=state.nu)

  return base.GradientTransformation(init_fn, update_fn)
