"""Types in quotes where type checkers alone import `jax.numpy`: its own name for arrays will do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jax.numpy as jnp


def doubled(x: "jnp.ndarray", y: jnp.ndarray) -> "jnp.ndarray":
    return 2 * x + y
