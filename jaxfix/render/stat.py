"""How much each file changes, as `git diff --stat` says it, and how many fixes do that."""

from collections.abc import Sequence
from itertools import repeat

from jaxfix.render.paint import Paint, counted, named
from jaxfix.source.frozen import frozen

_WIDTH, _LEAST = 80, 8


@frozen
class Row:
    """One file; `fixed` and `held` count fixes."""

    path: str
    added: int
    removed: int
    fixed: int = 0
    held: int = 0

    @property
    def lines(self) -> int:
        return self.added + self.removed

    @property
    def fixes(self) -> str:
        """The fixes in words; nothing for a file without one, as that of the helpers."""
        return _fixes(self.fixed, self.held)


def stat(rows: Sequence[Row], paint: Paint, width: int | None = None) -> str:
    """A row for each file, and one for all of them."""
    if not rows:
        return ""
    words = max(len(row.fixes) for row in rows)
    digits = max(len(str(row.lines)) for row in rows)
    left = max((width or _WIDTH) - digits - words - len("  |    "), _LEAST)
    names = [_fitting(named(row.path), max(left - _LEAST, _LEAST)) for row in rows]
    widest = max(map(len, names))
    most, room = max(row.lines for row in rows), max(left - widest, _LEAST)
    scale = min(1.0, room / most) if most else 1.0
    bars = [(_scaled(row.added, scale), _scaled(row.removed, scale)) for row in rows]
    longest = max(map(sum, bars))
    columns = _Columns(widest, digits, longest)
    return "".join(map(_line, names, rows, bars, repeat(columns), repeat(paint))) + _summary(rows)


@frozen
class _Columns:
    """How wide each is."""

    name: int
    lines: int
    bar: int


def _line(name: str, row: Row, bar: tuple[int, int], columns: _Columns, paint: Paint) -> str:
    added, removed = bar
    graph = (paint("green", "+" * added) if added else "") + (paint("red", "-" * removed) if removed else "")
    padding = " " * (columns.bar - added - removed)
    return f" {name:<{columns.name}} | {row.lines:>{columns.lines}} {graph}{padding}  {row.fixes}".rstrip() + "\n"


def _summary(rows: Sequence[Row]) -> str:
    changed = sum(row.lines > 0 for row in rows)
    parts = [f"{counted(changed, 'file')} changed"]
    added, removed = sum(row.added for row in rows), sum(row.removed for row in rows)
    parts += [f"{counted(added, 'insertion')}(+)"] if added else []
    parts += [f"{counted(removed, 'deletion')}(-)"] if removed else []
    fixes = _fixes(sum(row.fixed for row in rows), sum(row.held for row in rows))
    return f" {', '.join(parts)}; {fixes}\n"


def _fixes(fixed: int, held: int) -> str:
    parts = [counted(fixed, "fix")] if fixed else []
    return ", ".join([*parts, *([f"{held} held"] if held else [])])


def _scaled(number: int, scale: float) -> int:
    return max(int(number * scale), 1) if number else 0


def _fitting(name: str, room: int) -> str:
    return name if len(name) <= room else f"...{name[3 - room :]}"
