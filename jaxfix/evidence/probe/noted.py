"""Which data became constants of a program, and by which line and variable: what jax itself reports of large ones."""

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from math import prod
from types import CodeType, FrameType, FunctionType
from typing import Any

from .files import is_user
from .lines import Lines
from .outward import holding

LEAST = 1 << 20
"""Bytes of a constant that is worth a word."""
_MOST, _DEPTH, _ITEMS = 8, 3, 64
_PROGRAM = "closed_jaxpr"
"""What jax calls the program that it lowers."""
_MOVING = {
    *("broadcast_in_dim", "reshape", "transpose", "squeeze", "slice", "copy"),
    *("expand_dims", "device_put", "rev", "stop_gradient", "optimization_barrier"),
}
"""Operations that compute nothing: to do them while a program runs costs no more than to read the data."""


class Constant:
    """Data in a program.

    Attributes:
      equation: the first that takes it; None where none does.
      folded: an operation on nothing but data.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.bytes = int(getattr(value, "nbytes", 0))
        self.equation: Any = None
        self.folded: str | None = None


def lowered(frame: FrameType | None) -> Any:
    """The program that jax has just lowered, as a closed jaxpr; None where this version keeps it elsewhere.

    None too where jax is set to pass data to the program as arguments.

    Args:
      frame: where jax tells that it has lowered it; further out it holds the program.
    """
    if getattr(sys.modules["jax"].config, "jax_use_simplified_jaxpr_constants", False):
        return None
    for variables in holding(frame, _PROGRAM):
        found = variables.get(_PROGRAM)
        if hasattr(found, "consts") and hasattr(found, "jaxpr"):
            return found
    return None


def constant_bytes(closed: Any) -> int:
    """What the data in a program takes, each array once."""
    return sum(each.bytes for each in _constants(closed))


def noted(closed: Any, function: Any, lines: Lines, user: list[str]) -> list[dict[str, Any]]:
    """The largest constants of a program, as `Noted`, without those below `LEAST`.

    Args:
      function: what was compiled.
    """
    large = sorted((each for each in _constants(closed) if each.bytes >= LEAST), key=lambda each: -each.bytes)
    found = []
    for each in large[:_MOST]:
        place = place_of(each.equation, lines, user)
        if place is None:
            continue
        name, root = _named(function, each.value)
        what = f"{each.value.dtype}[{','.join(map(str, each.value.shape))}]"
        told = {"what": what, "bytes": each.bytes, "name": name, "is_tree": _is_tree(root)}
        about = {"is_host": not hasattr(each.value, "sharding"), "folded": each.folded}
        found.append({"note": "captured", **place, **told, **about})
    return found


def state(closed: Any) -> int:
    """The bytes of what a program returns in the shapes and dtypes of what it takes, and could be written there."""
    taken, given = (Counter(map(_type, some)) for some in (closed.jaxpr.invars, closed.jaxpr.outvars))
    return sum(number * prod(shape) * dtype.itemsize for (shape, dtype), number in (taken & given).items())


def _type(variable: Any) -> tuple[tuple[int, ...], Any]:
    return tuple(variable.aval.shape), variable.aval.dtype


def _constants(closed: Any) -> list[Constant]:
    """The data of a program and of the programs that it calls, each array once."""
    found: dict[int, Constant] = {}
    _walk(closed, {}, found)
    return list(found.values())


def _walk(part: Any, known: dict[int, frozenset[int]], found: dict[int, Constant]) -> None:
    """Adds the data of a part of a program.

    Args:
      known: of the variables that hold data, or what was made of nothing else, the data, by the numbers of both.
      found: by number.
    """
    jaxpr = getattr(part, "jaxpr", part)
    for var, value in zip(jaxpr.constvars, getattr(part, "consts", ()), strict=False):
        known[id(var)] = _added(value, found)
    for equation in jaxpr.eqns:
        sources = [_added(v.val, found) if hasattr(v, "val") else known.get(id(v)) for v in equation.invars]
        inner = list(parts_of(equation))
        for each in inner:
            _walk(each, _handed(equation, getattr(each, "jaxpr", each), sources), found)
        for number in frozenset[int]().union(*(some for some in sources if some)):
            if found[number].equation is None:
                found[number].equation = equation
        _derive(equation, sources, known, found, is_call=bool(inner))


def _derive(
    equation: Any,
    sources: list[frozenset[int] | None],
    known: dict[int, frozenset[int]],
    found: dict[int, Constant],
    *,
    is_call: bool,
) -> None:
    """Records values computed from data alone."""
    made_of = frozenset[int]().union(*(some for some in sources if some))
    if not made_of or any(some is None for some in sources) or equation.effects:
        return
    known.update((id(var), made_of) for var in equation.outvars)
    if not is_call and equation.primitive.name not in _MOVING:
        for number in made_of:
            found[number].folded = found[number].folded or equation.primitive.name


def _added(value: Any, found: dict[int, Constant]) -> frozenset[int]:
    """The number of some data; none of a number that a program has in its text."""
    if not getattr(value, "shape", ()):
        return frozenset()
    found.setdefault(id(value), Constant(value))
    return frozenset({id(value)})


def parts_of(equation: Any) -> Iterator[Any]:
    """The programs that an equation runs."""
    for value in equation.params.values():
        for part in value if isinstance(value, tuple | list) else (value,):
            if hasattr(getattr(part, "jaxpr", part), "eqns"):
                yield part


def _handed(equation: Any, inner: Any, sources: list[frozenset[int] | None]) -> dict[int, frozenset[int]]:
    """The data that the variables of a part hold from its arguments; variables that change in a loop hold none."""
    if len(inner.invars) != len(sources):
        return {}
    first = equation.params.get("num_consts", 0) if equation.primitive.name == "scan" else len(sources)
    pairs = zip(inner.invars[:first], sources[:first], strict=True)
    return {id(var): some for var, some in pairs if some}


def place_of(equation: Any, lines: Lines, user: list[str]) -> dict[str, Any] | None:
    """The innermost line of the user's that an equation comes from."""
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    for frame in getattr(traceback, "frames", None) or ():
        if is_user(frame.file_name, user):
            path, cell = lines.file(frame.file_name)
            return {"path": path, "cell": cell, "line": frame.line_num, "function": frame.function_name}
    return None


