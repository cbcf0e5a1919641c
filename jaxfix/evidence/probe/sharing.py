"""Which parts of two values are one and the same: what is changed, or donated, in one then is so in the other."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .fields import fields
from .samples import is_array, is_key, is_tracer

_DEEPEST, _MOST, _WORK = 4, 64, 10_000
_HOLDERS = (list, dict, set, bytearray)
Part = tuple[str, Any]


def shared(returned: Any, others: Iterable[Part], is_object: Callable[[Any], bool]) -> list[str]:
    """What of a result is also a part of something else, or of itself, and of what.

    Args:
      others: what else there is, by name.
      is_object: whether a value is an instance of a class of the user's.
    """
    mine = list(_parts("result", returned, is_object))
    if not mine:
        return []
    known = [part for name, value in others for part in _parts(name, value, is_object)]
    found = [(path, at) for path, part in mine for at, other in known if _is_shared(part, other)]
    pairs = (
        (path, at) for number, (path, part) in enumerate(mine) for at, other in mine[:number] if _is_shared(part, other)
    )
    return sorted({f"{path} is {at}" for path, at in (*found, *pairs)})


def arrays(returned: Any, others: Iterable[Part], is_object: Callable[[Any], bool]) -> set[str]:
    """Which jax arrays in a result are also in something else, or twice in it: a donation of one ends both."""
    places: dict[int, str] = {}
    for name, value in others:
        for at, part in _parts(name, value, is_object, _is_of_jax):
            places.setdefault(_memory(part), at)
    found = set[str]()
    for path, part in _parts("result", returned, is_object, _is_of_jax):
        other = places.setdefault(_memory(part), path)
        found |= {f"{path} is {other}"} if other != path else set()
    return found


def orders(value: Any) -> list[str]:
    """The keys of the dictionaries of a result, in their order, of those where that is not the order of jax."""
    found = []
    for part in _dictionaries(value, 0):
        keys = [*map(str, part)]
        if keys != sorted(keys):
            found.append(", ".join(keys))
    return found[:_MOST]


def _dictionaries(value: Any, depth: int) -> Iterator[dict[Any, Any]]:
    if type(value) is dict:
        yield value
    if depth < _DEEPEST and type(value) in (dict, list, tuple) and len(value) <= _MOST:
        for part in value.values() if type(value) is dict else value:
            yield from _dictionaries(part, depth + 1)


def _is_changed_in_place(part: Any) -> bool:
    return isinstance(part, _HOLDERS) or _is_array(part)


def _is_of_jax(part: Any) -> bool:
    """Whether it is a jax array that holds memory."""
    if not is_array(part) or is_tracer(part) or is_key(part) or part.is_deleted() or not part.size:
        return False
    return len(part.sharding.device_set) == 1


def _memory(part: Any) -> int:
    """Where its values lie."""
    try:
        return int(part.unsafe_buffer_pointer())
    except Exception:  # a device that does not tell
        return id(part)


def _parts(
    name: str,
    value: Any,
    is_object: Callable[[Any], bool],
    is_wanted: Callable[[Any], bool] = _is_changed_in_place,
) -> Iterator[Part]:
    """What is wanted of a value, by path; by itself what can be changed in place, objects of the user's among it."""
    seen: set[int] = set()

    def visit(path: str, part: Any, depth: int) -> Iterator[Part]:
        if len(seen) >= _MOST or depth > _DEEPEST:
            return
        is_mine = is_object(part)
        if is_wanted(part) or (is_mine and is_wanted is _is_changed_in_place):
            yield path, part
        if id(part) in seen:
            return
        seen.add(id(part))
        for at, held in _within(part, is_mine=is_mine):
            yield from visit(f"{path}{at}", held, depth + 1)

    yield from visit(name, value, 0)


def _within(part: Any, *, is_mine: bool) -> Iterator[Part]:
    if isinstance(part, dict):
        yield from ((f"[{key!r}]" if isinstance(key, str | int) else "[...]", held) for key, held in [*part.items()])
    elif isinstance(part, list | tuple):
        yield from ((f"[{number}]", held) for number, held in enumerate(part))
    elif is_mine:
        yield from ((f".{name}", getattr(part, name, None)) for name in fields(part))


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _is_shared(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if not (_is_array(one) and _is_array(other)):
        return False
    numpy = sys.modules["numpy"]
    try:
        return bool(numpy.shares_memory(one, other, max_work=_WORK))
    except Exception:  # odd strides, not worth an exact answer
        return bool(numpy.may_share_memory(one, other))
