"""Writes a part of `docs/evidence/proof.md`: what `jaxfix prove` says of ten diffs, five right and five subtly wrong.

python -m benchmarks.prover.changes

From the root of a clone, with `.[prove]` installed and git there.
"""

import difflib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.prover.cases import Case, cases
from jaxfix.report.evidence import Verdict

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "proof.md"
BEGINS, ENDS = "<!-- benchmarks.prover.changes begins -->", "<!-- benchmarks.prover.changes ends -->"
CHOSEN = {
    "right": ("scan-in-a-class", "dictionary-of-parameters", "constant-table", "two-modules", "bisection"),
    "strangers": ("s-settings-function", "s-hoisted-read", "s-stop-gradient", "s-boundary", "s-chunk-tail"),
}
"""The cases by file: those of `strangers` are wrong, each in a way that its program does not show."""
_SHORT = 150
_LEAD = """\
Written by `python -m benchmarks.prover.changes`: [`jaxfix prove`](../prove.md) of ten diffs, each with a program that
shows no difference in its results. The wrong ones were written from the documentation alone, without knowledge of
the code (`benchmarks/prover/strangers.txt`); the prover has been mended with them in sight. The right ones are of
`benchmarks/prover/right.txt`. Each is run without the change, with it, and without it again; seconds are those of the
whole command, on a machine with two cores."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the command said of one diff, and how long that took."""

    case: str
    is_right: bool
    code: int
    document: dict[str, Any]
    seconds: float

    @property
    def is_judged_right(self) -> bool:
        return self.code == (0 if self.is_right else 1)


def main() -> None:
    told = []
    for file, names in CHOSEN.items():
        known = {case.name: case for case in cases(file)}
        for name in names:
            told.append(judged(known[name], is_right=file == "right"))
            print(f"{name}: {told[-1].document['verdict']}, {told[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    page = PAGE.read_text() if PAGE.exists() else "# What a proof takes\n"
    before, _, rest = page.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    text = "\n".join(lines(told))
    PAGE.write_text(f"{before.rstrip()}\n\n{BEGINS}\n{text}\n{ENDS}{after or chr(10)}")


def judged(case: Case, *, is_right: bool) -> Told:
    """What the command says of the rewrite of a case, as a diff of its module."""
    begun = time.monotonic()
    texts = {"trap.py": case.source, "main.py": case.program, **dict(case.others)}
    found = proved(texts, diff_of(case.source, case.rewritten))
    code = 0 if found["verdict"] == Verdict.PROVEN.value else 1
    return Told(case.name, is_right, code, found, time.monotonic() - begun)


def proved(texts: Mapping[str, str], diff: str, *more: str) -> dict[str, Any]:
    """What `jaxfix prove` says of a diff of a project, as JSON; `more` are options of it."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in texts.items():
            Path(folder, file).write_text(text)
        command = [sys.executable, "-m", "jaxfix", "prove", "--run", f"{sys.executable} main.py", "--diff", "-"]
        done = subprocess.run(
            [*command, "--output-format", "json", *more], cwd=folder, input=diff, capture_output=True, text=True
        )
    if not done.stdout:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def diff_of(source: str, rewritten: str) -> str:
    """The diff of the module of a case."""
    sides = source.splitlines(keepends=True), rewritten.splitlines(keepends=True)
    return "".join(difflib.unified_diff(*sides, "a/trap.py", "b/trap.py"))


def lines(told: list[Told]) -> Iterator[str]:
    right = [entry for entry in told if entry.is_right]
    wrong = [entry for entry in told if not entry.is_right]
    yield "## Diffs by other hands"
    yield ""
    yield from _LEAD.splitlines()
    yield ""
    yield f"* right diffs proven: **{sum(entry.is_judged_right for entry in right)}** of {len(right)}"
    yield f"* wrong diffs refused: **{sum(entry.is_judged_right for entry in wrong)}** of {len(wrong)}"
    yield ""
    yield "| diff | is | verdict | level | exit | seconds | why |"
    yield "|---|---|---|---|---|---|---|"
    yield from map(_row, told)


def _row(told: Told) -> str:
    found = told.document
    reason = found["reason"].replace(f"{sys.executable} main.py: ", "").replace("|", "\\|")
    reason = reason if len(reason) <= _SHORT else f"{reason[: _SHORT - 3]}..."
    kind = "right" if told.is_right else "wrong"
    cells = told.case, kind, found["verdict"], found["level"] or "", told.code, f"{told.seconds:.0f}", reason
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
