"""The side effects of a function: recorded, reported and undone."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from .alter import Alter
from .contents import is_large, is_mutable, is_same, is_same_element, put_back, taken, told, within
from .effects import MUTATORS, Reach, containers, definitions
from .fields import fields
from .originals import Namespace, nested
from .perturb import is_plain
from .samples import is_array, is_tracer
from .values import PLAIN, flatten

_MOST_OBJECTS, _MOST_ITEMS, _DEEPEST = 50, 16, 2
_GONE = object()
Code = tuple[CodeType, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function may put something: a container, an attribute, a global or a cell."""

    label: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


class Held(NamedTuple):
    """What a place held, and what that held that can be changed in place: path, value and contents of each."""

    place: Place
    value: Any
    parts: list[tuple[str, Any, Any]]


class State:
    """The places that the original may change. What only the rewritten function remembers stays unchanged.

    Args:
      reach: what the original reaches.
      values: what it is called with, jax arrays aside.

    Attributes:
      places: that the original's text assigns to, or adds to.
      others: what it has or mentions that can be changed in place, whether or not its text seems to.
      has_large: whether an array among them is too large to be compared.
    """

    def __init__(
        self,
        reach: Reach,
        captured: dict[str, Any],
        cells: dict[str, CellType],
        values: Iterable[Any],
    ) -> None:
        self.places = [_whole(name, value) for name, value in containers(reach.codes, captured).items()]
        self.places += _globals(reach.codes)
        self.places += [_cell(name, cells[name]) for name in _nonlocals(reach.codes) if name in cells]
        stored = _stored(reach.codes)
        named = dict(_mentioned(reach)) | captured
        given = {f"argument {number}": value for number, value in enumerate(values)}
        self.others = [_whole(name, value) for name, value in (named | given).items() if is_mutable(value)]
        self._is_object = Alter(reach.is_mine).is_object
        for label, owner in _objects([*given.values(), *named.values()], self._is_object):
            is_whole = _does_more(type(owner), stored)
            for name in fields(owner):
                if is_whole or name in stored:
                    self.places.append(_attribute(label, owner, name))
                elif is_mutable(held := getattr(owner, name, None)):
                    self.others.append(_whole(f"{label}.{name}", held))
        self.has_large = any(is_large(place.get()) for place in self.places) or any(map(is_large, named.values()))

    def held(self) -> list[Held]:
        """The contents of the places, and of the objects in them."""
        values = ((place, place.get()) for place in (*self.places, *self.others))
        return [
            Held(place, value, [(path, part, taken(part)) for path, part in within(value)]) for place, value in values
        ]

    def changes(self, held: list[Held]) -> dict[str, Any]:
        """What is in the places now, and what has changed in them since: of data all, of containers how many."""
        found = {place.label: self._shown(place.get()) for place in self.places}
        for place, value, parts in held:
            now = place.get()
            if now is not value and not is_same_element(now, value):
                if _is_replaced(value, now):
                    found[f"{place.label} is"] = "another container than before"
                parts = [*((path, part, None) for path, part in within(now)), *parts]
            for path, part, contents in parts:
                if contents is None or not is_same(taken(part), contents):
                    found[f"{place.label}{path} holds"] = told(part)
        return found

    def _shown(self, value: Any) -> Any:
        """What a place holds; of a container its length, of an object that can be changed in place its type.

        An object of the user's is opened where it is digested.
        """
        if isinstance(value, list | dict | set):
            return len(value)
        if isinstance(value, frozenset):
            return told(value)
        return value if self._is_object(value) or _is_value(value) else type(value)

    @staticmethod
    def put_back(held: list[Held]) -> None:
        """Makes the places hold what they held."""
        for place, value, parts in held:
            for _, part, contents in parts:
                if not is_same(taken(part), contents):
                    put_back(part, contents)
            if place.get() is not value:
                place.put(value)


def _is_replaced(value: Any, now: Any) -> bool:
    """Whether a container has been replaced by one with other contents: who holds the old one does not see these."""
    return is_mutable(value) and is_mutable(now) and not is_same(taken(now), taken(value))


def assigns_globals(code: CodeType) -> bool:
    """Whether the function, or one within it, declares something `global`."""
    return any(isinstance(part, ast.Global) for node in definitions(code) for part in ast.walk(node))


def unplaced(reach: Reach, cells: dict[str, CellType]) -> str | None:
    """The first variable of another function that is assigned and cannot be put back, in words."""
    missing = sorted(_nonlocals(reach.codes) - cells.keys())
    return f"it assigns to `{missing[0]}`, which is not its own" if missing else None


