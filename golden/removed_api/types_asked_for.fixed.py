"""A type that objects are asked for: `jax.Array` answers otherwise."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import xla

KINDS = (np.ndarray, jnp.DeviceArray)
Asked = jnp.DeviceArray
Read = jax.Array
NAMES = {jnp.DeviceArray: "array"}


def kind(x):
    if type(x) is jnp.DeviceArray:
        return 1
    if isinstance(x, xla.DeviceArray | np.ndarray):
        return 2
    if isinstance(x, (int, (jax.random.KeyArray, float))):
        return 3
    return isinstance(x, Asked)


@functools.singledispatch
def shown(x: Read) -> str:
    return str(x)


@shown.register(jnp.DeviceArray)
def of_array(x):
    return "array"


class Own(jnp.DeviceArray):
    pass
