"""Compiles beyond a limit: counted by function, or by line for functions of libraries."""

from collections import Counter
from collections.abc import Iterable, Sequence

from jaxfix.report.measurement import Compile
from jaxfix.report.trace.compiles import Compiled, merged, places
from jaxfix.source.frozen import frozen


@frozen
class Counted:
    """All compiles of one function of the user's, or of one program at one line.

    Attributes:
      name: of the function, or the program, such as `scan`.
      compiles: in the process that compiled it most often.
      whole: all of them, at the line that compiled it again.
      rows: the lines and programs that they are reported under elsewhere, that of `whole` first.
    """

    name: str
    compiles: int
    whole: Compiled
    rows: tuple[tuple[str, str], ...]


@frozen
class Limits:
    """The most compiles that are allowed; None for no limit.

    Attributes:
      each: of one function in one process.
      total: everything together.
    """

    each: int | None = None
    total: int | None = None


def counted(compiles: Iterable[Compile]) -> tuple[Counted, ...]:
    """Compiles by function or line, most compiles first.

    A function that is created at every call of a line is one function, and so is one object that is called from
    several lines. Objects that one definition makes for several lines are several.
    """
    groups: dict[tuple[object, ...], list[Compile]] = {}
    homes: dict[tuple[object, ...], tuple[object, ...]] = {}
    for entry in compiles:
        at = (entry.of or entry.program, entry.where)
        names: list[tuple[object, ...]] = [(*at, entry.process)]
        if entry.instance is not None:
            names.append((entry.of, entry.process, entry.instance, "instance"))
        home = next((homes[name] for name in names if name in homes), at)
        homes |= {name: home for name in names if name not in homes}
        groups.setdefault(home, []).append(entry)
    found = [_counted(group) for group in groups.values()]
    return tuple(sorted(found, key=lambda entry: (-entry.compiles, entry.whole.path, entry.whole.line, entry.name)))


@frozen
class Sized:
    """The compiled programs of one function of the user's.

    Attributes:
      compiles: in the process that compiled it most often.
      operations: of the largest of its programs; None if unknown.
      temporary_bytes: of that which needs most.
      told: the lines that compiled it, and how many times.
    """

    name: str
    compiles: int
    operations: int | None
    temporary_bytes: int | None
    told: str


def sized(compiles: Sequence[Compile], name: str | None = None) -> Sized | None:
    """The function of that name, else the one with the largest program; None without any."""
    mine = [entry for entry in compiles if entry.of is not None and (name is None or is_called(entry, name))]
    if not mine:
        return None
    largest = max(mine, key=lambda entry: (entry.operations or 0, entry.temporary_bytes or 0))
    chosen = mine if name is not None else [entry for entry in mine if entry.of == largest.of]
    found = counted(chosen)
    return Sized(
        name or found[0].name,
        found[0].compiles,
        max((entry.operations for entry in chosen if entry.operations is not None), default=None),
        max((entry.temporary_bytes for entry in chosen if entry.temporary_bytes is not None), default=None),
        ", ".join(
            f"{entry.whole.where}: {entry.compiles} {'compile' if entry.compiles == 1 else 'compiles'}"
            for entry in found
        ),
    )


def excess(found: Sequence[Counted], allowed: int | None) -> tuple[Counted, ...]:
    """Those that compiled more often than `allowed`."""
    return tuple(entry for entry in found if allowed is not None and entry.compiles > allowed)


def is_called(entry: Compile, name: str) -> bool:
    """Whether `name` is that of the function that was compiled, or of the program."""
    if name in (entry.program, entry.program.removeprefix("jit(").removesuffix(")")):
        return True
    qualname = next((each.function for each in places([entry.of] if entry.of is not None else [])), "")
    return qualname == name or qualname.endswith(f".{name}")


def _counted(group: list[Compile]) -> Counted:
    most = max(Counter(entry.process for entry in group).values())
    of = places([group[0].of]) if group[0].of is not None else ()
    whole = merged(group)
    rows = dict.fromkeys([(whole.where, whole.program), *((entry.where, entry.program) for entry in group)])
    return Counted(of[0].function if of else group[0].program, most, whole, tuple(rows))
