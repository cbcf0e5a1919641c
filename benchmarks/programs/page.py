"""The programs as a page, which quotes no code of theirs."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from benchmarks.programs.catalogue import Program
from benchmarks.programs.measuring import Result, Side
from jaxfix.report.wire import from_json

JUDGED = Path(__file__).with_name("judged.toml")
VALUABLE = 1.5
"""How many times faster a program is where a change by hand is worth something."""


Kind = Callable[[Side], float | None]


def _loop(side: Side) -> float | None:
    return side.loop.processor if side.loop else None


def _whole(side: Side) -> float | None:
    return side.whole.processor


KINDS: Mapping[str, Kind] = {
    "loop": _loop,
    "whole": _whole,
    "loop, elapsed": lambda side: side.loop.elapsed if side.loop else None,
    "whole, elapsed": lambda side: side.whole.elapsed,
}


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


def in_the_way(path: Path = JUDGED) -> dict[str, str]:
    """What stands between jaxfix and what a person did, by the program."""
    entries = tomllib.loads(path.read_text()).get("open", []) if path.exists() else []
    return {entry["name"]: " ".join(entry["why"].split()) for entry in entries}


def gain(before: Side, after: Side | None) -> float:
    """How many times less of the processor it takes: the better of its loop and the whole; 1 where there is none."""
    return max(_of(kind, before, after) or 1.0 for kind in (_loop, _whole)) if after else 1.0


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
    yield "# Programs by other hands"
    yield ""
    yield (
        "Written by `python -m benchmarks.programs`: programs of public repositories, at a commit each, as they are "
        "except for what is said below; as a person made them faster with the least change; and as "
        "`jaxfix apply . --run` leaves them. They were chosen for what they are, not for what jaxfix says of "
        "them. The versions run in turns on a machine with two cores that others use as well, so times are "
        "seconds of the processor, medians of the runs, and the elapsed ones stand beside. *Loop* is the program's own "
        "loop, *whole* all of the process with imports and compiles."
    )
    yield ""
    yield from _section(programs, results, judgements, "##")


def chosen_last(
    programs: Sequence[Program], results: Sequence[Result], judgements: Mapping[tuple[str, str], Judgement]
) -> Iterator[str]:
    yield from ("", "## Programs that were chosen last", "")
    yield (
        "Chosen, adapted and made faster by hand before jaxfix had seen any of them, when all of it was there that the "
        "programs above have led to. Measured once, linear and mixture again when what a run dispatches "
        "was found. Two things were changed since because of two of them: what `vmap` "
        "makes again at each call of the function around is left alone, and a gradient is put under `jit` by itself "
        "where nothing around it can be (mixture). lorenz was chosen later, in the same way: what `vmap` makes of a "
        "jitted function is put under `jit` since."
    )
    yield ""
    yield from _section(programs, results, judgements, "###")


def _section(
    programs: Sequence[Program],
    results: Sequence[Result],
    judgements: Mapping[tuple[str, str], Judgement],
    level: str,
) -> Iterator[str]:
    good = [result for result in results if result.written is not None]
    yield from _summary(programs, results, good, judgements)
    yield from _table(results)
    yield from _verdicts(good, level)
    yield from _open(good, level)
    yield from _differences(good, judgements, level)
    yield from _sources(programs, level)


def _summary(
    programs: Sequence[Program],
    results: Sequence[Result],
    good: Sequence[Result],
    judgements: Mapping[tuple[str, str], Judgement],
) -> Iterator[str]:
    commits = ", ".join(sorted({result.commit for result in results})) or "none"
    yield f"{len(good)} of {len(programs)} programs measured, with jaxfix at {commits}."
    known = {result.name for result in results}
    if missing := [program.name for program in programs if program.name not in known]:
        yield f"Not measured yet: {', '.join(missing)}."
    yield ""
    valuable = [result for result in good if is_valuable(result)]
    found = sum(bool(result.found) or is_proven(result) for result in valuable)
    yield "| | by hand | by jaxfix |"
    yield "|---|---|---|"
    for title, kind in KINDS.items():
        hand = geometric_mean(_of(kind, result.written, result.hand) or 1.0 for result in good)
        fixed = geometric_mean(_of(kind, result.written, result.fixed) or 1.0 for result in good)
        yield f"| {title}, geometric mean | {hand:.2f} x | {fixed:.2f} x |"
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
    titles = " | ".join(f"{title}: by hand | jaxfix" for title in KINDS)
    yield (
        f"| program | jaxfix | runs | compiles: written, by hand, jaxfix | {titles} | whole, as written "
        "| lines changed: by hand, jaxfix | `apply` / run | findings where the person changed |"
    )
    yield "|---" * (8 + 2 * len(KINDS)) + "|"
    for result in results:
        yield (
            _row(result)
            if result.written
            else f"| {result.name} | {result.commit[:7]} | | {_cell(result.failed)} |" + " |" * 12
        )
    yield ""


def _row(result: Result) -> str:
    written = result.written
    assert written is not None and result.apply is not None
    others = (result.hand, result.fixed)
    compiles = ", ".join("-" if side is None else str(side.compiles) for side in (written, *others))
    broken = f" (jaxfix breaks it: {_cell(result.broken)})" if result.broken else ""
    cells = [result.name, result.commit[:7], str(result.rounds), compiles + broken]
    cells += [_times(_of(kind, written, side)) for kind in KINDS.values() for side in others]
    changed = ", ".join("-" if side is None else str(side.changed) for side in others)
    dear = f"{result.apply.processor / written.whole.processor:.1f}"
    cells += [f"{written.whole.processor:.1f} s", changed, dear, ", ".join(result.found) or "none"]
    return f"| {' | '.join(cells)} |"


def _verdicts(good: Sequence[Result], level: str) -> Iterator[str]:
    yield from (
        f"{level} What the rerun said of each fix",
        "",
        "| program | codemod | verdict | reason |",
        "|---|---|---|---|",
    )
    for result in good:
        for said in result.verdicts:
            reason = re.sub(r"/\S*/(?:(python)\S*|fixed/)", r"\1", said.reason)
            yield f"| {result.name} | {said.codemod} | {said.verdict} | {_cell(reason)} |"
    yield ""
    silent = [result.name for result in good if not result.verdicts]
    yield f"Nothing was offered for {', '.join(silent) or 'none'}."
    yield ""


def _open(good: Sequence[Result], level: str) -> Iterator[str]:
    known = in_the_way()
    told = [result for result in good if result.name in known and not is_proven(result)]
    if told:
        yield from (f"{level} What is in the way", "")
        yield from (f"* {result.name}: {known[result.name]}" for result in told)
        yield ""


def _differences(good: Sequence[Result], judgements: Mapping[tuple[str, str], Judgement], level: str) -> Iterator[str]:
    yield from (f"{level} Versions that print something else", "")
    yield "One listed *as written* prints something else at each run."
    yield ""
    for result in good:
        for name, side in (("as written", result.written), ("by hand", result.hand), ("jaxfix", result.fixed)):
            if side is not None and side.differs:
                said = judgements.get((result.name, name))
                verdict = "not judged" if said is None else f"{'as good' if said.is_right else 'wrong'}: {said.why}"
                yield f"* {result.name}, {name}: `{side.differs.replace('`', '')}` ({verdict})"
    yield ""


def _sources(programs: Sequence[Program], level: str) -> Iterator[str]:
    yield from (f"{level} Where they come from", "")
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


def _of(kind: Kind, before: Side | None, after: Side | None) -> float | None:
    """How many times as much the one takes as the other."""
    seconds = [kind(side) if side else None for side in (before, after)]
    return seconds[0] / seconds[1] if seconds[0] and seconds[1] else None


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} x"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|").replace("\n", " ")
