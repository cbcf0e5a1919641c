"""Types in quotes where type checkers alone import jax: no import is added that runs."""

from typing import TYPE_CHECKING

import jax.numpy as jnp

if TYPE_CHECKING:
    import jax


def doubled(x: jnp.ndarray, y: "jax.Array") -> "jax.Array":
    return 2 * x + y
