"""Modules that are gone, however they are imported."""

import jax
import jax.example_libraries.optimizers as opt
import jax.interpreters.xla as xla
import jax.lib.xla_client
import jax.linear_util as lu
from jax.core import ShapedArray as Shaped
from jax.example_libraries.stax import Dense, serial

shape = jax.core.ShapedArray((3,), "float32")
mesh = jax.sharding.Mesh([], ())
adam = opt.adam(0.1)


def wide(f, x: jax.Array):
    with jax.enable_x64(True):
        return lu.wrap_init(f), Shaped((), "int32"), Dense, serial, jax.lib.xla_client.ops


def annotated(x):
    if isinstance(x, xla.DeviceArray):
        return x
    return None
