"""What a proof costs: `python -m benchmarks.proof_cost [SUBJECT ...] [--cores 1 2]`.

Prints and writes into `docs/evidence/proof.md` how many runs a proof makes, with how many compiles, its processor
seconds as a multiple of one plain pass, and how long the first receipt takes. A plain pass is a run of the program, and
of what is driven importing it and driving each case once, without a probe. Rows of subjects that are not named stay
unchanged. Processor time of all children counts, since the machine may be shared; all of optax takes minutes of it.
"""

import argparse
import importlib.util
import json
import os
import pty
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks import proof_queue
from benchmarks.others import Others
from benchmarks.proof_queue import Queue

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evidence" / "proof.md"
BEGINS, ENDS = "<!-- benchmarks.proof_cost begins -->", "<!-- benchmarks.proof_cost ends -->"
AT_REST = 0.3
"""Processors: other work that keeps fewer busy is none."""
UNCOUNTED = "some"
"""In rows of days on which other work was not counted yet."""
Kind = tuple[str, int, bool]
"""The label of a subject, the processors, and whether other work was beside it: the page keeps one row of each."""
_MADE = re.compile(r"note: made (\d+) runs? of `(.+?)`: (\d+) compiles?, (\d+) s")
_RECEIPT = re.compile(r"(proven|different|no effect|failed|slower|not compared|not reached)  ")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is proven.

    Attributes:
      program: a file that is copied into an empty folder and rerun; None where nothing is.
      words: of its command line.
      driven: the module or package whose optimizers are driven; None where none are.
      selected: the codemods that may fix it; all of them where none are named.
    """

    label: str
    program: str | None = None
    words: str = ""
    driven: str | None = None
    selected: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """The words that run the program by a Python."""
        return [Path(self.program).name, *shlex.split(self.words)] if self.program else []

    @property
    def asked(self) -> list[str]:
        """The words of `jaxfix apply`."""
        driven = [self.driven] if self.driven else []
        if not self.command:
            return [*driven, "--prove"]
        selected = [word for codemod in self.selected for word in ("--select", codemod)]
        return [self.command[0], *driven, *selected, "--run", shlex.join(["python", *self.command])]


SUBJECTS = {
    "example": Subject("`examples/train.py`, one fix", "examples/train.py", selected=("local-loop-function",)),
    "both": Subject("`examples/train.py`, its two fixes", "examples/train.py"),
    "trainer": Subject(
        "a trainer, 40 steps (`s4_training.py` of the [five systems](five-systems.md))",
        "tests/upstream/programs/s4_training.py",
        "40",
    ),
    "first": Subject(
        "README's first command: it, a module of optax", "examples/train.py", driven="optax._src.transform"
    ),
    "optax": Subject("all of optax", driven="optax"),
    "jaxopt": Subject("all of jaxopt", driven="jaxopt"),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """One proof.

    Attributes:
      first_s: until the first receipt.
      plain: processor seconds of one plain pass.
      others: processors that other work kept busy at the same time.
      queue: the cases that were driven; None where none were.
    """

    runs: int
    compiles: int
    wall: float
    first_s: float
    cpu: float
    plain: float
    others: float
    queue: Queue | None


def cores(number: int) -> None:
    """Has this process and its children use so many processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])


def spent() -> float:
    """Processor seconds of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(subject: Subject, number: int) -> Cost:
    """Proves a subject, with nothing known from before.

    Raises:
      RuntimeError: it cannot be proven here.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if subject.program:
            shutil.copy(ROOT / subject.program, place)
        settled = {"JAX_ENABLE_COMPILATION_CACHE": "false", "NO_COLOR": "1", "TERM": "dumb"}
        environment = {**os.environ, "XDG_CACHE_HOME": str(place / "cache"), **settled}
        plain = _plain(subject, place, environment, number)
        record = place / "queue"
        command = proof_queue.command(record, ["apply", *subject.asked, "--diff", "--exit-zero"])
        began, before, lines = time.monotonic(), spent(), list[tuple[float, str]]()
        others = Others()
        terminal, stderr = pty.openpty()  # where there is none, receipts wait for the end
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=stderr,
            preexec_fn=lambda: cores(number),
        )  # fmt: skip
        os.close(stderr)
        reader = threading.Thread(target=_read, args=(terminal, began, lines))
        reader.start()
        process.wait()
        reader.join()
        wall, cpu, beside = time.monotonic() - began, spent() - before, others.processors()
        queue = proof_queue.read(record, cpu)
    made = [found for _, line in lines if (found := _MADE.search(line))]
    if not made:
        raise RuntimeError("".join(line for _, line in lines))
    first = next(when for when, line in lines if _RECEIPT.search(line))
    runs, compiles = (sum(int(found[group]) for found in made) for group in (1, 3))
    return Cost(runs, compiles, wall, first, cpu, plain, beside, queue)


def _read(terminal: int, began: float, lines: list[tuple[float, str]]) -> None:
    """The lines of a terminal, whose reader hears of its end as an error."""
    with open(terminal, "rb", buffering=0) as file, suppress(OSError):
        for line in file:
            lines.append((time.monotonic() - began, line.decode(errors="replace").rpartition("\r\r")[2]))


def _plain(subject: Subject, place: Path, environment: dict[str, str], number: int) -> float:
    """Processor seconds of a run of the program, where there is one, and of driving each case as it is."""
    seconds = 0.0
    if subject.command:
        before = spent()
        subprocess.run([sys.executable, *subject.command], cwd=place, env=environment, capture_output=True, check=True)
        seconds += spent() - before
    if subject.driven:
        asked = place / "cases.json"
        code = f"from benchmarks.proof_cost import list_cases; list_cases({subject.driven!r}, {str(asked)!r})"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
        before = spent()
        command = [sys.executable, "-m", "benchmarks.plain_pass", str(asked), str(number)]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, preexec_fn=lambda: cores(number))
        seconds += spent() - before
    return seconds


