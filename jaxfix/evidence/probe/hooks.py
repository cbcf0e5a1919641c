"""Subclasses, as a user might write them, of the object that a method is called on."""

import copy
import functools
import inspect
import itertools
import types
from collections.abc import Iterator
from typing import Any

from .effects import Reach
from .fields import fields
from .kinds import GIVEN
from .perturb import changed, doubled, is_plain
from .samples import Sample
from .supplied import Refused, may_leave, raising

_MOST = 4


def overridden(sample: Sample, reach: Reach) -> Iterator[tuple[str, Sample]]:
    """The call on objects of subclasses, each of which overrides one thing that the functions in reach mention."""
    found = _owner(sample, reach)
    if found is None:
        return
    parameter, owner = found
    kinds: Iterator[tuple[str, type]] = itertools.chain(_written(type(owner)), _made(owner, reach))
    for how, kind in kinds:
        try:
            other = copy.copy(owner)
            object.__setattr__(other, "__class__", kind)
        except Exception:  # whatever the class forbids
            continue
        yield f"{GIVEN}{how}", sample.replaced(parameter, other)


def _owner(sample: Sample, reach: Reach) -> tuple[str, Any] | None:
    """The parameter that holds the object which the method is called on, and that object."""
    arguments = sample.arguments(sample.leaves())
    parameter = next(iter(arguments), None)
    owner = arguments.get(parameter) if parameter else None
    if parameter is None or isinstance(owner, type) or not reach.is_mine(type(owner).__module__):
        return None
    return (parameter, owner) if hasattr(type(owner), sample.code.co_name) else None


def _written(kind: type) -> Iterator[tuple[str, type]]:
    """The subclasses that the program has; those that are made here have the name of their base."""
    every: list[type] = type.__subclasses__(kind)
    written = [below for below in every if below.__name__ != kind.__name__]
    yield from ((f"an object of `{below.__name__}`", below) for below in written[:_MOST])


def _made(owner: Any, reach: Reach) -> Iterator[tuple[str, type]]:
    kind, own, count = type(owner), set(fields(owner)), 0
    for name in sorted(reach.names):
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is None or not reach.is_mine(home.__module__) or name in own or name.startswith("__"):
            continue
        held = inspect.getattr_static(kind, name)
        other = _other(held)
        if other is None or (count := count + 1) > _MOST:
            continue
        others = {f"another `{name}`": other}
        if isinstance(held, types.FunctionType) and may_leave(reach.codes):
            others[f"a `{name}` that raises"] = raising(Refused, None, held)
        for how, value in others.items():
            body = {name: value, "__slots__": (), "__module__": kind.__module__}
            try:
                made = types.new_class(kind.__name__, (kind,), exec_body=functools.partial(_fill, body))
            except Exception:  # whatever its metaclass forbids
                continue
            yield f"an object of a subclass with {how}", made


def _fill(body: dict[str, Any], held: dict[str, Any]) -> None:
    held.update(body)


def _other(held: Any) -> Any:
    """Another method, property or constant in its place; None where nothing is known."""
    if isinstance(held, staticmethod | classmethod):
        return type(held)(doubled(held.__func__))
    if isinstance(held, types.FunctionType):
        return doubled(held)
    if isinstance(held, property) and held.fget is not None:
        return property(doubled(held.fget))
    return changed(held) if is_plain(held) else None
