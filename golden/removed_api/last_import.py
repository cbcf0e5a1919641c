"""The import that goes is the one behind which the new one would stand."""

import os

import jax.lib.xla_bridge as xb  # want: removed-api

print(xb.get_backend().platform, os.name)
