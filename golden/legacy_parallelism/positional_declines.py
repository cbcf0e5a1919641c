"""`PositionalSharding` that is asked for what no `NamedSharding` has; one that stays keeps the others."""

import jax
import numpy as np
from jax.sharding import PositionalSharding

from mine import train

devices = np.array(jax.devices())
asked = PositionalSharding(devices)  # want: legacy-parallelism (no fix): goes to code that may read its axes
print(asked.shape)
given = PositionalSharding(devices)  # want: legacy-parallelism (no fix)
train(given)
unkept = PositionalSharding(devices)  # want: legacy-parallelism (no fix)
x = jax.device_put(np.ones(8), unkept.reshape(4, 2).replicate(0, keepdims=False))
