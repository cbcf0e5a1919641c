"""The queue of cases of a proof, and how long it would take at least with more workers: computed, never run."""

import heapq
import json
import runpy
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORKERS = (1, 2, 7, 16)
HEAD = "| proof | cases | processor seconds of these | all else | 1 worker | 2 | 7 | 16 | 16 to 1 | day |"


@dataclass(frozen=True, slots=True)
class Queue:
    """The cases of a proof, in the order in which they waited.

    Attributes:
      jobs: processor seconds of the cases of each process that imports what is driven; one process follows another.
      rest: processor seconds of all else. Nothing of it is taken to overlap.
    """

    jobs: tuple[tuple[float, ...], ...]
    rest: float

    @property
    def cases(self) -> list[float]:
        return [seconds for job in self.jobs for seconds in job]

    def least(self, workers: int) -> float:
        """Seconds with so many workers, each of which takes the next case when it is free."""
        return self.rest + sum(_greedy(job, workers) for job in self.jobs)


def _greedy(cases: Iterable[float], workers: int) -> float:
    free = [0.0] * workers
    for seconds in cases:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def row(label: str, queue: Queue, day: object) -> str:
    times = [queue.least(workers) for workers in WORKERS]
    shown = "".join(f" {seconds:.0f} s |" for seconds in times)
    return (
        f"| {label} | {len(queue.cases)} | {sum(queue.cases):.0f} s | {queue.rest:.0f} s |{shown} "
        f"{times[0] / times[-1]:.1f} x | {day} |"
    )


def table(rows: Iterable[str]) -> list[str]:
    """The rows of all proofs, with what they are; nothing without any."""
    found = list(rows)
    lead = (
        "",
        "**Computed, not run:** the least time of the same queue with 1, 2, 7 and 16 workers. Each case took the",
        "processor seconds that its process has counted; a worker takes the next one when it is free; a process that",
        "imports what is driven begins when the one before has ended, as in this run. All else (jaxfix itself, the",
        "survey, imports, copies, runs of a program) is taken not to overlap at all.",
        "",
        HEAD,
        f"|{(5 + len(WORKERS) + 1) * '---|'}",
    )
    return [*lead, *found] if found else []


def command(record: Path, words: Sequence[str]) -> list[str]:
    """jaxfix with these words, which also writes down what its cases took."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks.proof_queue import recorded; recorded()"
    return [sys.executable, "-c", code, str(record), *words]


def read(record: Path, cpu: float) -> Queue | None:
    """What was written down; None where no case was driven. `cpu` is the processor seconds of the whole proof."""
    if not record.exists():
        return None
    found = map(json.loads, record.read_text().splitlines())
    jobs = tuple(tuple(seconds for _, seconds in job) for _, job in groupby(found, key=lambda entry: entry[0]))
    return Queue(jobs, max(cpu - sum(map(sum, jobs)), 0.0))


def recorded() -> None:
    """Runs jaxfix; a line for each case says in which folder its process was, and its processor seconds."""
    from jaxfix.evidence import optimizers

    record, known = sys.argv.pop(1), optimizers._case

    def noted(path: Path, *rest: object) -> object:
        if path.exists():
            with open(record, "a", encoding="utf-8") as file:
                seconds = json.loads(path.read_text())["processor_s"]
                file.write(json.dumps([str(path.parent), seconds]) + "\n")
        return known(path, *rest)  # type: ignore[arg-type]

    optimizers._case = noted  # type: ignore[assignment]
    sys.argv[0] = "jaxfix"
    runpy.run_module("jaxfix", run_name="__main__")
