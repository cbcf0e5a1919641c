"""Measures what tests run of the analyses, room by room, and writes `docs/evidence/coverage.md`.

    python -m benchmarks.coverage                   # all tests of analyses: some minutes
    python -m benchmarks.coverage tests/test_x.py   # only these, on the terminal

Lines and branches, counted in the process of pytest: what tests start in others, such as the command line, is left out.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "coverage.md"
ROOMS = (
    *("source", "library", "syntax", "report", "semantic", "staging", "dataflow", "effects", "motion", "summary"),
    *("rewrite", "engine"),
)
LEAVE = 10
"""Files that the page names, the least covered first."""
TESTS = tuple(
    f"tests/test_{name}.py"
    for name in (
        *("goldens", "traps", "text", "tree", "model", "rounds", "reach", "callers", "dtypes", "values", "facts"),
        *("fresh", "jitted", "staging", "strength", "traceable", "varying", "eager", "related"),
        *("open_modules", "solver", "notebooks", "engine", "rewriter", "suppress", "survey", "decisions"),
        *("baseline", "config", "bad_input"),
    )
)
_RUNNING = ("-q", "--no-header", "-m", "not slow and not evidence", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Counted:
    """Lines and branches, and how many of them ran."""

    lines: int = 0
    lines_run: int = 0
    branches: int = 0
    branches_run: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(
            self.lines + other.lines,
            self.lines_run + other.lines_run,
            self.branches + other.branches,
            self.branches_run + other.branches_run,
        )

    @property
    def share(self) -> float:
        """Of lines and branches together, those that ran; 0 where there are none."""
        return (self.lines_run + self.branches_run) / ((self.lines + self.branches) or 1)


def main(tests: list[str]) -> None:
    present = tests or [test for test in TESTS if (ROOT / test).exists()]
    page = "\n".join([*_page(_measured(present)), ""])
    if tests:
        print(page)
    else:
        PAGE.write_text(page)
        print(PAGE.relative_to(ROOT))


def _measured(tests: list[str]) -> dict[str, Counted]:
    """The files of the rooms that hold code, by their path below `jaxfix`."""
    with tempfile.TemporaryDirectory() as folder:
        data, report = f"--data-file={folder}/data", Path(folder) / "report.json"
        coverage = [sys.executable, "-m", "coverage"]
        # in CI, hypothesis tries the same examples each time, and takes its time
        environment = os.environ | {"CI": "true"}
        done = subprocess.run([*coverage, "run", data, "-m", "pytest", *_RUNNING, *tests], cwd=ROOT, env=environment)
        if done.returncode:
            print(f"tests failed ({done.returncode}): what follows is of those that ran", file=sys.stderr)
        subprocess.run([*coverage, "json", data, "-q", "-o", str(report)], cwd=ROOT, check=True)
        files: Mapping[str, Mapping[str, Mapping[str, int]]] = json.loads(report.read_text())["files"]
    counted = ((path.partition("jaxfix/")[2], _counted(entry["summary"])) for path, entry in files.items())
    return {path: each for path, each in counted if each.lines}


def _counted(summary: Mapping[str, int]) -> Counted:
    return Counted(
        summary["num_statements"],
        summary["covered_lines"],
        summary["num_branches"],
        summary["covered_branches"],
    )


def _page(files: Mapping[str, Counted]) -> Iterator[str]:
    yield "# What tests run of the analyses"
    yield ""
    yield "What goldens, traps and unit tests run, without those that rerun JAX programs or start the command line."
    yield f"`python -m benchmarks.coverage` writes this page; here on Python {platform.python_version()}."
    yield ""
    yield "| room | files | lines | run | branches | run | both |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for room in ROOMS:
        inside = [counted for path, counted in files.items() if path.startswith(f"{room}/")]
        yield _row(room, len(inside), sum(inside, Counted()))
    yield _row("all", len(files), sum(files.values(), Counted()))
    yield ""
    yield "The least covered files:"
    yield ""
    yield "| file | lines | both |"
    yield "|---|--:|--:|"
    for path, counted in sorted(files.items(), key=lambda entry: entry[1].share)[:LEAVE]:
        yield f"| `{path}` | {counted.lines} | {counted.share:.0%} |"


def _row(name: str, files: int, found: Counted) -> str:
    shares = (_share(found.lines_run, found.lines), _share(found.branches_run, found.branches))
    cells = (name, files, found.lines, shares[0], found.branches, shares[1], f"{found.share:.1%}")
    return f"| {' | '.join(map(str, cells))} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    main(sys.argv[1:])
