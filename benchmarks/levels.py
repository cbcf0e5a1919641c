"""Writes a part of `docs/evidence/trust.md`: how much is known of the results of what is proven.

python -m benchmarks.levels              every right rewrite of the benchmarks, which takes an hour
python -m benchmarks.levels --most 2     as many of each codemod, its golden program first
python -m benchmarks.levels NAME ...     the rows of these codemods and benchmarks; the others stay

From the root of a clone, with `.[prove]` and optax installed.
"""

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.prover.__main__ import HELPERS, Trial, changed, receipts, trials
from benchmarks.rounding import judging
from benchmarks.rounding.others import others
from benchmarks.rounding.programs import Rewrite, rewrites
from jaxfix.evidence.program import ProgramRunner
from jaxfix.report.evidence import Evidence, Level

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "trust.md"
BEGINS, ENDS = "<!-- benchmarks.levels begins -->", "<!-- benchmarks.levels ends -->"
ROUNDING = "benchmarks.rounding"
HEADS = (
    "right rewrites of",
    "tried",
    "the same program, every size",
    "the same program",
    "bitwise",
    "rounding",
    "none",
)
_ROW = re.compile(r"\| `([\w.-]+)` \|")
Reached = Callable[[], Level | None]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a codemod, or `benchmarks.rounding`")
    parser.add_argument("--most", type=int, metavar="N", help="rewrites of each")
    asked = parser.parse_args()
    rows = dict(_known(PAGE.read_text()))
    tally: dict[str, Counter[Level | None]] = {}
    groups = _groups()
    chosen = [pair for name in sorted(asked.names or groups) for pair in groups[name][: asked.most]]
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for (name, _), level in zip(chosen, pool.map(lambda pair: pair[1](), chosen), strict=True):
            tally.setdefault(name, Counter())[level] += 1
            rows[name] = row(name, tally[name])
            print(rows[name], file=sys.stderr, flush=True)
            before, _, rest = PAGE.read_text().partition(BEGINS)
            PAGE.write_text(f"{before}{BEGINS}\n{chr(10).join(lines(rows))}\n{ENDS}{rest.partition(ENDS)[2]}")


def _groups() -> dict[str, list[tuple[str, Reached]]]:
    """Of each codemod and benchmark how to learn which levels its right rewrites reach, the golden programs first."""
    found: dict[str, list[tuple[str, Reached]]] = {}
    for trial in sorted(trials(), key=lambda trial: not trial.name.endswith(", program")):
        if trial.kind == "right":
            found.setdefault(trial.codemod, []).append((trial.codemod, partial(_level, trial)))
    for rewrite in [*rewrites(), *others()]:
        if rewrite.is_right:
            found.setdefault(ROUNDING, []).append((ROUNDING, partial(_level_of, rewrite)))
    return found


def _level_of(rewrite: Rewrite) -> Level | None:
    return judging.judge(rewrite).level


def _proof(trial: Trial) -> tuple[Evidence, ...]:
    function = trial.function or changed(trial.source, trial.rewritten)[0]
    with tempfile.TemporaryDirectory() as folder:
        files = (HELPERS.name, HELPERS.read_text()), ("trap.py", trial.source), ("main.py", trial.program)
        for file, text in (*files, *trial.others):
            Path(folder, file).write_text(text)
        runner = ProgramRunner(Path(folder), f"{sys.executable} main.py", [("trap.py", function)])
        return receipts(trial, function, runner)


def _level(trial: Trial) -> Level | None:
    return next((entry.level for receipt in _proof(trial) for entry in receipt.comparisons if entry.level), None)


def _known(page: str) -> Iterator[tuple[str, str]]:
    for line in page.partition(BEGINS)[2].partition(ENDS)[0].splitlines():
        if found := _ROW.match(line):
            yield found[1], line


def row(name: str, tally: Counter[Level | None]) -> str:
    return f"| `{name}` | {tally.total()} | {' | '.join(str(tally[level]) for level in (*Level, None))} |"


def lines(rows: dict[str, str]) -> Iterator[str]:
    yield "## How much is known of what is proven"
    yield ""
    yield "Written by `python -m benchmarks.levels`: of the right rewrites that the prover is tried with, by codemod,"
    yield "and of those of `benchmarks.rounding`, how many reach which level; where not all were tried, the golden"
    yield "program is the first. Those of *none* are not proven: most save no compile in the program that calls them."
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    yield from (rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
