"""A type that objects are asked for: `jax.Array` answers otherwise."""

import functools
from typing import Union

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import xla
from jax import Array as ShardedDeviceArray

KINDS = (np.ndarray, jnp.DeviceArray)
ANY = (np.ndarray, jax.Array, jax.core.Tracer)
TYPES = (np.ndarray, jnp.DeviceArray, jax.core.Tracer)
KEYS = (np.ndarray, jax.random.KeyArray, jax.core.Tracer)
Asked = jnp.DeviceArray
Read = jax.Array
Both = Union[np.ndarray, jax.Array]
Parts = Union[np.ndarray, jnp.DeviceArray]
Every = Union[jnp.ndarray, jax.Array, ShardedDeviceArray]
NAMES = {jnp.DeviceArray: "array"}
BOTH = {(jnp.DeviceArray, jax.core.Tracer): 1}


def kind(x):
    if type(x) is jnp.DeviceArray:
        return 1
    if isinstance(x, xla.DeviceArray | np.ndarray):
        return 2
    if isinstance(x, (int, (jax.random.KeyArray, float))):
        return 3
    if isinstance(x, (jax.Array, jax.core.Tracer)) or isinstance(x, (int, ANY)):
        return 4
    if type(x) in (jnp.DeviceArray, jax.core.Tracer) or type(x) in TYPES:
        return 5
    if any(type(x) is t for t in (jnp.DeviceArray, jax.core.Tracer)):
        return 6
    return isinstance(x, Asked) or isinstance(x, TYPES) or isinstance(x, Parts.__args__)


def whole(x: Both) -> Every:
    return x


@functools.singledispatch
def shown(x: Read) -> str:
    return str(x)


@shown.register(jnp.DeviceArray)
def of_array(x):
    return "array"


def registered(registry):
    for t in (jnp.DeviceArray, jax.core.Tracer):
        registry[t] = 1


class Own(jnp.DeviceArray):
    pass
