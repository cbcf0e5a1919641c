"""Devices whose number of axes the file does not show, and one that is asked for as a type."""

import jax
import numpy as np
from jax.sharding import PositionalSharding


def placed(x, devices):
    return jax.device_put(x, PositionalSharding(devices))  # want: legacy-parallelism (no fix): how many axes


def is_positional(x):
    return isinstance(x.sharding, PositionalSharding)  # want: legacy-parallelism (no fix)


def of_a_shape(x, shape):
    return jax.device_put(x, PositionalSharding(np.array(jax.devices())).reshape(shape))  # want: legacy-parallelism (no fix)
