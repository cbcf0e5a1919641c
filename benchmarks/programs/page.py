"""The programs as a page, which quotes no code of theirs."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from benchmarks.programs.catalogue import Program
from benchmarks.programs.measuring import Result, Side
from jaxfix.report.wire import from_json

JUDGED = Path(__file__).with_name("judged.toml")
VALUABLE = 1.5
"""How many times faster a program is where a change by hand is worth something."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person says of a version that prints something else; `is_right` where both answers are as good."""

    name: str
    side: str
    is_right: bool
    why: str


def judged(path: Path = JUDGED) -> dict[tuple[str, str], Judgement]:
    """The judgements, by the program and its version."""
    entries = from_json(tuple[Judgement, ...], tomllib.loads(path.read_text())["judgement"]) if path.exists() else ()
    return {(entry.name, entry.side): entry for entry in entries}


def gain(before: Side, after: Side | None) -> float:
    """How many times faster the version is: the better of its loop and its wall; 1 where there is none."""
    return max(filter(None, (ratio(before.wall, after.wall), _loops(before, after)))) if after else 1.0


def ratio(before: float | None, after: float | None) -> float | None:
    return before / after if before and after else None


def geometric_mean(values: Iterable[float]) -> float:
    """1 of no values."""
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs)) if logs else 1.0


def is_valuable(result: Result) -> bool:
    return result.written is not None and gain(result.written, result.hand) >= VALUABLE


def is_proven(result: Result) -> bool:
    """Whether jaxfix wrote a change that brings at least half of what a person gained, on a scale of logarithms."""
    if result.written is None or result.fixed is None or not any(said.verdict == "proven" for said in result.verdicts):
        return False
    return gain(result.written, result.fixed) ** 2 >= gain(result.written, result.hand)


def lines(
    programs: Sequence[Program], results: Sequence[Result], judgements: Mapping[tuple[str, str], Judgement]
) -> Iterator[str]:
    good = [result for result in results if result.written is not None]
    yield "# Programs by other hands"
    yield ""
    yield (
        "Written by `python -m benchmarks.programs`: programs of public repositories, at a commit each, as they are "
        "but for what is said below; as a person made them faster with the least change; and as "
        "`jaxfix apply FILE --run` leaves them. Each was chosen for what it is, adapted, and sped up by hand before "
        "jaxfix saw it. Times are medians of runs in turns, on a shared machine with two cores: only the ratios mean "
        "something. *Loop* is the program's own loop, *wall* all of the process with imports and compiles."
    )
    yield ""
    yield from _summary(programs, results, good, judgements)
    yield from _table(results)
    yield from _verdicts(good)
    yield from _differences(good, judgements)
    yield from _sources(programs)


def _summary(
    programs: Sequence[Program],
    results: Sequence[Result],
    good: Sequence[Result],
    judgements: Mapping[tuple[str, str], Judgement],
) -> Iterator[str]:
    commits = ", ".join(sorted({result.commit for result in results})) or "none"
    yield f"{len(good)} of {len(programs)} programs measured, with jaxfix at {commits}."
    yield ""
    valuable = [result for result in good if is_valuable(result)]
    found = sum(bool(result.found) or is_proven(result) for result in valuable)
    yield "| | by hand | by jaxfix |"
    yield "|---|---|---|"
    loops = [[_loops(result.written, side) for side in (result.hand, result.fixed)] for result in good]
    walls = [[_walls(result.written, side) for side in (result.hand, result.fixed)] for result in good]
    for title, rows in (("loop", loops), ("wall", walls)):
        means = [geometric_mean(row[side] or 1.0 for row in rows) for side in (0, 1)]
        yield f"| {title}, geometric mean | {means[0]:.2f} x | {means[1]:.2f} x |"
    yield f"| valuable changes ({VALUABLE} x and more) | {len(valuable)} | {sum(map(is_proven, valuable))} proven |"
    yield f"| of these, with a finding at the same place | | {found} |"
    wrong = [result for result in good if _is_wrong(result, judgements)]
    yield f"| programs that break or answer otherwise | | {len(wrong)} |"
    yield ""
    yield (
        "A program that jaxfix leaves alone counts as 1.00 x. A change by hand counts as *proven* where jaxfix proves "
        "and writes one that brings at least half of its gain, on a scale of logarithms."
    )
    yield ""


