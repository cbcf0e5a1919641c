"""Dictionaries and lists with other items: keys that the sources distinguish, None, one more, another keyword.

Also lists in the place of tuples and the other way round, where the sources ask for the type.
"""

import ast
import math
from collections import OrderedDict, namedtuple
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType, MappingProxyType
from typing import Any

from .effects import Reach, definitions
from .kinds import GIVEN
from .perturb import changed, variations
from .samples import Sample

_MOST, _MOST_TEXTS, _SEPARATORS = 3, 6, "/.:_"
_KEYWORDS = 0x08
_NAMED: Any = namedtuple
_TYPES, _SEQUENCES = {"isinstance", "issubclass", "type"}, {"list", "tuple", "Sequence", "Collection", "Iterable"}


def moved(sample: Sample, *, hazardous: bool) -> dict[str, Any]:
    """The arguments with other data: on zeros, and on equal ones, much is the same that is not."""
    leaves = sample.leaves()
    _, other = next(variations(leaves, hazardous), ("", leaves))
    return sample.arguments(other)


def dictionaries(sample: Sample, arguments: Mapping[str, Any], texts: Sequence[str]) -> Iterator[tuple[str, Sample]]:
    """The call with dictionaries that lack a key which the sources name, or with another key, order or class."""
    for name, value in arguments.items():
        if type(value) is not dict or not value or not all(isinstance(key, str) for key in value):
            continue
        for key in [key for key in value if key in texts][:_MOST]:
            yield (
                f"{GIVEN}`{name}` without {key!r}",
                sample.replaced(name, {k: v for k, v in value.items() if k != key}),
            )
        last, held = next(reversed(value.items()))
        for how, keys in _others(value, last, texts):
            yield f"{GIVEN}`{name}` with {how}", sample.replaced(name, value | dict.fromkeys(keys, held))
        yield f"{GIVEN}`{name}` with None for {last!r}", sample.replaced(name, value | {last: None})
        if len(value) > 1:
            yield f"{GIVEN}`{name}` in reverse order", sample.replaced(name, dict(reversed(value.items())))
        yield f"{GIVEN}`{name}` as an OrderedDict", sample.replaced(name, OrderedDict(value))


def mappings(sample: Sample, arguments: Mapping[str, Any], reach: Reach) -> Iterator[tuple[str, Sample]]:
    """The call with mappings other than dictionaries, where the sources ask for a mapping."""
    for name, value in arguments.items() if reach.names & {"Mapping", "MutableMapping"} else ():
        if type(value) is dict:
            yield f"{GIVEN}`{name}` as a mapping that is not a dict", sample.replaced(name, MappingProxyType(value))


