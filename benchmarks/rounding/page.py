"""What is said of rewrites that may round differently."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.prover.page import cell, time
from benchmarks.rounding.programs import Rewrite

Found = Mapping[str, Any]
"""Some fields of a `Proof` as JSON."""


def lines(rewrites: Mapping[str, Rewrite], found: Mapping[str, Found]) -> Iterator[str]:
    """What is said of the rewrites that were judged; `found` has the names of `rewrites`."""
    right, wrong = ([name for name, entry in rewrites.items() if entry.is_right is side] for side in (True, False))
    yield "## Equal up to rounding"
    yield ""
    yield "What `benchmarks.rounding` holds. Times are processor seconds of the whole proof, as multiples of one run of"
    yield "the unchanged program."
    yield ""
    yield f"* right rewrites proven: **{sum(is_proven(found, name) for name in right)}** of {len(right)}"
    refused = sum(name in found and not is_proven(found, name) for name in wrong)
    yield f"* wrong rewrites refused: **{refused}** of {len(wrong)}"
    for title, names in (("Right rewrites", right), ("Wrong rewrites", wrong)):
        yield ""
        yield f"### {title}"
        yield ""
        yield "| rewrite | verdict | time | what was said |"
        yield "|---|---|---|---|"
        for name in names:
            yield _row(name, rewrites[name], found[name]) if name in found else f"| {name} | not measured | | |"


def is_proven(found: Mapping[str, Found], name: str) -> bool:
    return name in found and found[name]["verdict"] == "proven"


def _row(name: str, rewrite: Rewrite, found: Found) -> str:
    said = found["equality"] if rewrite.is_right and found["equality"] else found["reason"]
    return f"| {name} | {found['verdict']} | {time(found)} | {cell(said, 300)} |"
