"""A type that objects are asked for: `jax.Array` answers otherwise."""

import functools
from typing import Union

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import xla
from jax.interpreters.pxla import ShardedDeviceArray  # want: removed-api

KINDS = (np.ndarray, jnp.DeviceArray)  # want: removed-api (no fix): differ
ANY = (np.ndarray, jnp.DeviceArray, jax.core.Tracer)  # want: removed-api
KEYS = (np.ndarray, jax.random.KeyArray, jax.core.Tracer)  # want: removed-api (no fix): differ
Asked = jnp.DeviceArray  # want: removed-api (no fix): differ
Read = jnp.DeviceArray  # want: removed-api
Both = Union[np.ndarray, jnp.DeviceArray]  # want: removed-api
Parts = Union[np.ndarray, jnp.DeviceArray]  # want: removed-api (no fix): differ
Every = Union[jnp.ndarray, jnp.DeviceArray, ShardedDeviceArray]  # want: removed-api
NAMES = {jnp.DeviceArray: "array"}  # want: removed-api (no fix): differ


def kind(x):
    if type(x) is jnp.DeviceArray:  # want: removed-api (no fix): differ
        return 1
    if isinstance(x, xla.DeviceArray | np.ndarray):  # want: removed-api (no fix): differ
        return 2
    if isinstance(x, (int, (jax.random.KeyArray, float))):  # want: removed-api (no fix): differ
        return 3
    return isinstance(x, Asked) or isinstance(x, Parts.__args__)


def whole(x: Both) -> Every:
    return x


@functools.singledispatch
def shown(x: Read) -> str:
    return str(x)


@shown.register(jnp.DeviceArray)  # want: removed-api (no fix): differ
def of_array(x):
    return "array"


class Own(jnp.DeviceArray):  # want: removed-api (no fix): differ
    pass
