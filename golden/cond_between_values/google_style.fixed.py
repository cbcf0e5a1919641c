"""Two-space indents, lines of 80 columns."""

import jax
from jax import lax
from jax import numpy as np


def offset_gradients(level, offset, steps):
  """The gradients of a loss that is shifted after two steps."""

  def loss(level, step):
    shift = np.maximum(level, offset)
    chosen = step > 2
    # The first steps go up.
    level, shift = (
      np.where(chosen, np.asarray(level) + offset, np.asarray(level) - offset),
      np.where(chosen, shift, shift * 0.5),
    )
    return np.sum(level * shift)

  return [jax.grad(loss)(level, step) for step in range(steps)]
