"""Types in quotes where type checkers alone import `jax.numpy`: its own name for arrays will do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jax.numpy as jnp


def doubled(x: "jnp.DeviceArray", y: jnp.DeviceArray) -> "jnp.DeviceArray":  # want: removed-api  # want: removed-api  # want: removed-api
    return 2 * x + y
