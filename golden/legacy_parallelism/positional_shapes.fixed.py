"""Devices of an unknown shape, where the sharding is given its own; names that the file has for the parts of a mesh."""

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def placed(x, y, devices, n):
    return (
        jax.device_put(x, NamedSharding(Mesh(np.array(devices).reshape(n, 1), ("x", "y")), P("x", "y"))),
        jax.device_put(y, NamedSharding(Mesh(np.array(devices).reshape(n, 1), ("x", "y")), P(None, "y"))),
    )



mesh = Mesh(jax.devices(), ("data",))
beside = NamedSharding(mesh, P("data"))
