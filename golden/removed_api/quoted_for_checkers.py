"""Types in quotes where type checkers alone import jax: no import is added that runs."""

from typing import TYPE_CHECKING

import jax.numpy as jnp

if TYPE_CHECKING:
    import jax


def doubled(x: jnp.DeviceArray, y: "jnp.DeviceArray") -> "jax.random.KeyArray":  # want: removed-api  # want: removed-api  # want: removed-api
    return 2 * x + y
