"""The pages, from what was judged."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.prover import page as prover
from benchmarks.rounding import page as rounding
from benchmarks.safe import doubts, strangers
from benchmarks.safe import page as safe
from benchmarks.safe.shards import Shard
from benchmarks.safe.strangers import sets
from benchmarks.trust.ledger import ROOT, Entry, Ledger
from benchmarks.trust.parts import PARTS, rounded
from jaxfix.report.evidence import Level
from jaxfix.report.wire import from_json

PAGE = ROOT / "docs" / "evidence" / "trust.md"
PROVER = ROOT / "docs" / "evidence" / "prover.md"
HEADS = ("right rewrites of", "tried", *(level.value for level in Level), "none")


def write(ledger: Ledger, builds: Mapping[str, str]) -> None:
    """Writes both pages; `builds` are those of today, by part."""
    known = {part.name: ledger.of(part.name, part.names()) for part in PARTS}
    found = {part: {name: entry.found for name, entry in entries.items()} for part, entries in known.items()}
    PAGE.write_text("\n".join([*_lines(known, found, builds), ""]))
    PROVER.write_text("\n".join([*prover.pages([*found["prover"].values()]), ""]))


def is_as_expected(ledger: Ledger) -> bool:
    """Whether nothing wrong is proven, nothing right is refused, and no program can be distinguished from itself."""
    rewrites = rounded()
    known = ledger.of("rounding", rewrites)
    holds = all((entry.found["verdict"] == "proven") is rewrites[name].is_right for name, entry in known.items())
    prover_part = next(part for part in PARTS if part.name == "prover")
    for entry in ledger.of("prover", prover_part.names()).values():
        wrongly = prover.REFUSED if entry.found["kind"] in prover.RIGHT else ("proven",)
        holds &= entry.found["verdict"] not in wrongly
    return holds


def _lines(
    known: Mapping[str, Mapping[str, Entry]], found: Mapping[str, Mapping[str, Any]], builds: Mapping[str, str]
) -> Iterator[str]:
    yield "# Trust, measured"
    yield ""
    yield "Written by `python -m benchmarks.trust`, which runs everything below and keeps what came of it in"
    yield "[`trust.jsonl`](trust.jsonl)."
    yield ""
    yield from _states(known, builds)
    yield ""
    yield from rounding.lines(rounded(), found["rounding"])
    yield ""
    yield from levels(found["rounding"], found["prover"])
    yield ""
    yield from prover.lines([*found["prover"].values()])
    yield ""
    yield from safe.lines([from_json(Shard, entry) for entry in found["safe"].values()])
    yield ""
    trials = found["strangers"]
    first, later, own = ([trials[name] for name in programs if name in trials] for programs in sets().values())
    yield from strangers.lines(first, later, own)
    yield ""
    yield from doubts.lines([*found["fixes"].values()])


def _states(known: Mapping[str, Mapping[str, Entry]], builds: Mapping[str, str]) -> Iterator[str]:
    """How much of each part was judged, and by which states of the sources that decide it."""
    yield "| part | judged | by these states of the sources | on |"
    yield "|---|---|---|---|"
    for part in PARTS:
        counted = Counter(entry.build for entry in known[part.name].values())
        days = Counter(entry.day or "no day noted" for entry in known[part.name].values())
        today = builds[part.name]
        told = (f"{count} by {'that of this page' if build == today else build}" for build, count in counted.items())
        on = ", ".join(f"{day}: {count}" for day, count in sorted(days.items(), reverse=True))
        yield f"| {part.name} | {counted.total()} of {len(part.names())} | {', '.join(told)} | {on} |"
    devices = Counter(entry.found["device"] for entry in known["rounding"].values())
    if devices:
        yield ""
        yield f"On {' and '.join(device for device, _ in devices.most_common())}."


def levels(rounded_found: Mapping[str, Any], prover_found: Mapping[str, Any]) -> Iterator[str]:
    """How much is known of the results of right rewrites, by codemod."""
    tally: dict[str, Counter[str | None]] = {}
    for name, entry in rounded_found.items():
        if rounded()[name].is_right and (entry["verdict"] != "proven" or entry["level"]):
            tally.setdefault("benchmarks.rounding", Counter())[_level(entry)] += 1
    for entry in prover_found.values():
        if entry["kind"] in prover.RIGHT and (entry["verdict"] != "proven" or entry["level"]):
            tally.setdefault(entry["codemod"], Counter())[_level(entry)] += 1
    yield "## How much is known of what is proven"
    yield ""
    yield "Of all right rewrites that the prover is tried with, by codemod, and of those of `benchmarks.rounding`, how"
    yield "many reach which level, as far as that was noted. Those of *none* are not proven: most save no compile in"
    yield "the program that calls them."
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    every = (*(level.value for level in Level), None)
    for name, counts in sorted(tally.items()):
        yield f"| `{name}` | {counts.total()} | {' | '.join(str(counts[level]) for level in every)} |"


def _level(entry: Mapping[str, Any]) -> str | None:
    level: str | None = entry["level"] if entry["verdict"] == "proven" else None
    return level
