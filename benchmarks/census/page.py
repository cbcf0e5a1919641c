"""The census as a page, and as JSON."""

import json
from collections.abc import Iterator, Mapping

from benchmarks.census.measuring import Figures, Place, Static, Table
from jaxfix.core.codec import to_json

EAGER = ("eager, float32", "eager, bfloat16")
JITTED = ("jit, float32", "jit, bfloat16")


def lines(table: Table) -> Iterator[str]:
    package, names = table.package, table.factories()
    slow, now = offenders(table, table.before), offenders(table, table.after)
    yield f"# The census of {package}"
    yield ""
    yield (
        "Written by `python -m benchmarks.census`: every public factory with arguments that can be filled in, each "
        "case in a process of its own, six steps, as shipped and as `jaxfix apply --prove` leaves it. Steady is the "
        "third step and later. Counts are exact; memory and milliseconds are one run on a shared machine."
    )
    yield ""
    yield _where(table)
    yield ""
    yield (
        f"{len(names)} factories. Compiling at steady eager steps: **{len(slow)} as shipped, {len(now)} repaired**. "
        f"Compiling more than once under `jit`: {len(again(table, table.before))} as shipped, "
        f"{len(again(table, table.after))} repaired."
    )
    yield ""
    yield "![Compiles per eager step, as shipped and repaired](census.svg)"
    yield ""
    yield "## What compiled again"
    yield ""
    yield from rows(table)
    yield ""
    yield "## What is left, and what it waits for"
    yield ""
    yield "| optimizer | line | program | what jaxfix says |"
    yield "|---|---|---|---|"
    for name in sorted({*now, *again(table, table.after)}):
        yield from _left(table, name)
    yield ""
    yield "## Proven fixes"
    yield ""
    yield from (f"* {entry}" for entry in table.proven)
    yield ""
    yield "## At zero from the start"
    yield ""
    quiet = [name for name in names if name not in slow and name not in again(table, table.before)]
    yield ", ".join(f"`{_short(table, name)}`" for name in quiet) + "."
    yield ""
    yield "## What failed, or could not be driven"
    yield ""
    failed = [entry for entry in table.before.values() if entry.failure]
    yield from (f"* {entry.case}: {entry.failure}" for entry in failed)
    yield from (f"* {name}: {reason}" for name, reason in table.undriven.items())
    if not failed and not table.undriven:
        yield "Nothing."


def rows(table: Table) -> Iterator[str]:
    """A row for each factory that compiles again eagerly, or more than once under jit, on either side."""
    yield (
        "| optimizer | eager compiles per step, f32 | bf16 | jit compiles, f32 | bf16 | eager traces, f32 "
        "| RSS per step, MB | ms per step |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    sides = (table.before, table.after)
    for name in sorted({entry for side in sides for entry in (*offenders(table, side), *again(table, side))}):
        yield f"| `{_short(table, name)}` | " + " | ".join(_cells(table, name)) + " |"


def document(table: Table) -> str:
    return json.dumps(
        {
            "schema": 1,
            "package": table.package,
            "versions": dict(table.versions),
            "before": [to_json(entry) for entry in table.before.values()],
            "after": [to_json(entry) for entry in table.after.values()],
            "undriven": dict(table.undriven),
            "static": [to_json(entry) for entry in table.static],
            "proven": list(table.proven),
        },
        indent=1,
    )


def offenders(table: Table, side: Mapping[str, Figures]) -> list[str]:
    """The factories that compile at steady eager steps."""
    return [name for name in table.factories() if any(_steady(side, name, mode) for mode in EAGER)]


def again(table: Table, side: Mapping[str, Figures]) -> list[str]:
    """The factories whose own program is compiled at a later step under jit."""
    return [name for name in table.factories() if any(_is_again(side, name, mode) for mode in JITTED)]


def waits(table: Table, place: Place) -> str:
    """What the codemods and receipts say of the line, or of one that led there."""
    for path, line in _lines(place):
        for finding in table.static:
            if finding.path == path and finding.line <= line <= finding.end_line:
                return _said(finding)
    return f"no codemod finds this line; cause: {place.cause or 'unknown'}"


def _said(finding: Static) -> str:
    return f"`{finding.codemod}`, {finding.path}:{finding.line}: {finding.reason}"


def _lines(place: Place) -> Iterator[tuple[str, int]]:
    yield _inside(place.path), place.line
    for entry in place.chain:
        path, _, rest = entry.partition(":")
        number = rest.partition(" ")[0]
        if number.isdigit():
            yield _inside(path), int(number)


def _inside(path: str) -> str:
    return path.rpartition("site-packages/")[2]


def _left(table: Table, name: str) -> Iterator[str]:
    places = {place for mode in EAGER for place in figures(table.after, name, mode).places}
    for place in sorted(places, key=lambda entry: (entry.path, entry.line)):
        where = f"{_inside(place.path)}:{place.line}, `{place.function}`"
        yield f"| `{_short(table, name)}` | {where} | `{place.program}` | {waits(table, place)} |"
    if not places:
        yield f"| `{_short(table, name)}` | under `jit` alone | | a state leaf changes its type after the first step |"


def _cells(table: Table, name: str) -> Iterator[str]:
    for mode in EAGER:
        yield _change(*(str(_steady(side, name, mode)) for side in (table.before, table.after)))
    for mode in JITTED:
        yield _change(*(str(figures(side, name, mode).compiles) for side in (table.before, table.after)))
    first = [figures(side, name, EAGER[0]) for side in (table.before, table.after)]
    yield _change(*(str(entry.traces) for entry in first))
    yield _change(*(f"{entry.rss_bytes / 1e6:.2f}" for entry in first))
    yield _change(*(f"{entry.ms:.1f}" for entry in first))


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"


def figures(side: Mapping[str, Figures], name: str, mode: str) -> Figures:
    return side.get(f"{name}, {mode}") or Figures("", "not run", 0, 0, 0, 0, 0.0, 0.0, (), None)


def _steady(side: Mapping[str, Figures], name: str, mode: str) -> int:
    return figures(side, name, mode).steady


def _is_again(side: Mapping[str, Figures], name: str, mode: str) -> bool:
    """Whether jit compiled at a later step than the first."""
    return figures(side, name, mode).later > 0


def _short(table: Table, name: str) -> str:
    return name.removeprefix(f"{table.package}.")


def _where(table: Table) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in table.versions.items())
    environment = next((entry.environment for entry in table.before.values() if entry.environment), None)
    if environment is None:
        return f"{versions}."
    return f"{versions}, Python {environment.python}, {environment.platform} ({environment.device})."
