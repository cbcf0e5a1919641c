"""The census as a page, and as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace

from benchmarks.census.comparing import SLOWER_MS, SLOWER_RATIO, Compared
from benchmarks.census.measuring import Figures, Place, Static, Table

CALL_LINES = 6
"""How far below the first line of a call an argument of it may stand that a finding is about."""
EAGER = ("eager, float32", "eager, bfloat16")
JITTED = ("jit, float32", "jit, bfloat16")


def lines(table: Table, picture: str) -> Iterator[str]:
    package, names = table.package, table.factories()
    slow, now = offenders(table, table.before), offenders(table, table.after)
    yield f"# The census of {package}"
    yield ""
    yield (
        "Written by `python -m benchmarks.census`: every public factory with arguments that can be filled in, each "
        "case in a process of its own, six steps, as shipped and as `jaxfix apply --prove` leaves it. Steady is the "
        "third step and later. Gradients differ at every step; an eager `value_fn` is one function object that reads a "
        "batch which is rebound at every step. Counts are exact; memory and milliseconds are one run on a shared "
        "machine."
    )
    yield ""
    yield _where(table)
    yield ""
    yield (
        f"{len(names)} factories. Compiling at steady eager steps: **{len(slow)} as shipped, {len(now)} repaired**"
        f"{_unknown(table, slow)}. "
        f"Compiling more than once under `jit`: {len(again(table, table.before))} as shipped, "
        f"{len(again(table, table.after))} repaired."
    )
    yield ""
    missing = [case for case in table.before if case not in table.after]
    if missing:
        yield (
            f"{len(missing)} of {len(table.before)} cases were measured as shipped alone; "
            f"{sum(table.before[case].later > 0 for case in missing)} of them compile anything after their first step."
        )
        yield ""
    yield f"![Compiles per eager step, as shipped and repaired]({picture})"
    yield ""
    yield "## What compiled again"
    yield ""
    yield from rows(table)
    yield ""
    yield "## What is left, and what it waits for"
    yield ""
    remaining = sorted({*now, *again(table, table.after)})
    if remaining:
        yield "| optimizer | line | program | what jaxfix says |"
        yield "|---|---|---|---|"
    else:
        yield "Nothing."
    for name in remaining:
        yield from _left(table, name)
    yield ""
    yield "## Results and time, both sides in turns"
    yield ""
    yield from in_turns(table)
    yield ""
    yield "## Proven fixes"
    yield ""
    yield from (f"* {entry}" for entry in table.proven)
    yield ""
    yield "## At zero from the start"
    yield ""
    quiet = [name for name in names if name not in slow and name not in again(table, table.before)]
    yield ", ".join(f"`{_short(table, name)}`" for name in quiet) + "." if quiet else "None."
    yield ""
    yield "## What failed, or could not be driven"
    yield ""
    failed = [entry for entry in table.before.values() if entry.failure]
    yield from (f"* {entry.case}: {entry.failure}" for entry in failed)
    yield from (f"* {name}: {reason}" for name, reason in table.undriven.items())
    if not failed and not table.undriven:
        yield "Nothing."


def in_turns(table: Table) -> Iterator[str]:
    """Every optimizer that a rewrite reaches, the slowest in comparison first."""
    found = sorted(table.compared.values(), key=lambda entry: (-entry.ratio, entry.case))
    wrong, slower = [entry for entry in found if not entry.agrees], [entry for entry in found if entry.is_slower]
    jitted = sum("jitted original" in entry.results for entry in found)
    yield (
        f"{len({entry.case.partition(', ')[0] for entry in found})} optimizers reach rewritten code. Each of their "
        f"{len(found)} cases was run as shipped and repaired in turns, alone on the machine where possible: "
        f"**{len(wrong)} have other results**; {jitted} eager ones have those of the jitted original, and all others "
        f"every bit. **{len(slower)} {'is' if len(slower) == 1 else 'are'} slower in the fastest steady step** "
        f"(more than {SLOWER_RATIO:.0%} of the time and {SLOWER_MS} ms more)."
    )
    for heading, entries in (("Other results:", wrong), ("Slower:", slower)):
        if entries:
            yield from ("", heading, "", *(f"* {_compared(table, entry)}" for entry in entries))
    yield ""
    yield "| case | ms of the fastest steady step | ratio | results |"
    yield "|---|---|---|---|"
    for entry in found:
        times = f"{entry.before_ms:.2f} -> {entry.after_ms:.2f} | {entry.ratio:.2f}"
        yield f"| {_short(table, entry.case)} | {times} | {entry.results} |"


def _compared(table: Table, entry: Compared) -> str:
    times = f"{entry.before_ms:.2f} -> {entry.after_ms:.2f} ms ({entry.ratio:.2f})"
    return f"{_short(table, entry.case)}: {times}; {entry.results}"


def _unknown(table: Table, slow: list[str]) -> str:
    unknown = [name for name in slow if len(figures(table.after, name, EAGER)) < len(EAGER)]
    return f" ({len(unknown)} of them not rerun)" if unknown else ""


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
    """A line for each case: the figures of both sides."""
    head = {"schema": 1, "package": table.package, "versions": dict(table.versions), "undriven": dict(table.undriven)}
    said = [*(json.dumps({key: value})[1:-1] for key, value in head.items()), f'"proven": {json.dumps(table.proven)}']
    rows = ",\n".join(json.dumps(asdict(table.compared[case])) for case in sorted(table.compared))
    said.append(f'"in turns": [\n{rows}\n]')
    for side, entries in (("before", table.before), ("after", table.after)):
        body = ",\n".join(json.dumps(_flat(entries[case])) for case in sorted(entries))
        said.append(f'"{side}": [\n{body}\n]')
    return "{\n" + ",\n".join(said) + "\n}\n"


def _flat(entry: Figures) -> object:
    places = [f"{_inside(place.path)}:{place.line} {place.program}" for place in entry.places]
    plain = replace(entry, places=(), environment=None)
    return {key: value for key, value in asdict(plain).items() if key != "environment"} | {"places": places}


def offenders(table: Table, side: Mapping[str, Figures]) -> list[str]:
    """The factories that compile at steady eager steps."""
    return [name for name in table.factories() if any(entry.steady for entry in figures(side, name, EAGER))]


def again(table: Table, side: Mapping[str, Figures]) -> list[str]:
    """The factories whose own program is compiled at a later step under jit."""
    return [name for name in table.factories() if any(entry.later for entry in figures(side, name, JITTED))]


def waits(table: Table, place: Place) -> str:
    """What the codemods and receipts say of the line, or of one that led there."""
    for within in (0, CALL_LINES):
        for path, line in _lines(place):
            for finding in table.static:
                if finding.path == path and finding.line - within <= line <= finding.end_line:
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
    left = {_program(place) for entry in figures(table.after, name, EAGER) for place in entry.places}
    # By the lines of the original: those of the repaired copy have moved.
    shipped = {place for entry in figures(table.before, name, EAGER) for place in entry.places}
    places = {(place.path, place.line): place for place in shipped if _program(place) in left}
    for _, place in sorted(places.items()):
        where = f"{_inside(place.path)}:{place.line}, `{place.function}`"
        yield f"| `{_short(table, name)}` | {where} | `{place.program}` | {waits(table, place)} |"
    if not places:
        cause = "; ".join(sorted({_jitted(entry) for entry in figures(table.after, name, JITTED) if entry.later}))
        short = _short(table, name)
        reason = f": {REASONS[short]}" if cause and short in REASONS else ""
        yield f"| `{short}` | under `jit` alone | | {cause or 'as shipped it did not'}{reason} |"


REASONS = {
    "monitor": "its first state has no measurements at all, since only an update can make them: a state with other "
    "contents would be another one for its readers",
    "scale_by_distance_over_gradients": "`max_dist` starts in the precision of the parameters and comes back in that "
    "of `param_dtype`, which the caller passes: which of the two is meant, the code does not say",
}
"""Why no codemod mends what compiles twice under `jit`, by the last part of the optimizer's name: looked up by hand."""


