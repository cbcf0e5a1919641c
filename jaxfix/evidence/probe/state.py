"""What a function changes beside what it returns: held, told and put back."""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CellType, CodeType
from typing import Any

from .alter import Alter, fields
from .effects import MUTATORS, Reach, containers, definitions
from .originals import Namespace, nested
from .perturb import is_plain

_MOST_OBJECTS, _DEEPEST = 50, 2
_GONE = object()
Code = tuple[CodeType, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function may put something: a container, an attribute, a global or a cell."""

    label: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


class State:
    """The places that the original changes. What only the rewritten function remembers stays as it is.

    Args:
      reach: what the original reaches.
      values: what it is called with and captures.
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
        mentioned = (globals_[name] for code, globals_ in reach.codes for name in _names(code) if name in globals_)
        if stored:
            for label, owner in _objects([*values, *captured.values(), *mentioned], Alter(reach.is_mine)):
                self.places += [_attribute(label, owner, name) for name in sorted(stored.intersection(fields(owner)))]

    def held(self) -> list[tuple[Place, Any, Any]]:
        """What the places hold, and what that contains."""
        values = ((place, place.get()) for place in self.places)
        return [(place, value, _contents(value)) for place, value in values]

    def changes(self) -> dict[str, Any]:
        """What is in the places now: of containers how many, of data all, of anything else its type."""
        return {place.label: _shown(place.get()) for place in self.places}

    @staticmethod
    def put_back(held: list[tuple[Place, Any, Any]]) -> None:
        """Makes the places hold what they held."""
        for place, value, contents in held:
            _refill(value, contents)
            if place.get() is not value:
                place.put(value)


def assigns_globals(code: CodeType) -> bool:
    """Whether the function, or one within it, declares something `global`."""
    return any(isinstance(part, ast.Global) for node in definitions(code) for part in ast.walk(node))


def unplaced(reach: Reach, cells: dict[str, CellType]) -> str | None:
    """The first variable of another function that is assigned and cannot be put back, in words."""
    missing = sorted(_nonlocals(reach.codes) - cells.keys())
    return f"it assigns to `{missing[0]}`, which is not its own" if missing else None


def _names(code: CodeType) -> set[str]:
    return {name for part in nested(code) for name in part.co_names}


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


def _objects(values: list[Any], alter: Alter) -> list[tuple[str, Any]]:
    """The objects of the user's among the values and in their attributes."""
    found: list[tuple[str, Any]] = []
    seen: set[int] = set()

    def visit(value: Any, depth: int) -> None:
        if id(value) in seen or len(found) >= _MOST_OBJECTS or not alter.is_object(value):
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


def _contents(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if isinstance(value, list | dict | set) or (numpy is not None and isinstance(value, numpy.ndarray)):
        return value.copy()
    return None


def _refill(value: Any, contents: Any) -> None:
    if contents is None:
        return
    if isinstance(value, dict | set):
        value.clear()
        value.update(contents)
    elif isinstance(value, list):
        value[:] = contents
    else:
        value[...] = contents


def _shown(value: Any) -> Any:
    if isinstance(value, list | dict | set):
        return len(value)
    return value if is_plain(value) or isinstance(value, str) else type(value)
