"""A keyword that what takes its place is without, bound by `functools.partial`."""

import functools

import jax.experimental.shard_map

some = functools.partial(jax.experimental.shard_map.shard_map, auto=frozenset())  # want: removed-api (no fix): passed on
