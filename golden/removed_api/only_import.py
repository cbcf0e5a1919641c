from jax.lib import xla_bridge  # want: removed-api

print(xla_bridge.get_backend().platform)
