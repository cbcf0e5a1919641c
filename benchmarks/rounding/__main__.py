"""Writes a part of `docs/evidence/trust.md`: whether what rounds differently is proven, and what is wrong refused.

python -m benchmarks.rounding            all of it, which takes some minutes
python -m benchmarks.rounding NAME ...   prints what was said of the rewrites in whose names these words are

From the root of a clone, with `.[prove]` and optax installed.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.rounding.judging import Judgement, judge
from benchmarks.rounding.programs import rewrites

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.rounding begins -->", "<!-- benchmarks.rounding ends -->"


def main() -> None:
    words = sys.argv[1:]
    found = []
    for rewrite in rewrites():
        if words and not any(word in rewrite.name for word in words):
            continue
        found.append(judge(rewrite))
        print(f"{rewrite.name}: {found[-1].verdict.value}, {found[-1].reason}", file=sys.stderr, flush=True)
    if not words:
        written = f"{BEGINS}\n{chr(10).join(lines(found))}\n{ENDS}"
        text = PAGE.read_text() if PAGE.exists() else f"# Trust, measured\n\n{BEGINS}\n{ENDS}\n"
        PAGE.write_text(f"{text.partition(BEGINS)[0]}{written}{text.partition(ENDS)[2]}")
    sys.exit(not all(entry.is_expected for entry in found))


def lines(judgements: Sequence[Judgement]) -> Iterator[str]:
    right, wrong = ([entry for entry in judgements if entry.rewrite.is_right is side] for side in (True, False))
    device = next((e.device for e in judgements if e.device), "no device")
    yield "## Equal up to rounding"
    yield ""
    yield f"Written by `python -m benchmarks.rounding` ({device}). Times are processor seconds of the whole proof, as"
    yield "multiples of one run of the program as it is."
    yield ""
    yield f"* right rewrites proven: **{sum(e.is_expected for e in right)}** of {len(right)}"
    yield f"* wrong rewrites refused: **{sum(e.is_expected for e in wrong)}** of {len(wrong)}"
    for title, entries in (("Right rewrites", right), ("Wrong rewrites", wrong)):
        yield ""
        yield f"### {title}"
        yield ""
        yield "| rewrite | verdict | time | what was said |"
        yield "|---|---|---|---|"
        for entry in entries:
            said = entry.equality if entry.rewrite.is_right and entry.equality else entry.reason
            yield f"| {entry.rewrite.name} | {entry.verdict.value} | {entry.multiple:.1f} x | {_cell(said)} |"


def _cell(text: str) -> str:
    short = text if len(text) <= 300 else f"{text[:297]}..."
    return short.replace("|", "\\|")


if __name__ == "__main__":
    main()
