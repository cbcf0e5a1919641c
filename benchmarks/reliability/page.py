"""The page of what was tried and what came of it."""

import platform
from collections.abc import Iterator, Mapping
from typing import Any

HEAD = """# Reliability

Programs that nobody meant for jaxfix: random ones, broken ones, other people's, huge ones. Written by
`python -m benchmarks.reliability --minutes N`, and the last part by `python -m benchmarks.reliability.kill --page`.
"""
LAWS = """\
A program is found in, fixed, parsed and fixed again. A breach is: anything that escapes; a codemod that breaks; a
source that Python reads and jaxfix does not, unless the reason is its nesting or its encoding; a result that does not
compile, loses a comment, changes a byte order mark, a newline or a statement without a finding; a second pass that
changes something; a comment that silences and does not; and for random programs another result where only the newlines
or the encoding differ.
"""

_LINEAR = 2.2
"""Times the work for twice the file that are called linear."""

# `Any`: what is read is the JSON that these commands wrote.
Part = Mapping[str, Any]


def lines(found: Mapping[str, Part]) -> Iterator[str]:
    yield HEAD
    yield LAWS
    yield f"Python {platform.python_version()}, {platform.system()}."
    for part, show in PARTS.items():
        if part in found:
            yield ""
            yield from show(found[part])


def _random(title: str, what: str, part: Part) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield f"{what} {part['seconds']} s."
    yield ""
    yield from _table([part["of"]])
    yield from _refused([part["of"]])


def _mutants(part: Part) -> Iterator[str]:
    what = (
        "The examples and traps of the codemods, changed up to sixteen times: statements swapped, repeated, removed, "
        "wrapped and spliced from one another, names exchanged, expressions put in lambdas, comprehensions, "
        "format strings and ninety brackets, lines joined and broken, other indentation, comments, form feeds, "
        "newlines and encodings."
    )
    return _random("Mutants", what, part)


def _libraries(part: Part) -> Iterator[str]:
    what = (
        "Sources of what is installed that mention JAX, up to eight times: half of them torn, lines or tokens lost, "
        "doubled, swapped and cut off, which mostly leaves no program; the others changed as the mutants are."
    )
    return _random("Libraries", what, part)


def _strangers(part: Part) -> Iterator[str]:
    return _random("Strangers", "Programs that hypothesmith makes of Python's grammar, put among the examples.", part)


def _corpora(part: Part) -> Iterator[str]:
    yield "## Other people's files"
    yield ""
    entries = part["of"]
    yield from _table([entry["files"] for entry in entries])
    yield from _refused([entry["files"] for entry in entries])
    commands = [(entry["files"]["name"], entry["command"]) for entry in entries if entry["command"]]
    if commands:
        yield ""
        yield "The command line on each folder at once; the diff is applied by git to a copy."
        yield ""
        yield "| sources | `check --all` ends with | `apply --diff --unproven` | files patched | broken |"
        yield "|---|---|---|---|---|"
        for name, command in commands:
            broken = "; ".join(command["broken"]) or "0"
            yield f"| {name} | {command['check']} | {command['apply']} | {command['patched']} | {broken} |"


def _sizes(part: Part) -> Iterator[str]:
    yield "## Sizes"
    yield ""
    yield "The work of `check`, in thousand calls of functions, for a golden file repeated 8, 16 and 32 times in one;"
    yield "the last column is what twice the file costs, 2.0 where that is twice the work."
    yield ""
    yield "| example | where | 8 | 16 | 32 | doubling |"
    yield "|---|---|---|---|---|---|"
    for row in part["of"]["repeated"]:
        counts = [f"{count / 1000:.0f}" for count in row["calls"]]
        yield f"| {row['example']} | {row['shape']} | {' | '.join(counts)} | {_doubling(row):.2f} |"
    steep = {f"`{row['example'].partition(',')[0]}`" for row in part["of"]["repeated"] if _doubling(row) > _LINEAR}
    if steep:
        yield ""
        yield f"Steeper than the file grows: {', '.join(sorted(steep))}."
    yield ""
    yield "One huge file, by the command line:"
    yield ""
    yield "| file | bytes | lines | command | CPU seconds | memory, MB | ends with |"
    yield "|---|---|---|---|---|---|---|"
    for row in part["of"]["huge"]:
        sizes = f"{row['size']:,} | {row['lines']:,} | `{row['command']}` | {row['seconds']:.0f} | {row['peak_mb']:.0f}"
        yield f"| {row['name']} | {sizes} | {row['ends']} |"


def _doubling(row: Part) -> float:
    return float(row["calls"][-1] / row["calls"][-2])


def _table(tallies: list[Part]) -> Iterator[str]:
    yield "| programs | tried | not read | findings | fixes made | in programs | fixes held | breaches |"
    yield "|---|---|---|---|---|---|---|---|"
    for tally in tallies:
        refused = sum(tally["refused"].values())
        counts = (tally["programs"], refused, tally["findings"], tally["fixes"], tally["rewritten"], tally["held"])
        yield f"| {tally['name']} | {' | '.join(f'{count:,}' for count in counts)} | {len(tally['breaches'])} |"
    for breach in (breach for tally in tallies for breach in tally["breaches"]):
        yield ""
        yield f"Breach: {breach}"


def _refused(tallies: list[Part]) -> Iterator[str]:
    reasons: dict[str, int] = {}
    for tally in tallies:
        for reason, count in tally["refused"].items():
            reasons[reason] = reasons.get(reason, 0) + count
    if reasons:
        yield ""
        told = (f"{reason} ({count})" for reason, count in sorted(reasons.items(), key=lambda item: -item[1]))
        yield f"Not read: {'; '.join(told)}."


PARTS = {
    "sizes": _sizes,
    "corpora": _corpora,
    "libraries": _libraries,
    "mutants": _mutants,
    "strangers": _strangers,
}
