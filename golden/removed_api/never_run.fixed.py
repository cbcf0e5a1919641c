"""Annotations that stay text, and imports for type checkers: nothing raises, and nothing else is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from jax.sharding import Mesh


def doubled(x: jax.Array, mesh: Mesh) -> jax.Array:
    return 2 * x
