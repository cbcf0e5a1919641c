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
TYPES = (np.ndarray, jnp.DeviceArray, jax.core.Tracer)  # want: removed-api (no fix): differ
KEYS = (np.ndarray, jax.random.KeyArray, jax.core.Tracer)  # want: removed-api (no fix): differ
Asked = jnp.DeviceArray  # want: removed-api (no fix): differ
Read = jnp.DeviceArray  # want: removed-api
Both = Union[np.ndarray, jnp.DeviceArray]  # want: removed-api
Parts = Union[np.ndarray, jnp.DeviceArray]  # want: removed-api (no fix): differ
Every = Union[jnp.ndarray, jnp.DeviceArray, ShardedDeviceArray]  # want: removed-api
NAMES = {jnp.DeviceArray: "array"}  # want: removed-api (no fix): differ
BOTH = {(jnp.DeviceArray, jax.core.Tracer): 1}  # want: removed-api (no fix): differ


def kind(x):
    if type(x) is jnp.DeviceArray:  # want: removed-api (no fix): differ
        return 1
    if isinstance(x, xla.DeviceArray | np.ndarray):  # want: removed-api (no fix): differ
        return 2
    if isinstance(x, (int, (jax.random.KeyArray, float))):  # want: removed-api (no fix): differ
        return 3
    if isinstance(x, (jnp.DeviceArray, jax.core.Tracer)) or isinstance(x, (int, ANY)):  # want: removed-api
        return 4
    if type(x) in (jnp.DeviceArray, jax.core.Tracer) or type(x) in TYPES:  # want: removed-api (no fix): differ
        return 5
    if any(type(x) is t for t in (jnp.DeviceArray, jax.core.Tracer)):  # want: removed-api (no fix): differ
        return 6
    return isinstance(x, Asked) or isinstance(x, TYPES) or isinstance(x, Parts.__args__)


def whole(x: Both) -> Every:
    return x


@functools.singledispatch
def shown(x: Read) -> str:
    return str(x)


@shown.register(jnp.DeviceArray)  # want: removed-api (no fix): differ
def of_array(x):
    return "array"


def registered(registry):
    for t in (jnp.DeviceArray, jax.core.Tracer):  # want: removed-api (no fix): differ
        registry[t] = 1


class Own(jnp.DeviceArray):  # want: removed-api (no fix): differ
    pass