def _named(function: Any, value: Any) -> tuple[str | None, Any]:
    """The variable around a function that holds `value`, with the way to it, and what the variable is."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType):
        return None, None
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    around = {name: _content(cell) for name, cell in cells}
    names = set(_names(function.__code__)) & function.__globals__.keys()
    around |= {name: function.__globals__[name] for name in sorted(names) if name not in around}
    for name, held in around.items():
        way = _way(held, value, _DEPTH)
        if way is not None:
            return f"{name}{way}", held
    return None, None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is bound yet
        return None


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _way(held: Any, value: Any, depth: int) -> str | None:
    """How to come from a container to `value`: empty where it is that itself, None where it does not hold it."""
    if held is value or (hasattr(held, "nbytes") and _is_same_data(held, value)):
        return ""
    items: Any = ()
    if type(held) is dict:
        items = held.items()
    elif type(held) in (list, tuple):
        items = enumerate(held)
    if depth:
        for key, item in itertools.islice(items, _ITEMS):
            way = _way(item, value, depth - 1)
            if way is not None:
                return f"[{key!r}]{way}"
    return None


def _is_same_data(one: Any, other: Any) -> bool:
    """Whether two host arrays are the same memory: jax may have put a type around one."""
    here, there = (getattr(each, "__array_interface__", None) for each in (one, other))
    if here is None or there is None or hasattr(one, "sharding") or hasattr(other, "sharding"):
        return False
    return bool(here["data"] == there["data"] and here["shape"] == there["shape"])


def _is_tree(root: Any) -> bool:
    """Whether a variable holds arrays of jax alone, perhaps in dictionaries, lists and tuples."""
    if type(root) is dict:
        return bool(root) and all(map(_is_tree, root.values()))
    if type(root) in (list, tuple):
        return bool(root) and all(map(_is_tree, root))
    return hasattr(root, "sharding") and hasattr(root, "nbytes")
