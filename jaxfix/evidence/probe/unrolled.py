"""Loops of Python that a trace has unrolled: lines whose equations repeat, and rows that are taken one by one."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .lines import Lines
from .noted import parts_of, place_of

_LEAST = 16
"""Iterations that are worth a word."""
_MOST = 32
_Place = tuple[Any, ...]


def unrolled(closed: Any, lines: Lines, user: list[str]) -> list[dict[str, Any]]:
    """As `Noted`: lines whose equations a program repeats, and those that take each row of an array, in any number.

    An equation repeats where its operation and the type of its result are the same: what iterations of one block have
    in common, and layers of one size.
    """
    found: dict[_Place, dict[str, Any]] = {}
    for jaxpr in _distinct(closed.jaxpr, set()):
        if len(jaxpr.eqns) >= _LEAST:
            found |= dict(_of(jaxpr, lines, user))
    return sorted(found.values(), key=lambda entry: (entry["note"], -entry["bytes"]))[:_MOST]


def _distinct(jaxpr: Any, met: set[int]) -> Iterator[Any]:
    """A program and those that it calls, each once."""
    if id(jaxpr) not in met:
        met.add(id(jaxpr))
        yield jaxpr
        for equation in jaxpr.eqns:
            for part in parts_of(equation):
                yield from _distinct(getattr(part, "jaxpr", part), met)


def _of(jaxpr: Any, lines: Lines, user: list[str]) -> Iterator[tuple[_Place, dict[str, Any]]]:
    """The notes on one program, without those on what it calls."""
    alike, places = Counter[tuple[_Place, str]](), dict[_Place, dict[str, Any]]()
    rows = dict[_Place, tuple[Any, set[int]]]()
    for equation in jaxpr.eqns:
        place = place_of(equation, lines, user)
        if place is None:
            continue
        key = (place["path"], place["cell"], place["line"])
        places[key] = place
        made = equation.outvars[0].aval if equation.outvars else None
        alike[key, f"{equation.primitive.name} {equation.params.get('name')} {made}"] += 1
        taken = _row(equation)
        if taken is not None:
            array, numbers = taken
            rows.setdefault((*key, id(array)), (array, set()))[1].update(numbers)
    least: dict[_Place, int] = {}
    for (key, _), times in alike.items():
        if times >= _LEAST:
            least[key] = min(times, least.get(key, times))
    for key, times in least.items():
        yield ("unrolled", *key), {"note": "unrolled", **places[key], "what": str(times), "bytes": 0}
    taken_apart: dict[_Place, list[Any]] = {}
    for (*line, _), (array, numbers) in rows.items():
        if len(numbers) == array.aval.shape[0] >= _LEAST:
            taken_apart.setdefault(tuple(line), []).append(array.aval)
    for key, avals in taken_apart.items():
        what = " and ".join(f"{aval.dtype}[{','.join(map(str, aval.shape))}]" for aval in avals)
        size = sum(int(getattr(aval.dtype, "itemsize", 0)) * int(aval.size) for aval in avals)
        yield ("rows", *key), {"note": "rows", **places[key], "what": what, "bytes": size}


def _row(equation: Any) -> tuple[Any, set[int]] | None:
    """The array of which an equation takes a row, and the number of that; all of them where it takes it apart."""
    array = equation.invars[0] if equation.invars else None
    shape = getattr(getattr(array, "aval", None), "shape", ())
    if not shape or hasattr(array, "val"):
        return None
    if "unstack" in (equation.primitive.name, str(equation.params.get("name")).strip("_")):
        return (array, set(range(shape[0]))) if len(equation.outvars) == shape[0] else None
    if equation.primitive.name != "slice":
        return None
    starts, limits = equation.params["start_indices"], equation.params["limit_indices"]
    is_row = limits[0] == starts[0] + 1 and tuple(starts[1:]) == (0,) * len(starts[1:])
    return (array, {starts[0]}) if is_row and tuple(limits[1:]) == tuple(shape[1:]) else None
