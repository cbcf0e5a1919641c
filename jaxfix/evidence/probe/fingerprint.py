"""Digests of arrays where they are: two sums over all bits, and no copy of the array to the host or beside itself.

An array is read in pieces, so there is hardly any memory used. Each value is mixed with its place before it is added,
so values that change places change the sums. Sums of integers do not depend on the order of adding.
"""

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

LEAST_BYTES = 64 << 20
"""Smaller arrays are digested on the host: there a program need not be compiled for each shape."""
_LANES = (0x9E3779B1, 0x85EBCA77)
_NAN = 0x7FC00001
_CHUNK, _MOST_SIZE = 1 << 20, 1 << 31


def is_large(array: Any) -> bool:
    """Whether the array is digested where it is."""
    return bool(array.nbytes >= LEAST_BYTES and 0 < array.size < _MOST_SIZE and array.is_fully_addressable)


def fingerprint(array: Any) -> tuple[tuple[int, ...], int]:
    """Two numbers that tell the values of an array from others, where each of them is, and how many are NaN.

    All NaNs are one, as for any digest: their sign and payload mean nothing.
    """
    alone = len(array.sharding.device_set) == 1
    parts = [array] if alone else [shard.data for shard in array.addressable_shards if shard.replica_id == 0]
    found = [[int(value) for value in _called(_program(), part)] for part in parts]
    return tuple(value for _, *sums in found for value in sums), sum(nans for nans, *_ in found)


def every(array: Any, stride: int) -> Any:
    """Each `stride`-th value in the order of rows, on the host."""
    return _called(_sampling(stride), array)


def _called(program: Callable[[Any], Any], array: Any) -> Any:
    jax = importlib.import_module("jax")
    with jax.disable_jit(False), jax.transfer_guard("allow"):
        return jax.device_get(program(array))


@functools.cache
def _sampling(stride: int) -> Callable[[Any], Any]:
    jax = importlib.import_module("jax")

    def sampled(array: Any) -> Any:
        found = jax.lax.slice(array.reshape(-1), (0,), (array.size,), (stride,))
        is_narrow = jax.numpy.issubdtype(found.dtype, jax.numpy.floating) and found.dtype.itemsize < 4
        return found.astype(jax.numpy.float32) if is_narrow else found

    compiled: Callable[[Any], Any] = jax.jit(sampled)
    return compiled


@functools.cache
def _program() -> Callable[[Any], Any]:
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    jnp, lax = jax.numpy, jax.lax

    def mixed(value: Any) -> Any:
        """The finalizer of MurmurHash3."""
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            value = (value ^ (value >> np.uint32(shift))) * np.uint32(factor)
        return value ^ (value >> np.uint32(16))

    def piece(part: Any, start: Any, first: Any) -> Any:
        """The sums of a part that begins at `start`, without what comes before `first`."""
        place = start + lax.iota(jnp.uint32, part.size)
        missing = jnp.isnan(part) if jnp.issubdtype(part.dtype, jnp.inexact) else jnp.zeros(part.shape, bool)
        found = [missing]
        for lane in _LANES:
            value = mixed(place * np.uint32(lane) + np.uint32(lane >> 3))
            for word in _words(part, missing):
                value = mixed(value ^ (word * np.uint32(lane) + np.uint32(0x27D4EB2F)))
            found.append(value)
        return tuple(jnp.sum(jnp.where(place >= first, each, 0), dtype=jnp.uint32) for each in found)

    def summed(array: Any) -> Any:
        flat, length = array.reshape(-1), min(_CHUNK, array.size)

        def add(number: Any, sums: Any) -> Any:
            first = number * np.uint32(length)
            start = jnp.minimum(first, np.uint32(array.size - length))
            part = lax.dynamic_slice(flat, (start.astype(jnp.int32),), (length,))
            return tuple(one + other for one, other in zip(sums, piece(part, start, first), strict=True))

        zero = (jnp.uint32(0),) * (1 + len(_LANES))
        return lax.fori_loop(np.uint32(0), np.uint32(-(-array.size // length)), add, zero)

    compiled: Callable[[Any], Any] = jax.jit(summed)
    return compiled


def _words(array: Any, missing: Any) -> Iterator[Any]:
    """The bits of each value in arrays of 32 bits; all NaNs are one."""
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    jnp = jax.numpy
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        yield from _words(array.real, missing)
        yield from _words(array.imag, missing)
        return
    for word in _raw(array):
        yield jnp.where(missing, np.uint32(_NAN), word)


def _raw(array: Any) -> Iterator[Any]:
    jax = importlib.import_module("jax")
    jnp, cast = jax.numpy, jax.lax.bitcast_convert_type
    if array.dtype == jnp.bool_:
        yield array.astype(jnp.uint32)
        return
    is_float = jnp.issubdtype(array.dtype, jnp.floating)
    bits = (jnp.finfo if is_float else jnp.iinfo)(array.dtype).bits
    if bits < 8:  # every value is one of the wider type too
        array, bits = (array.astype(jnp.float32), 32) if is_float else (array.astype(jnp.int8), 8)
    if bits == 64:
        both = cast(array, jnp.uint32)
        yield from (both[..., half] for half in range(2))
    else:
        yield cast(array, {8: jnp.uint8, 16: jnp.uint16, 32: jnp.uint32}[bits]).astype(jnp.uint32)
