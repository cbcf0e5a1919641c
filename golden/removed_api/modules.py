"""Modules that are gone, however they are imported."""

import jax
import jax.abstract_arrays  # want: removed-api
import jax.experimental.maps  # want: removed-api
import jax.experimental.optimizers as opt  # want: removed-api
import jax.interpreters.xla as xla
import jax.lib.xla_client  # want: removed-api (no fix)
import jax.linear_util as lu  # want: removed-api (no fix): debug_info
from jax.abstract_arrays import ShapedArray as Shaped  # want: removed-api
from jax.experimental import enable_x64  # want: removed-api
from jax.experimental.stax import Dense, serial  # want: removed-api  # want: removed-api

shape = jax.abstract_arrays.ShapedArray((3,), "float32")
mesh = jax.experimental.maps.Mesh([], ())
adam = opt.adam(0.1)


def wide(f, x: xla.DeviceArray):  # want: removed-api
    with enable_x64(True):
        return lu.wrap_init(f), Shaped((), "int32"), Dense, serial, jax.lib.xla_client.ops  # want: removed-api (no fix): StableHLO


def annotated(x):
    if isinstance(x, xla.DeviceArray):  # want: removed-api (no fix): tracers
        return x
    return None