def list_cases(package: str, into: str) -> None:
    """Writes down which cases a proof of the package drives."""
    from jaxfix.drivers.cli import terminal
    from jaxfix.drivers.workflow.request import Request
    from jaxfix.drivers.workflow.session import opened
    from jaxfix.drivers.workflow.targets import find_targets
    from jaxfix.evidence.optimizers import LOOPED, OptimizerRunner
    from jaxfix.evidence.running import Driving
    from jaxfix.report.finding import Equality

    outer = package.partition(".")[0]
    spec = importlib.util.find_spec(outer)
    assert spec is not None and spec.origin is not None
    location = Path(spec.origin).parent
    session = opened(find_targets(Request((package,))), terminal)
    fixes = [
        (str(entry.target.path.relative_to(location)), fix)
        for entry in session.candidates().planned
        for fix in entry.patch.applied
        if fix.equality is not None and entry.target.path is not None
    ]
    functions = sorted({(path, fix.function) for path, fix in fixes})
    loops = LOOPED if {fix.equality for _, fix in fixes} & {Equality.STRONGER_TYPES, Equality.CONVERGED} else ()
    runner = OptimizerRunner(outer, location, sys.executable, functions, Driving(loops=loops))
    ways = {name: entry.way for name, entry in runner.surveyed().items()}
    cases = [[*case.split(", "), ways[case.partition(",")[0]]] for case in runner.cases()]
    Path(into).write_text(json.dumps({"package": outer, "cases": cases}))


def row(name: str, number: int, cost: Cost) -> str:
    return (
        f"| {SUBJECTS[name].label} | {number} | {cost.runs} | {cost.compiles:,} | {cost.cpu:.0f} s "
        f"| {cost.cpu / cost.plain:.1f} | {cost.wall:.0f} s | {cost.first_s:.0f} s "
        f"| {cost.others:.1f} | {date.today()} |"
    )


def section(rows: Mapping[Kind, str], queues: Mapping[str, str]) -> str:
    lead = (
        "## What it costs",
        "",
        "Written by `python -m benchmarks.proof_cost`. A run is one of the program, or one driven case. Processor",
        "seconds are those of jaxfix and all its processes; the multiple is that of one plain pass: a run of the",
        "program, and importing what is driven and driving each case once, without a probe and with an empty",
        "compilation cache that the cases share, as those of the proof do. The machine has two processors; the last",
        "column but one says how many of them other work kept busy, on average, and the last one on which day. Seconds",
        "by the clock grow with other work, and processor seconds by up to two thirds; runs and compiles do not depend",
        "on it. Of each proof the last row at rest and the last one beside other work are kept. Not measured: more",
        "processors (there `python -m benchmarks.proof_cost optax --cores 1 16` adds its rows), and a GPU",
        "(`jaxfix apply examples/train.py --on gpu --run 'python examples/train.py'` says what it takes).",
        "",
        "| proof | processors | runs | compiles | processor seconds | plain passes | by the clock | first receipt "
        "| others | day |",
        f"|{10 * '---|'}",
    )
    return "\n".join((BEGINS, *lead, *rows.values(), *proof_queue.table(queues.values()), ENDS, ""))


def known(text: str) -> dict[Kind, str]:
    """The rows of the page."""
    part = text.partition(BEGINS)[2].partition(ENDS)[0].partition(proof_queue.HEAD)[0]
    lines = [line for line in part.splitlines() if line.startswith("|") and line.split("|")[2].strip().isdecimal()]
    return {_kind(line): line for line in lines}


def known_queues(text: str) -> dict[str, str]:
    """The computed rows of the page, by the label of the subject."""
    part = text.partition(proof_queue.HEAD)[2].partition(ENDS)[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip(): line for line in lines}


def _kind(line: str) -> Kind:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    others = float("inf") if cells[-2] == UNCOUNTED else float(cells[-2])
    return cells[0], int(cells[1]), others >= AT_REST


def keep(line: str, queue: str | None) -> None:
    """Puts the rows into the page, which is read now: others may have written it since."""
    text = PAGE.read_text()
    queues = known_queues(text) | ({queue.split("|")[1].strip(): queue} if queue else {})
    rows = known(text) | {_kind(line): line}
    labels = [subject.label for subject in SUBJECTS.values()]
    rows = {kind: rows[kind] for kind in sorted(rows, key=lambda kind: (labels.index(kind[0]), *kind[1:]))}
    before, _, rest = text.partition(BEGINS)
    after = rest.partition(f"{ENDS}\n")[2]
    PAGE.write_text(f"{before if rest else before.rstrip() + chr(10) * 2}{section(rows, queues)}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("subjects", nargs="*", default=list(SUBJECTS), choices=[*SUBJECTS, []])
    parser.add_argument("--cores", type=int, nargs="+", default=sorted({1, 2, os.cpu_count() or 1}))
    asked = parser.parse_args()
    for package in [driven.partition(".")[0] for name in asked.subjects if (driven := SUBJECTS[name].driven)]:
        if importlib.util.find_spec(package) is None:
            parser.exit(2, f"`{package}` is not installed: name other subjects, or `python -m pip install {package}`\n")
    for name in asked.subjects:
        for number in asked.cores:
            cost = measured(SUBJECTS[name], number)
            queue = proof_queue.row(SUBJECTS[name].label, cost.queue, date.today()) if cost.queue else None
            line = row(name, number, cost)
            print(line, queue or "", sep="\n", flush=True)
            keep(line, queue)


if __name__ == "__main__":
    main()
