"""The contents of mutable objects: saved, restored, and reported."""

import array
import hashlib
import importlib
import pickle
import random
import sys
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 64 << 20
"""Of arrays whose contents are taken."""
_DEEPEST, _MOST, _LONGEST = 4, 200, 256
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MAPS = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
_NOTHING = object()


def is_mutable(value: Any) -> bool:
    """Whether the contents of the value can be taken: of a container, a buffer, an array or a generator of numbers."""
    return taken(value) is not _NOTHING


def is_large(value: Any) -> bool:
    """Whether it is an array of which no copy is made."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and value.nbytes > MOST_BYTES


def taken(value: Any) -> Any:
    """The contents of the value, which later changes of it leave alone."""
    if isinstance(value, (dict, *_MAPS)):
        return dict(value)
    if isinstance(value, list | deque):
        return list(value)
    if isinstance(value, set | weakref.WeakSet):
        return set(value)
    if isinstance(value, array.array):
        return value[:]
    if isinstance(value, bytearray) or (isinstance(value, memoryview) and not value.readonly and value.contiguous):
        return bytes(value)
    if isinstance(value, random.Random):
        return _state(random.Random.getstate, value)
    return _NOTHING if is_large(value) else _of_numpy(value)


def _of_numpy(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return _NOTHING
    if isinstance(value, numpy.ndarray) and value.flags.writeable and value.dtype != object:
        return value.copy()
    drawing = sys.modules.get("numpy.random")
    if drawing is not None and isinstance(value, drawing.Generator):
        return value.bit_generator.state
    if drawing is not None and isinstance(value, drawing.RandomState):
        return value.get_state(legacy=False)
    return _NOTHING


def _state(read: Any, value: random.Random) -> Any:
    try:
        return read(value)
    except NotImplementedError:  # the generator of the system has none
        return _NOTHING


def put_back(value: Any, contents: Any) -> None:
    """Makes the value hold what was taken of it."""
    if isinstance(value, (dict, set, weakref.WeakSet, *_MAPS)):
        value.clear()
        value.update(contents)
    elif isinstance(value, deque):
        value.clear()
        value.extend(contents)
    elif isinstance(value, memoryview):
        value.cast("B")[:] = contents
    elif isinstance(value, random.Random):
        value.setstate(contents)
    elif hasattr(value, "bit_generator"):
        value.bit_generator.state = contents
    elif hasattr(value, "set_state"):
        value.set_state(contents)
    else:
        value[... if is_array(value) else slice(None)] = contents


def is_same(one: Any, other: Any) -> bool:
    """Whether two contents of one value are the same: elements by identity, plain ones by what they are."""
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(
            a is b and is_same_element(one[a], other[b]) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_element, one, other))
    if isinstance(one, set):
        return len(one) == len(other) and set(map(id, one)) == set(map(id, other))
    return _bytes(one) == _bytes(other)


def _bytes(value: Any) -> bytes:
    return bytes(value.tobytes()) if is_array(value) else pickle.dumps(value)


def is_same_element(one: Any, other: Any) -> bool:
    """Whether two values are one object, or plain and alike."""
    return one is other or (type(one) is type(other) and isinstance(one, _PLAIN) and repr(one) == repr(other))


def is_array(value: Any) -> bool:
    """Whether it is a numpy array."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def told(value: Any) -> Any:
    """What the value holds, as something to be digested: containers of data, arrays, bytes."""
    if isinstance(value, weakref.WeakKeyDictionary):
        value = list(value.values())
    if isinstance(value, weakref.WeakValueDictionary):
        value = sorted(map(repr, value.keys()))
    if isinstance(value, set | frozenset | weakref.WeakSet):
        plain = all(isinstance(item, _PLAIN) for item in value)
        value = sorted(map(repr, value)) if plain else len(value)
    if isinstance(value, list | deque):
        return list(value) if len(value) <= _LONGEST else _long(list(value))
    if isinstance(value, dict):
        return dict(value) if len(value) <= _LONGEST else _long(list(value.items()))
    if isinstance(value, array.array | bytearray | memoryview):
        return {"type": getattr(value, "typecode", "B"), "bytes": bytes(value)}
    if is_array(value) or isinstance(value, int):
        return value
    return hashlib.sha256(pickle.dumps(taken(value))).digest()


def _long(items: list[Any]) -> Any:
    """A long list, by its length, its end and its plain values."""
    np = importlib.import_module("numpy")
    if all(type(item) in (int, float, bool) for item in items):
        return np.asarray(items)
    plain = repr([item for item in items if isinstance(item, _PLAIN)])
    return {"length": len(items), "last": items[-16:], "plain": hashlib.sha256(plain.encode()).digest()}


def within(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The value and what it holds that can be changed in place, by path."""
    seen: set[int] = set()

    def visit(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
        if id(value) in seen or len(seen) >= _MOST or depth > _DEEPEST or isinstance(value, _PLAIN):
            return
        seen.add(id(value))
        if is_mutable(value):
            yield path, value
        items: Any = ()
        if isinstance(value, dict | weakref.WeakKeyDictionary):
            items = [(f"[{key!r}]" if isinstance(key, _PLAIN) else "[...]", held) for key, held in [*value.items()]]
        elif isinstance(value, list | tuple | deque):
            items = [(f"[{number}]", held) for number, held in enumerate(value)]
        for name, held in items[:_LONGEST]:
            yield from visit(held, path + name, depth + 1)

    yield from visit(value, path, depth)
