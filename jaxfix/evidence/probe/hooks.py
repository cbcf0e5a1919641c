"""Subclasses, as a user might write them, of the object that a method is called on."""

import copy
import dataclasses
import functools
import inspect
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

from .effects import Reach
from .fields import fields
from .kinds import GIVEN
from .near import smaller
from .perturb import changed, doubled, is_plain
from .samples import Sample, leaves_of
from .supplied import Change, Refused, Supplied, may_leave, raising

_MOST = 4


def overridden(sample: Sample, reach: Reach) -> Iterator[tuple[str, Sample]]:
    """The call on objects of subclasses, each of which overrides one thing that the functions in reach mention."""
    found = _owner(sample, reach)
    if found is None:
        return
    parameter, owner = found
    kinds: Iterator[tuple[str, type]] = itertools.chain(
        _written(type(owner)), _made(owner, reach), _mixed(owner, reach)
    )
    for how, kind in kinds:
        try:
            other = copy.copy(owner)
            object.__setattr__(other, "__class__", kind)
        except Exception:  # whatever the class forbids
            continue
        yield f"{GIVEN}{how}", sample.replaced(parameter, other)


def below(sample: Sample, reach: Reach) -> Iterator[tuple[str, Sample]]:
    """The call with subclasses in the place of classes, and with objects of subclasses that have a field more."""
    for name, value in sample.arguments(sample.leaves()).items():
        kind = value if isinstance(value, type) else type(value)
        if not reach.is_mine(kind.__module__) or (kind is not value and hasattr(kind, sample.code.co_name)):
            continue
        try:
            made = _further(kind)
            yield f"{GIVEN}`{name}` of a subclass", sample.replaced(name, made if kind is value else _as(value, made))
        except Exception:  # whatever the class forbids
            continue


def _further(kind: type) -> type:
    """A subclass of another name, with a field more where a class of data is a class of fields."""
    name, base = f"Other{kind.__name__}", {"__module__": kind.__module__}
    if not dataclasses.is_dataclass(kind):
        return types.new_class(name, (kind,), exec_body=functools.partial(_fill, base))
    params: Any = vars(kind).get("__dataclass_params__")
    if params is None:
        raise TypeError("a base of it is a class of data, and it is none itself")
    field = ("other", int, dataclasses.field(default=1, kw_only=True))
    return dataclasses.make_dataclass(name, [field], bases=(kind,), namespace=base, frozen=params.frozen)


def _as(value: Any, kind: type) -> Any:
    """The value as an instance of a class below its own."""
    if isinstance(value, tuple):
        return tuple.__new__(kind, value)
    if not leaves_of(value) == [value]:
        raise TypeError("jax takes it apart, and does not know the subclass")
    other = copy.copy(value)
    object.__setattr__(other, "__class__", kind)
    if dataclasses.is_dataclass(kind):
        object.__setattr__(other, "other", 2)
    return other


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


def refusing(sample: Sample, reach: Reach) -> Iterator[tuple[str, Change]]:
    """What makes the object that the method is called on one of a subclass whose method raises, for one call."""
    found = _owner(sample, reach)
    if found is None or not may_leave(reach.codes):
        return
    parameter, owner = found
    for name, held in itertools.islice(_methods(owner, reach), _MOST):
        kind = _subclass(owner, name, raising(Refused, None, held)) if isinstance(held, types.FunctionType) else None
        if kind is not None:
            how = f"an object of a subclass with a `{name}` that raises"
            yield how, Change(functools.partial(_put, parameter, kind), lambda returned: returned)


def _put(parameter: str, kind: type, given: Supplied) -> Callable[[], None]:
    owner = given.arguments[parameter]
    own = type(owner)
    object.__setattr__(owner, "__class__", kind)
    return lambda: object.__setattr__(owner, "__class__", own)


def _made(owner: Any, reach: Reach) -> Iterator[tuple[str, type]]:
    methods = [*itertools.islice(_methods(owner, reach), 4 * _MOST)]
    others = [(name, other) for name, held in methods if (other := _other(held)) is not None][:_MOST]
    others += [(name, less) for name, held in methods if type(held) is int for less in smaller(held)][:_MOST]
    for name, other in others:
        kind = _subclass(owner, name, other)
        if kind is not None:
            yield f"an object of a subclass with another `{name}`", kind


def _mixed(owner: Any, reach: Reach) -> Iterator[tuple[str, type]]:
    """Subclasses that put another class between the class and one of its bases, whose methods `super` finds."""
    kind = type(owner)
    for base in [base for base in kind.__mro__[1:] if "super" in reach.names and reach.is_mine(base.__module__)]:
        body: dict[str, Any] = {name: _other(vars(base)[name]) for name in sorted(reach.names & vars(base).keys())}
        body = {name: value for name, value in body.items() if value is not None and not name.startswith("__")}
        try:
            between = types.new_class(base.__name__, (base,), exec_body=functools.partial(_fill, body))
            mixed = types.new_class(kind.__name__, (kind, between), exec_body=lambda held: None)
        except Exception:  # whatever its metaclass forbids
            continue
        yield f"an object of a subclass with another class before `{base.__name__}`", mixed


def _methods(owner: Any, reach: Reach) -> Iterator[tuple[str, Any]]:
    """The attributes of an object's class that the functions mention, with their values."""
    kind, own = type(owner), set(fields(owner))
    for name in sorted(reach.names):
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is not None and reach.is_mine(home.__module__) and name not in own and not name.startswith("__"):
            yield name, inspect.getattr_static(kind, name)


def _subclass(owner: Any, name: str, value: Any) -> type | None:
    """A class below that of the object, of the same name; None where its metaclass forbids it."""
    kind = type(owner)
    body = {name: value, "__slots__": (), "__module__": kind.__module__}
    try:
        return types.new_class(kind.__name__, (kind,), exec_body=functools.partial(_fill, body))
    except Exception:
        return None


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
