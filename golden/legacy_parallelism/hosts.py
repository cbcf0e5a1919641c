"""A program of many hosts: each hands over its own part of an array."""

import jax

jax.distributed.initialize()
step = jax.pmap(lambda x: x + 1)  # want: legacy-parallelism (no fix): many hosts
again = jax.pmap(lambda x: x + 2)
