"""What a proof costs: `python -m benchmarks.proof_cost [SUBJECT ...] [--cores 1 2]`.

Prints and writes into `docs/evidence/proof.md` how many runs a proof makes, with how many compiles, its processor
seconds as a multiple of one plain pass (a run of the program; importing jax and running every driven case once), and
how long the first receipt takes. Rows of subjects that are not named stay unchanged. Processor time of all children
counts, since the machine may be shared; all of optax takes ten minutes of it.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evidence" / "proof.md"
BEGINS, ENDS = "<!-- benchmarks.proof_cost begins -->", "<!-- benchmarks.proof_cost ends -->"
PROGRAM = "python train.py"
SUBJECTS = {
    "example": (["train.py", "--run", PROGRAM], "`examples/train.py`, one fix"),
    "first": (
        ["train.py", "optax._src.transform", "--run", PROGRAM],
        "README's first command: it, a module of optax",
    ),
    "optax": (["optax", "--prove"], "all of optax"),
    "jaxopt": (["jaxopt", "--prove"], "all of jaxopt"),
}
_MADE = re.compile(r"note: made (\d+) runs? of `(.+?)`: (\d+) compiles?, (\d+) s")
_RECEIPT = re.compile(r"(proven|different|no effect|failed|slower|not compared|not reached)  ")


@dataclass(frozen=True, slots=True)
class Cost:
    """One proof.

    Attributes:
      first_s: until the first receipt.
      plain: processor seconds of one plain pass.
    """

    runs: int
    compiles: int
    wall: float
    first_s: float
    cpu: float
    plain: float


def cores(number: int) -> None:
    """Has this process and its children use so many processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])


def spent() -> float:
    """Processor seconds of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(name: str, number: int) -> Cost:
    """Proves a subject, with nothing known from before.

    Raises:
      RuntimeError: it cannot be proven here.
    """
    words, _ = SUBJECTS[name]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copy(ROOT / "examples" / "train.py", place)
        environment = {**os.environ, "XDG_CACHE_HOME": str(place / "cache"), "JAX_ENABLE_COMPILATION_CACHE": "false"}
        plain = _plain(words, place, environment, number)
        command = [sys.executable, "-m", "jaxfix", "apply", *words, "--diff", "--exit-zero"]
        began, before, lines = time.monotonic(), spent(), list[tuple[float, str]]()
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: cores(number),
        )  # fmt: skip
        reader = threading.Thread(target=_read, args=(process, began, lines))
        reader.start()
        process.wait()
        reader.join()
        wall, cpu = time.monotonic() - began, spent() - before
    made = [found for _, line in lines if (found := _MADE.search(line))]
    if not made:
        raise RuntimeError("".join(line for _, line in lines))
    first = next(when for when, line in lines if _RECEIPT.match(line))
    runs, compiles = (sum(int(found[group]) for found in made) for group in (1, 3))
    return Cost(runs, compiles, wall, first, cpu, plain if plain else cpu)


def _read(process: "subprocess.Popen[str]", began: float, lines: list[tuple[float, str]]) -> None:
    assert process.stderr is not None
    lines.extend((time.monotonic() - began, line) for line in process.stderr)


def _plain(words: Sequence[str], place: Path, environment: dict[str, str], number: int) -> float:
    """One plain pass: a run of the program, where there is one; of optimizers, each case as it is."""
    before = spent()
    if "--run" in words:
        subprocess.run([sys.executable, "train.py"], cwd=place, env=environment, capture_output=True)
    if words[0] == "train.py" and len(words) == 3:
        return spent() - before
    package = next(word for word in words if word not in ("train.py", "--run", PROGRAM, "--prove"))
    code = f"from benchmarks.proof_cost import one_pass; one_pass({package!r}, {number})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    return spent() - before


def one_pass(package: str, number: int) -> None:
    """Drives all cases that a proof of the package drives, once and as they are."""
    import importlib.util

    from jaxfix.drivers.cli import terminal
    from jaxfix.drivers.workflow.request import Request
    from jaxfix.drivers.workflow.session import opened
    from jaxfix.drivers.workflow.targets import find_targets
    from jaxfix.evidence.optimizers import OptimizerRunner

    cores(number)
    outer = package.partition(".")[0]
    spec = importlib.util.find_spec(outer)
    assert spec is not None and spec.origin is not None
    location = Path(spec.origin).parent
    session = opened(find_targets(Request((package,))), terminal)
    functions = sorted(
        {
            (str(entry.target.path.relative_to(location)), fix.function)
            for entry in session.candidates().planned
            for fix in entry.patch.applied
            if fix.equality is not None and entry.target.path is not None
        }
    )
    OptimizerRunner(outer, location, sys.executable, functions).measure({})


def row(name: str, number: int, cost: Cost) -> str:
    return (
        f"| {SUBJECTS[name][1]} | {number} | {cost.runs} | {cost.compiles:,} | {cost.cpu:.0f} s "
        f"| {cost.cpu / cost.plain:.1f} | {cost.wall:.0f} s | {cost.first_s:.0f} s |"
    )


def section(rows: dict[tuple[str, str], str]) -> str:
    lead = (
        "## What it costs",
        "",
        "Written by `python -m benchmarks.proof_cost`. A run is one of the program, or one driven case. Processor",
        "seconds are those of jaxfix and all its processes; the multiple is that of one plain pass: a run of the",
        "program, and importing jax and driving each case once. The machine has two processors and was busy with",
        "other work, up to ten processes for each: its seconds by the clock are many times those of a quiet one.",
        "",
        "| proof | processors | runs | compiles | processor seconds | plain passes | by the clock | first receipt |",
        "|---|---|---|---|---|---|---|---|",
    )
    return "\n".join((BEGINS, *lead, *rows.values(), ENDS, ""))


def known(text: str) -> dict[tuple[str, str], str]:
    """The rows of the page, by subject and processors."""
    part = text.partition(BEGINS)[2].partition(ENDS)[0]
    rows = [line for line in part.splitlines() if line.startswith("|") and line.split("|")[2].strip().isdecimal()]
    return {(line.split("|")[1].strip(), line.split("|")[2].strip()): line for line in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("subjects", nargs="*", default=list(SUBJECTS), choices=[*SUBJECTS, []])
    parser.add_argument("--cores", type=int, nargs="+", default=sorted({1, 2, os.cpu_count() or 1}))
    asked = parser.parse_args()
    text = PAGE.read_text()
    rows = known(text)
    for name in asked.subjects:
        for number in asked.cores:
            line = row(name, number, measured(name, number))
            print(line, flush=True)
            rows[SUBJECTS[name][1], str(number)] = line
    before, _, rest = text.partition(BEGINS)
    after = rest.partition(f"{ENDS}\n")[2]
    PAGE.write_text(f"{before if rest else before.rstrip() + chr(10) * 2}{section(rows)}{after}")


if __name__ == "__main__":
    main()
