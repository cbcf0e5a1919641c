"""Two-space indents, lines of 80 columns."""

import jax
from jax import lax
from jax import numpy as np


def offset_gradients(level, offset, steps):
  """The gradients of a loss that is shifted after two steps."""

  def loss(level, step):
    shift = np.maximum(level, offset)
    # The first steps go up.
    level, shift = lax.cond(step > 2, lambda l, s: (l + offset, s), lambda l, s: (l - offset, s * 0.5), level, shift)  # want: cond-between-values
    return np.sum(level * shift)

  return [jax.grad(loss)(level, step) for step in range(steps)]
