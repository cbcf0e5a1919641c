"""Devices of an unknown shape, where the sharding is given its own; names that the file has for the parts of a mesh."""

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax.sharding import PositionalSharding


def placed(x, y, devices, n):
    return (
        jax.device_put(x, PositionalSharding(devices).reshape(n, 1)),  # want: legacy-parallelism
        jax.device_put(y, PositionalSharding(devices).reshape(n, 1).replicate(0)),
    )



mesh = Mesh(jax.devices(), ("data",))
beside = NamedSharding(mesh, P("data"))
