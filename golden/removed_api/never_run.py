"""Annotations that stay text, and imports for type checkers: nothing raises, and nothing else is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from jax.experimental.maps import Mesh  # want: removed-api


def doubled(x: jnp.DeviceArray, mesh: Mesh) -> jax.random.KeyArray:  # want: removed-api  # want: removed-api
    return 2 * x
