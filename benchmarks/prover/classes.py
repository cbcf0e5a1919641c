"""Writes a part of `docs/evidence/trust.md`: wrong rewrites by the class of what they break, and what is said of them.

python -m benchmarks.prover.classes              all of them, which takes some minutes
python -m benchmarks.prover.classes NAME ...     the rows of these rewrites; the others stay

From the root of a clone, with `.[prove]` installed.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.prover.__main__ import BY_CLASS, REFUSED, Judgement, judge, trials
from benchmarks.prover.cases import cases

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.prover.classes begins -->", "<!-- benchmarks.prover.classes ends -->"
_ROW = re.compile(r"\| ([\w-]+) \| ([\w ]+) \| ([\w ]+) \| ")


def main() -> None:
    kinds = {case.name: case.kind or file for file in BY_CLASS for case in cases(file)}
    wanted = set(sys.argv[1:]) or kinds.keys()
    before, _, rest = PAGE.read_text().partition(BEGINS)
    old, _, after = rest.partition(ENDS)
    rows = {found[1]: found.string for found in map(_ROW.match, old.splitlines()) if found and found[1] in kinds}
    for trial in trials():
        if trial.name in kinds and trial.name in wanted and trial.kind == kinds[trial.name]:
            rows[trial.name] = _row(judge(trial))
            print(rows[trial.name], file=sys.stderr, flush=True)
            text = "\n".join(lines(kinds, rows))
            PAGE.write_text(f"{before.rstrip()}\n\n{BEGINS}\n{text}\n{ENDS}{after or chr(10)}")


def lines(kinds: Mapping[str, str], rows: Mapping[str, str]) -> Iterator[str]:
    refused = {verdict.value for verdict in REFUSED}
    found = [match.groups() for name in kinds if name in rows and (match := _ROW.match(rows[name]))]
    tried, held = (Counter(kind for _, kind, verdict in found if not of or verdict in of) for of in ((), refused))
    yield "## Wrong rewrites by class"
    yield ""
    yield "Written by `python -m benchmarks.prover.classes`. Each saves a compile, at every step or at the start, and"
    yield "breaks one thing that its program does not show in its results (`benchmarks/prover`). Those by other hands"
    yield "were written from the documentation alone, without the code; 17 of the 40 were called proven, and the prover"
    yield "was mended with them in sight. The later ones break other things, and were written after that by who had"
    yield "mended it, to see what is left: 9 of the 15 were called proven, and the prover was mended again. What is"
    yield "not compared, or saves no compile, is neither."
    yield ""
    yield "| class | tried | refused | called proven |"
    yield "|---|---|---|---|"
    proven = Counter(kind for _, kind, verdict in found if verdict == "proven")
    shown = (kind for kind in dict.fromkeys(kinds.values()) if tried[kind])
    yield from (f"| {kind} | {tried[kind]} | {held[kind]} | **{proven[kind]}** |" for kind in shown)
    yield ""
    yield "| rewrite | class | verdict | what gave it away |"
    yield "|---|---|---|---|"
    yield from (rows[name] for name in kinds if name in rows)


def _row(found: Judgement) -> str:
    reason = found.reason if len(found.reason) <= 160 else f"{found.reason[:157]}..."
    return f"| {found.name} | {found.kind} | {found.verdict.value} | {reason.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    main()