def _table(results: Sequence[Result]) -> Iterator[str]:
    yield (
        "| program | compiles: written, by hand, jaxfix | loop: by hand | jaxfix | wall: by hand | jaxfix "
        "| wall as written, s | lines changed: by hand, jaxfix | `apply` / run | findings where the person changed |"
    )
    yield "|---" * 10 + "|"
    for result in results:
        yield _row(result) if result.written else f"| {result.name} | {_cell(result.failed)} |" + " |" * 8
    yield ""


def _row(result: Result) -> str:
    sides = (result.written, result.hand, result.fixed)
    written = sides[0]
    assert written is not None
    cells = [result.name, ", ".join("-" if side is None else str(side.compiles) for side in sides)]
    for of in (_loops, _walls):
        cells += [_times(of(written, side)) for side in sides[1:]]
    changed = ", ".join("-" if side is None else str(side.changed) for side in sides[1:])
    cells += [f"{written.wall:.1f}", changed, f"{result.apply / written.wall:.1f}", ", ".join(result.found) or "none"]
    if result.broken:
        cells[1] += f" (jaxfix breaks it: {_cell(result.broken)})"
    return f"| {' | '.join(cells)} |"


def _verdicts(good: Sequence[Result]) -> Iterator[str]:
    yield from (
        "## What the rerun said of each fix",
        "",
        "| program | codemod | verdict | reason |",
        "|---|---|---|---|",
    )
    for result in good:
        for said in result.verdicts:
            yield f"| {result.name} | {said.codemod} | {said.verdict} | {_cell(said.reason)} |"
    yield ""
    silent = [result.name for result in good if not result.verdicts]
    yield f"Nothing was offered for {', '.join(silent) or 'none'}."
    yield ""


def _differences(good: Sequence[Result], judgements: Mapping[tuple[str, str], Judgement]) -> Iterator[str]:
    yield from ("## Versions that print something else", "")
    for result in good:
        for name, side in (("by hand", result.hand), ("jaxfix", result.fixed)):
            if side is not None and side.differs:
                said = judgements.get((result.name, name))
                verdict = "not judged" if said is None else f"{'as good' if said.is_right else 'wrong'}: {said.why}"
                yield f"* {result.name}, {name}: `{side.differs.replace('`', '')}` ({verdict})"
    yield ""


def _sources(programs: Sequence[Program]) -> Iterator[str]:
    yield from ("## Where they come from", "")
    yield "| program | what it is | why it | repository, commit, path | adapted | by hand |"
    yield "|---|---|---|---|---|---|"
    for program in programs:
        place = f"{program.repository} {program.commit[:10]} `{program.files[program.start]}`"
        said = (
            program.name,
            program.kind,
            program.why,
            place,
            "; ".join(program.changed),
            program.by_hand or "nothing",
        )
        yield f"| {' | '.join(map(_cell, said))} |"


def _is_wrong(result: Result, judgements: Mapping[tuple[str, str], Judgement]) -> bool:
    said = judgements.get((result.name, "jaxfix"))
    differs = result.fixed is not None and result.fixed.differs is not None
    return result.broken is not None or (differs and not (said is not None and said.is_right))


def _loops(before: Side | None, after: Side | None) -> float | None:
    return ratio(before.loop, after.loop) if before and after else None


def _walls(before: Side | None, after: Side | None) -> float | None:
    return ratio(before.wall, after.wall) if before and after else None


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} x"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|").replace("\n", " ")