def _program(place: Place) -> tuple[str, str, str]:
    return _inside(place.path), place.function, place.program


def _jitted(entry: Figures) -> str:
    mode = entry.case.rpartition(", ")[2]
    return f"{mode}: {entry.compiles} compiles, {entry.later} after the first step: the state changes its types"


def _cells(table: Table, name: str) -> Iterator[str]:
    for mode in EAGER:
        yield _change(table, f"{name}, {mode}", lambda entry: str(entry.steady))
    for mode in JITTED:
        yield _change(table, f"{name}, {mode}", lambda entry: str(entry.compiles))
    first = f"{name}, {EAGER[0]}"
    yield _change(table, first, lambda entry: str(entry.traces))
    yield _change(table, first, lambda entry: f"{entry.rss_bytes / 1e6:.2f}")
    yield _change(table, first, lambda entry: f"{entry.ms:.1f}")


def _change(table: Table, case: str, told: Callable[[Figures], str]) -> str:
    """A figure as shipped and repaired, once if it is the same; `?` where it was not measured."""
    before, after = (told(side[case]) if case in side else "?" for side in (table.before, table.after))
    return before if before == after else f"{before} -> {after}"


def figures(side: Mapping[str, Figures], name: str, modes: tuple[str, ...]) -> list[Figures]:
    """Those of the cases of a factory that were measured."""
    return [side[f"{name}, {mode}"] for mode in modes if f"{name}, {mode}" in side]


def _short(table: Table, name: str) -> str:
    return name.removeprefix(f"{table.package}.")


def _where(table: Table) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in table.versions.items())
    environment = next((entry.environment for entry in table.before.values() if entry.environment), None)
    if environment is None:
        return f"{versions}."
    return f"{versions}, Python {environment.python}, {environment.platform} ({environment.device})."