def _others(value: Mapping[str, Any], last: str, texts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Keys that a dictionary may have besides, and how to tell of them."""
    yield "another key", [f"{last}_other"]
    for text in [text for text in texts if text not in value][:_MOST_TEXTS]:
        yield f"keys like {text!r}", [text, f"{text}_other", f"other_{text}_other"]
    for mark in [mark for mark in _SEPARATORS if mark in last[1:-1]]:
        first, rest = last.split(mark, 1)
        yield (
            f"keys of more parts between {mark!r}",
            [f"{last}{mark}other", f"other{mark}{last}", f"{first}{mark}other{mark}{rest}"],
        )


def lists(sample: Sample, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Sample]]:
    """The call with lists and tuples of no items, of one more, which is the first again, and with a None among them."""
    for name, value in arguments.items():
        if type(value) in (list, tuple) and value:
            yield f"{GIVEN}`{name}` with one item more", sample.replaced(name, type(value)((*value, value[0])))
            if isinstance(value[0], int | float):
                other = changed(value[0])
                yield (
                    f"{GIVEN}`{name}` with another item at its end",
                    sample.replaced(name, type(value)((*value, other))),
                )
            yield f"{GIVEN}`{name}` with no items", sample.replaced(name, type(value)())
            yield f"{GIVEN}`{name}` with a None", sample.replaced(name, type(value)((*value[:-1], None)))


def ordered(sample: Sample, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Sample]]:
    """The call with lists and tuples in reverse order, and with items that are there twice, or named as another one."""
    for name, value in arguments.items():
        if type(value) in (list, tuple) and len(value) > 1:
            kind, (first, *_, last) = type(value), value
            yield f"{GIVEN}`{name}` in reverse order", sample.replaced(name, kind(value[::-1]))
            if isinstance(first, str | int | float | tuple | list | dict):
                yield f"{GIVEN}`{name}` with its first item twice", sample.replaced(name, kind((first, *value)))
            if (other := _named_as(first, last)) is not None:
                yield f"{GIVEN}`{name}` with two items of one name", sample.replaced(name, kind((*value, other)))


def _named_as(first: Any, last: Any) -> Any:
    """The last item under the name of the first: with the same text or whole number; None where it has none."""
    if type(first) is not type(last):
        return None
    if type(first) is dict:
        named = {key: held for key, held in first.items() if isinstance(held, str)}
        return last | named if named else None
    if isinstance(first, tuple | list) and len(first) > 1 and len(first) == len(last):
        other = [one if isinstance(one, str | int) else two for one, two in zip(first, last, strict=True)]
        if any(one is two for one, two in zip(first, other, strict=True)):
            return last._make(other) if hasattr(last, "_make") else type(last)(other)
    return None


def retyped(sample: Sample, arguments: Mapping[str, Any], names: Collection[str]) -> Iterator[tuple[str, Sample]]:
    """The call with tuples for lists and lists for tuples, at any depth, where the sources ask for one of the types.

    Args:
      names: those that the sources mention.
    """
    if not (_TYPES.intersection(names) and _SEQUENCES.intersection(names)):
        return
    for name, value in arguments.items():
        for how, new, old in (("tuples for lists", tuple, list), ("lists for tuples", list, tuple)):
            for where, least in (("", 0), (" within it", 1)):
                if _holds(value, old, least):
                    made = _converted(value, new, old, least)
                    yield f"{GIVEN}`{name}` with {how}{where}", sample.replaced(name, made)
        if type(value) in (list, tuple) and value:
            made = _NAMED("Items", [f"item_{number}" for number in range(len(value))])(*value)
            yield f"{GIVEN}`{name}` as a named tuple", sample.replaced(name, made)


def _holds(value: Any, kind: type, least: int) -> bool:
    """Whether a value holds something of this very type, so deep at least."""
    if type(value) not in (list, tuple, dict):
        return False
    inner = value.values() if type(value) is dict else value
    return (least <= 0 and type(value) is kind) or any(_holds(item, kind, least - 1) for item in inner)


def _converted(value: Any, new: type, old: type, least: int) -> Any:
    """The value with what is of the one type as of the other, so deep at least."""
    if type(value) is dict:
        return {key: _converted(item, new, old, least - 1) for key, item in value.items()}
    if type(value) not in (list, tuple):
        return value
    kind = new if least <= 0 and type(value) is old else type(value)
    return kind(_converted(item, new, old, least - 1) for item in value)


def keywords(
    sample: Sample, arguments: Mapping[str, Any], code: CodeType, reach: Reach
) -> Iterator[tuple[str, Sample]]:
    """The call with keywords that it may pass on or look up: those that functions of the user's have defaults of."""
    if not code.co_flags & _KEYWORDS:
        return
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    rest = list(arguments)[-1]
    known = {*own, *arguments[rest]}
    others = dict(_defaults(reach)) | dict.fromkeys(_asked_for(reach, rest), 0.5)
    for name, other in [pair for pair in others.items() if pair[0] not in known][:_MOST_TEXTS]:
        yield f"{GIVEN}the keyword `{name}`", sample.replaced(rest, arguments[rest] | {name: other})


def _asked_for(reach: Reach, rest: str) -> Iterator[str]:
    """The keywords that are looked up in what holds the rest of them."""
    for node in (part for code, _ in reach.codes for whole in definitions(code) for part in ast.walk(whole)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))) if name == rest:
                yield key
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get" | "pop"), args=[ast.Constant(value=str(key)), *_]
            ) if name == rest:
                yield key


def _defaults(reach: Reach) -> Iterator[tuple[str, Any]]:
    """The parameters of functions that have numbers, flags or None as defaults, and something else for each."""
    for node in (node for code, _ in reach.codes for node in definitions(code)):
        args = node.args
        positional = zip([*args.posonlyargs, *args.args][::-1], args.defaults[::-1], strict=False)
        for arg, default in (*positional, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
            match default:
                case ast.Constant(value=None):
                    yield arg.arg, 0.5
                case ast.Constant(value=bool() | int() | float() as value) if math.isfinite(value):
                    yield arg.arg, changed(value)
