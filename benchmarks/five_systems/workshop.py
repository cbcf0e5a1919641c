"""Lays the variants of a system out, has jaxfix repair some of them, and measures each in fresh processes."""

import hashlib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.ecosystem.downloads import Unreachable, unpacked
from benchmarks.five_systems.systems import PROGRAMS, REQUIREMENTS, Case, System, Variant

MEASURE = Path(__file__).with_name("measure.py")
LIMIT_S = 900.0
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.?\d+)(?:e[-+]?\d+)?|nan|inf")


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a program was seen to do.

    Attributes:
      steps: compiles during each step; those before the first line count to the first.
      again: the names of the programs that were compiled after the second step.
      rss_bytes: growth per step, over the later half of the run.
      ms: the median step of the later half.
    """

    failure: str | None
    printed: tuple[str, ...]
    steps: tuple[int, ...]
    again: tuple[str, ...]
    rss_bytes: float
    ms: float
    peak_bytes: int

    @property
    def second(self) -> int:
        return self.steps[1] if len(self.steps) > 1 else 0

    @property
    def steady(self) -> int:
        """The most compiles of any step from the third on."""
        return max(self.steps[2:], default=0)

    @property
    def compiles(self) -> int:
        return sum(self.steps)


@dataclass(frozen=True, slots=True)
class Repair:
    """What `jaxfix apply` said; `fixes` by codemod, `held` and `declined` by reason."""

    fixes: Mapping[str, int]
    held: Mapping[str, int]
    said: str


class Workshop:
    """Measures variants in `work`; `python` has the modern packages."""

    def __init__(self, work: Path, python: Path, downloads: Path) -> None:
        self.work, self.python, self.downloads = work, python, downloads

    def laid_out(self, system: System, variant: Variant) -> tuple[Path, Repair | None]:
        """The folder of the variant, made again, and what jaxfix did there.

        Raises:
          Unreachable: the release cannot be downloaded.
        """
        place = self.work / _slug(system.key) / _slug(variant.name)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        shutil.copy(PROGRAMS / variant.program, place)
        if variant.release is not None:
            unpacked(variant.release, self.downloads, place)
        return place, self._repair(place, system, variant) if variant.repaired else None

    def run(self, place: Path, variant: Variant, case: Case) -> Run:
        """Runs the program of `place` once, in a process of its own."""
        result = place / "result.json"
        result.unlink(missing_ok=True)
        words = [str(self.python), str(MEASURE), str(result), str(place / variant.program), *case.arguments]
        environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
        if not result.exists():
            raise RuntimeError(f"{variant.program} ended with {done.returncode}: {done.stderr[-2000:]}")
        return _run(json.loads(result.read_text()))

    def _repair(self, place: Path, system: System, variant: Variant) -> Repair:
        if variant.release is not None:
            document = applied(place, "optax", "--unproven")
        else:
            command = [str(self.python), variant.program, *system.cases[0].arguments]
            document = applied(place, variant.program, "--run", " ".join(command))
        verdicts = [f"`{entry['codemod']}`: {entry['verdict']}: {entry['reason']}" for entry in document["evidence"]]
        return Repair(
            Counter(fix["id"] for fix in document["fixes"]),
            Counter(held["reason"] for held in document["held"]),
            "; ".join(verdicts),
        )


def applied(place: Path, what: str, *options: str) -> dict[str, Any]:
    """The report of `jaxfix apply` on `what`, in the folder `place`."""
    always = ("--allow-no-vcs", "--allow-dirty", "--exit-zero", "--output-format", "json")
    words = [sys.executable, "-m", "jaxfix", "apply", what, *always, *options]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"jaxfix ended with {done.returncode}: {done.stderr[-2000:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def interpreter(work: Path, given: str | None) -> Path:
    """One that has the modern packages: `given`, or that of an environment which is made in `work`, once.

    Raises:
      Unreachable: the packages cannot be installed.
    """
    if given is not None:
        return Path(given)
    name = hashlib.sha256(" ".join((*REQUIREMENTS, sys.version)).encode()).hexdigest()[:12]
    place = work / f"environment-{name}"
    python = place / "bin" / "python"
    if (place / "complete").exists():
        return python
    venv.create(place, with_pip=True, clear=True)
    words = [str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise Unreachable(f"{' '.join(REQUIREMENTS)} cannot be installed: {done.stderr.strip()[-300:]}")
    (place / "complete").touch()
    return python


def difference(run: Run, other: Run) -> float | None:
    """How far the printed numbers are apart, to the largest of them; None if they do not match.

    What stands before the colon of a line, the number of the step, is no result.
    """
    if run.printed == other.printed:
        return 0.0
    mine, theirs = (_numbers(entry) for entry in (run, other))
    if len(mine) != len(theirs) or not mine:
        return None
    pairs = [(float(a), float(b)) for a, b in zip(mine, theirs, strict=True)]
    largest = max((abs(b) for _, b in pairs if math.isfinite(b)), default=0.0) or 1.0
    away = [abs(a - b) / largest if math.isfinite(a - b) else math.inf for a, b in pairs if a != b]
    return max(away, default=0.0)


def _numbers(run: Run) -> list[str]:
    return [number for line in run.printed for number in _NUMBER.findall(line.partition(":")[2])]


def _run(found: Mapping[str, Any]) -> Run:
    lines: Sequence[Mapping[str, Any]] = found["lines"]
    ends = [line["compiles"] for line in lines]
    later = lines[len(lines) // 2 :]
    seconds = [b["time"] - a["time"] for a, b in pairwise(later)]
    steps = max(len(later) - 1, 1)
    return Run(
        found["failure"],
        tuple(line["text"] for line in lines),
        tuple(b - a for a, b in pairwise([0, *ends])),
        tuple(found["compiled"][ends[1] : ends[-1]]) if len(ends) > 1 else (),
        (later[-1]["rss"] - later[0]["rss"]) / steps if later else 0.0,
        1000 * statistics.median(seconds) if seconds else 0.0,
        found["peak"],
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
