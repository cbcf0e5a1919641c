"""The import that goes is the one behind which the new one would stand."""

import os

from jax.extend import backend

print(backend.get_backend().platform, os.name)
