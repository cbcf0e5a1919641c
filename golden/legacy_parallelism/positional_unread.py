"""An import that nothing of the file reads."""

import jax
from jax.sharding import PositionalSharding  # want: legacy-parallelism (no fix): delete the import

print(jax)
