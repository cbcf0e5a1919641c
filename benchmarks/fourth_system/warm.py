"""Times a warm step before and after each codemod that rewrites steps, in programs of some twenty lines.

python -m benchmarks.fourth_system.warm          measures, and writes `docs/evidence/warm-steps.md`
python -m benchmarks.fourth_system.warm ID...    measures these again, and keeps the other rows

From the root of a clone, with the extra `prove`. Each program prints a line in each of sixty steps. It runs as
written, and as jaxfix leaves it, in turn and in processes of their own; of each run the median of the last thirty steps
counts, of the runs the fastest. Takes some four minutes.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax

from benchmarks.five_systems.workshop import applied

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "warm-steps.md"
PROGRAMS = Path(__file__).with_name("steps")
ROUNDS = 3
LIMIT_S = 300.0
ASKED: dict[str, list[tuple[str, ...]]] = {
    "remat-scan": [("--goal", "memory")],
    "key-reuse": [("--split-keys",)],
    "ragged-batch": [("--ragged", "drop"), ("--ragged", "pad")],
}
"""The options with which a codemod is tried."""
TRACED = ("captured-constant",)
"""Those that find nothing without a traced run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program.

    Attributes:
      ms: of a warm step.
      late: compiles during the last thirty steps.
    """

    ms: float
    late: int
    compiles: int
    operations: int
    temporary_bytes: int

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Run":
        """From what `measure` has written.

        Raises:
          RuntimeError: the program failed.
        """
        if found["failure"] is not None:
            raise RuntimeError(found["failure"])
        late = found["lines"][len(found["lines"]) // 2 :]
        ms = statistics.median(1000 * (b["time"] - a["time"]) for a, b in pairwise(late))
        compiles = late[-1]["compiles"] - late[0]["compiles"]
        return cls(ms, compiles, len(found["compiled"]), found["operations"], found["temporary_bytes"])


def main() -> None:
    wanted = sys.argv[1:]
    rows = {} if not wanted else dict(_kept(PAGE.read_text()))
    with TemporaryDirectory() as work:
        for program in sorted(PROGRAMS.glob("*.py")):
            codemod, _, form = (part.replace("_", "-") for part in program.stem.partition("__"))
            for options in ASKED.get(codemod, [()]) if not wanted or codemod in wanted else ():
                print(codemod, form, *options, file=sys.stderr, flush=True)
                label = _label(codemod, form, options)
                rows[label] = _row(label, *_compared(Path(work), program, codemod, options))
    PAGE.write_text("\n".join([*_lines(), *(rows[label] for label in sorted(rows)), ""]))
    print(PAGE.relative_to(ROOT))


def _kept(page: str) -> Iterator[tuple[str, str]]:
    """The rows of a page, by their labels."""
    yield from ((line.split("|")[1].strip(), line) for line in page.splitlines() if line.startswith("| `"))


def _label(codemod: str, form: str, options: Sequence[str]) -> str:
    asked = f", {form}" if form else f" `{' '.join(options)}`" if options else ""
    return f"`{codemod}`{asked}"


def _compared(work: Path, program: Path, codemod: str, options: Sequence[str]) -> tuple[Run, Run]:
    """The fastest run of a program before and after a rewrite."""
    before, after = work / "before", work / "after"
    for place in (before, after):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        shutil.copy(program, place / "program.py")
    traced = _traced(after) if codemod in TRACED else ()
    document = applied(after, "program.py", "--unproven", "--select", codemod, *options, *traced)
    if not document["fixes"]:
        raise RuntimeError(f"{codemod} changes nothing in {program.name}")
    runs = [(_run(before), _run(after)) for _ in range(ROUNDS)]
    old, new = zip(*runs, strict=True)
    return min(old, key=lambda run: run.ms), min(new, key=lambda run: run.ms)


def _traced(place: Path) -> tuple[str, ...]:
    words = [sys.executable, "-m", "jaxfix", "trace", "-o", "trace.json", "--", sys.executable, "program.py"]
    subprocess.run(words, cwd=place, capture_output=True, check=True, timeout=LIMIT_S)
    return ("--trace", "trace.json")


def _run(place: Path) -> Run:
    result = place / "result.json"
    words = [sys.executable, "-m", "benchmarks.fourth_system.measure", str(result), str(place / "program.py")]
    environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, check=True, timeout=LIMIT_S)
    return Run.of(json.loads(result.read_text()))


def _lines() -> Iterator[str]:
    yield "# Warm steps"
    yield ""
    yield (
        "Written by `python -m benchmarks.fourth_system.warm`. A program of some twenty lines for each codemod that "
        "rewrites steps, those of the [fourth system](fourth-system.md) and the others, as written and as "
        "`jaxfix apply --unproven --select ID` leaves it, "
        f"sixty steps each: the median of the last thirty, of the fastest of {ROUNDS} runs that take turns. The "
        "machine is shared: ratios between 0.8 and 1.25 say nothing. Compiles, operations and bytes are exact. A "
        "proof measures the same of the program that it is given, and refuses what is slower by half in three runs."
    )
    yield ""
    yield f"jax {jax.__version__}; Python {platform.python_version()}, {jax.devices()[0].device_kind}."
    yield ""
    yield "| codemod | a warm step, ms | ratio | compiles late | all compiles | operations compiled | temporaries, MB |"
    yield "|---|---|---|---|---|---|---|"


def _row(label: str, old: Run, new: Run) -> str:
    counts = (
        f"{one:,} -> {other:,}"
        for one, other in (
            (old.late, new.late),
            (old.compiles, new.compiles),
            (old.operations, new.operations),
        )
    )
    temporary = f"{old.temporary_bytes / 1e6:.2f} -> {new.temporary_bytes / 1e6:.2f}"
    ratio = f"{new.ms / old.ms:.2f}"
    return f"| {label} | {old.ms:.2f} -> {new.ms:.2f} | {ratio} | {' | '.join(counts)} | {temporary} |"


if __name__ == "__main__":
    main()
