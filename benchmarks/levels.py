"""Writes a part of `docs/evidence/trust.md`: how much is known of the results of what is proven.

python -m benchmarks.levels              every right rewrite of the benchmarks, which takes some minutes
python -m benchmarks.levels NAME ...     the rows of these codemods and benchmarks; the others stay

From the root of a clone, with `.[prove]` and optax installed.
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.prover.__main__ import HELPERS, Trial, changed, receipts, trials
from benchmarks.rounding import judging
from benchmarks.rounding.others import others
from benchmarks.rounding.programs import rewrites
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
Found = Iterator[tuple[str, Level | None]]


def main() -> None:
    wanted = sys.argv[1:]
    rows = dict(_known(PAGE.read_text()))
    tally: dict[str, Counter[Level | None]] = {}
    for name, level in reached(wanted):
        tally.setdefault(name, Counter())[level] += 1
        rows[name] = row(name, tally[name])
        print(rows[name], file=sys.stderr, flush=True)
    before, _, rest = PAGE.read_text().partition(BEGINS)
    PAGE.write_text(f"{before}{BEGINS}\n{chr(10).join(lines(rows))}\n{ENDS}{rest.partition(ENDS)[2]}")


def reached(wanted: list[str]) -> Found:
    """Of each right rewrite the codemod or the benchmark, and the level of its proof; None where there is none."""
    for trial in trials():
        if trial.kind == "right" and trial.codemod in (wanted or [trial.codemod]):
            yield trial.codemod, _level(_proof(trial))
    for rewrite in [*rewrites(), *others()]:
        if rewrite.is_right and ROUNDING in (wanted or [ROUNDING]):
            yield ROUNDING, judging.judge(rewrite).level


def _proof(trial: Trial) -> tuple[Evidence, ...]:
    function = trial.function or changed(trial.source, trial.rewritten)[0]
    with tempfile.TemporaryDirectory() as folder:
        files = (HELPERS.name, HELPERS.read_text()), ("trap.py", trial.source), ("main.py", trial.program)
        for file, text in (*files, *trial.others):
            Path(folder, file).write_text(text)
        runner = ProgramRunner(Path(folder), f"{sys.executable} main.py", [("trap.py", function)])
        return receipts(trial, function, runner)


def _level(found: tuple[Evidence, ...]) -> Level | None:
    return next((entry.level for receipt in found for entry in receipt.comparisons if entry.level), None)


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
    yield "and of those of `benchmarks.rounding`, how many reach which level. *None* are not"
    yield "proven: most of them save no compile in the program that they are tried with."
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    yield from (rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