def _names(code: CodeType) -> set[str]:
    return {name for part in nested(code) for name in part.co_names}


def _mentioned(reach: Reach) -> Iterator[tuple[str, Any]]:
    """The globals that the functions read, and of modules of the user's the attributes that they name."""
    for code, globals_ in reach.codes:
        live = globals_.live if isinstance(globals_, Namespace) else globals_
        names = _names(code)
        for name in sorted(names & live.keys()):
            value = live[name]
            if not isinstance(value, ModuleType):
                yield name, value
            elif reach.is_mine(value.__name__):
                yield from ((f"{name}.{inner}", vars(value)[inner]) for inner in sorted(names & vars(value).keys()))


def _globals(codes: list[Code]) -> Iterator[Place]:
    seen: set[tuple[int, str]] = set()
    for code, globals_ in codes:
        live = globals_.live if isinstance(globals_, Namespace) else globals_
        for node in definitions(code):
            for part in ast.walk(node):
                for name in part.names if isinstance(part, ast.Global) else ():
                    if (id(live), name) not in seen:
                        seen.add((id(live), name))
                        yield _global(name, live)


def _nonlocals(codes: list[Code]) -> set[str]:
    found: set[str] = set()
    for code, _ in codes:
        for part in nested(code):
            own = {name for inner in nested(code) for name in inner.co_cellvars}
            stored = {name for node in definitions(part) for name in _declared(node)}
            found |= stored - own
    return found


def _declared(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Nonlocal):
            yield from part.names


def _stored(codes: list[Code]) -> set[str]:
    """The attributes that are assigned, or whose contents are changed."""
    found: set[str] = set()
    for code, _ in codes:
        if code.co_name in ("__init__", "__post_init__", "__new__"):
            continue
        for node in definitions(code):
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                    found.add(part.attr)
                if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
                    found |= _last(part.value)
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in MUTATORS:
                    found |= _last(part.func.value)
    return found


def _last(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Subscript):
        node = node.value
    return {node.attr} if isinstance(node, ast.Attribute) else set()


def _does_more(kind: type, stored: set[str]) -> bool:
    """Whether what is assigned to an attribute of these names may be kept under another: by code of the class."""
    held = [vars(each)[name] for each in kind.__mro__ for name in stored & vars(each).keys()]
    is_set = any(isinstance(getattr(type(value), "__set__", None), FunctionType) for value in held)
    is_property = any(isinstance(value, property) for value in held)
    return bool(stored) and (is_set or is_property or isinstance(kind.__setattr__, FunctionType))


def _objects(values: list[Any], is_object: Callable[[Any], bool]) -> list[tuple[str, Any]]:
    """The objects of the user's among the values, in their attributes and in their items."""
    found: list[tuple[str, Any]] = []
    seen: set[int] = set()

    def visit(value: Any, depth: int) -> None:
        if id(value) in seen or len(found) >= _MOST_OBJECTS:
            return
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
        for item in list(items)[:_MOST_ITEMS] if depth <= _DEEPEST else ():
            visit(item, depth + 1)
        if not is_object(value):
            return
        seen.add(id(value))
        found.append((f"{type(value).__name__}{len(found) or ''}", value))
        for name in fields(value) if depth < _DEEPEST else ():
            visit(getattr(value, name), depth + 1)

    for value in values:
        visit(value, 0)
    return found


def _whole(name: str, value: Any) -> Place:
    return Place(name, lambda: value, lambda new: None)


def _cell(name: str, cell: CellType) -> Place:
    def get() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return _GONE

    def put(value: Any) -> None:
        if value is not _GONE:
            cell.cell_contents = value

    return Place(name, get, put)


def _attribute(label: str, owner: Any, name: str) -> Place:
    return Place(
        f"{label}.{name}", lambda: getattr(owner, name, _GONE), lambda value: object.__setattr__(owner, name, value)
    )


def _global(name: str, live: dict[str, Any]) -> Place:
    def put(value: Any) -> None:
        if value is _GONE:
            live.pop(name, None)
        else:
            live[name] = value

    return Place(name, lambda: live.get(name, _GONE), put)


def _is_value(value: Any) -> bool:
    """Whether to hold another one is the only way to change it: a number, an array, a key, a tree, a frozen object."""
    if is_array(value):
        return not is_tracer(value)
    parameters = getattr(type(value), "__dataclass_params__", None)
    if is_plain(value) or isinstance(value, PLAIN) or getattr(parameters, "frozen", False):
        return True
    leaves = [leaf for _, leaf in flatten(value)[0]]
    return not any(leaf is value or is_tracer(leaf) for leaf in leaves)
