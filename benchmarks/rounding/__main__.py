"""Writes a part of `docs/evidence/trust.md`: whether what rounds differently is proven, and what is wrong refused.

python -m benchmarks.rounding            all of it, which takes some minutes
python -m benchmarks.rounding WORDS ...  the rows of rewrites in whose names one of these stands; the others stay

From the root of a clone, with `.[prove]` and optax installed.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.rounding.judging import Judgement, judge
from benchmarks.rounding.others import others
from benchmarks.rounding.programs import Rewrite, rewrites

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.rounding begins -->", "<!-- benchmarks.rounding ends -->"
_ROW = re.compile(r"\| (.+?) \| (proven|different|failed|no effect|not \w+) \| [^|]* \|")


def main() -> None:
    words = sys.argv[1:]
    every = [*rewrites(), *others()]
    before, _, rest = PAGE.read_text().partition(BEGINS)
    rows = {found[1]: found[0] + found.string[found.end() :] for found in map(_ROW.match, rest.splitlines()) if found}
    expected = True
    for rewrite in every:
        if words and not any(word in rewrite.name for word in words):
            continue
        found = judge(rewrite)
        expected &= found.is_expected
        rows[rewrite.name] = row(found)
        print(rows[rewrite.name], file=sys.stderr, flush=True)
        after = rest.partition(ENDS)[2]
        PAGE.write_text(f"{before}{BEGINS}\n{chr(10).join(lines(every, rows))}\n{ENDS}{after}")
    sys.exit(not expected)


def lines(every: list[Rewrite], rows: Mapping[str, str]) -> Iterator[str]:
    right, wrong = ([rewrite for rewrite in every if rewrite.is_right is side] for side in (True, False))
    yield "## Equal up to rounding"
    yield ""
    yield "Written by `python -m benchmarks.rounding`. Times are processor seconds of the whole proof, as multiples of"
    yield "one run of the program as it is."
    yield ""
    yield f"* right rewrites proven: **{sum(is_proven(rows, entry) for entry in right)}** of {len(right)}"
    refused = sum(entry.name in rows and not is_proven(rows, entry) for entry in wrong)
    yield f"* wrong rewrites refused: **{refused}** of {len(wrong)}"
    for title, entries in (("Right rewrites", right), ("Wrong rewrites", wrong)):
        yield ""
        yield f"### {title}"
        yield ""
        yield "| rewrite | verdict | time | what was said |"
        yield "|---|---|---|---|"
        yield from (rows.get(entry.name, f"| {entry.name} | | | not measured |") for entry in entries)


def is_proven(rows: Mapping[str, str], rewrite: Rewrite) -> bool:
    found = _ROW.match(rows.get(rewrite.name, ""))
    return found is not None and found[2] == "proven"


def row(entry: Judgement) -> str:
    said = entry.equality if entry.rewrite.is_right and entry.equality else entry.reason
    return f"| {entry.rewrite.name} | {entry.verdict.value} | {entry.multiple:.1f} x | {_cell(said)} |"


def _cell(text: str) -> str:
    short = text if len(text) <= 300 else f"{text[:297]}..."
    return short.replace("|", "\\|")


if __name__ == "__main__":
    main()
