"""A proof on a cluster of dask of which a worker is killed: `python -m benchmarks.fleet`, in about two minutes.

Starts a scheduler and three workers on this machine, proves the fixes of a small package of optimizers here and there,
and kills a worker while it runs a job; then kills jaxfix in the middle, and starts it again. Writes what happened into
`docs/evidence/proof.md`.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.others import Others

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "proof.md"
BEGINS, ENDS = "<!-- benchmarks.fleet begins -->", "<!-- benchmarks.fleet ends -->"
WORKERS = 3
HEAD = '''\
"""Optimizers whose exponent is a new program at each step."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class GradientTransformation(NamedTuple):
    init: object
    update: object
'''
OPTIMIZER = """

def decaying_{number}(decay: float = 0.9) -> GradientTransformation:
    def init(params):
        return {{"count": jnp.zeros((), jnp.int32)}}

    def update(updates, state, params=None):
        count = state["count"] + 1
        scale = {number} - decay**count
        return jax.tree_util.tree_map(lambda g: -g * scale.astype(g.dtype), updates), {{"count": count}}

    return GradientTransformation(init, update)
"""
"""Three of them: 12 cases, so two jobs with and two without the fixes."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One `jaxfix apply`.

    Attributes:
      figures: by fix, its verdict and the compiles of each of its cases without and with it.
    """

    seconds: float
    figures: dict[str, tuple[str, list[tuple[str, int, int]]]]
    notes: str


def project(folder: Path) -> Path:
    """A package of three optimizers with one fix each."""
    (folder / "decaying").mkdir(parents=True)
    text = HEAD + "".join(OPTIMIZER.format(number=number) for number in range(1, 4))
    (folder / "decaying" / "__init__.py").write_text(text)
    return folder


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its workers, of one thread each."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}
    start = [sys.executable, "-m", "distributed.cli.dask_"]

    def started(name: str, words: list[str]) -> subprocess.Popen[bytes]:
        command = [*start[:-1], start[-1] + name, *words, "--no-dashboard"]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, env=environment, cwd=folder, stdout=quiet, stderr=quiet)

    scheduler = started("scheduler", ["--host", "127.0.0.1", "--port", str(port), "--no-show"])
    _until(lambda: socket.create_connection(("127.0.0.1", port), 1).close())
    place = ["--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]
    workers = [started("worker", [f"tcp://127.0.0.1:{port}", *place]) for _ in range(WORKERS)]
    try:
        yield f"127.0.0.1:{port}", workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _until(ready: object, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            ready()  # type: ignore[operator]
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def start(root: Path, cache: Path, *words: str) -> subprocess.Popen[str]:
    """`jaxfix apply` of the package, with a cache folder of its own."""
    report = ["--diff", "--output-format", "json", "--output-file", str(root / "report.json"), "--exit-zero"]
    command = [sys.executable, "-m", "jaxfix", "apply", "decaying", "--prove", *report, *words]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def ended(process: "subprocess.Popen[str]", root: Path, began: float) -> Ran:
    """What it has shown.

    Raises:
      RuntimeError: it failed.
    """
    notes = process.communicate()[1]
    if process.returncode:
        raise RuntimeError(notes)
    report = json.loads((root / "report.json").read_text())
    figures = {
        receipt["key"]: (
            receipt["verdict"],
            [(c["case"], c["before"]["compiles"], c["after"]["compiles"]) for c in receipt["comparisons"]],
        )
        for receipt in report["evidence"]
    }
    return Ran(time.monotonic() - began, figures, notes)


def busy(workers: list["subprocess.Popen[bytes]"], jobs: int = 1) -> list["subprocess.Popen[bytes]"]:
    """The workers beneath which a job runs, as soon as there are so many."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = [worker for worker in workers if _drives(worker.pid)]
        if len(found) >= jobs:
            return found
        time.sleep(0.05)
    raise RuntimeError("no worker has a job")


def _drives(pid: int) -> bool:
    try:
        below = psutil.Process(pid).children(recursive=True)
        return any("request.json" in " ".join(child.cmdline()) for child in below)
    except psutil.Error:
        return False


def here(root: Path, cache: Path) -> Ran:
    """The proof by processes of this machine."""
    return ended(start(root, cache), root, time.monotonic())


def with_a_death(root: Path, cache: Path, address: str, workers: list["subprocess.Popen[bytes]"]) -> Ran:
    """The proof on the cluster, of which one worker is killed as soon as two have jobs."""
    began = time.monotonic()
    process = start(root, cache, "--on", f"dask://{address}")
    busy(workers, 2)[0].send_signal(signal.SIGKILL)
    return ended(process, root, began)


def resumed(root: Path, cache: Path, address: str) -> Ran:
    """The proof on the cluster, of which jaxfix is killed once something is kept, and started again."""
    process = start(root, cache, "--on", f"dask://{address}")
    runs = cache / "jaxfix" / "runs"
    while process.poll() is None and len(list(runs.glob("?" * 64))) < 3:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    began = time.monotonic()
    return ended(start(root, cache, "--on", f"dask://{address}"), root, began)


def reused(ran: Ran) -> int:
    """How many runs the second `apply` did not make."""
    said = re.search(r"reused (\d+) runs?|of (\d+) verdicts?", ran.notes)
    return int(said[1] or said[2]) if said else 0


def page() -> str:
    """The section of the page, from runs that are made for it."""
    others = Others()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = project(folder / "project")
        local = _told(here(root, folder / "cache-here"))
        (folder / "dask").mkdir()
        with cluster(folder / "dask") as (address, workers):
            death = _told(with_a_death(root, folder / "cache-death", address, workers))
            again = _told(resumed(root, folder / "cache-again", address))
    proven = sum(verdict == "proven" for verdict, _ in local.figures.values())
    cases = sum(len(compared) for _, compared in local.figures.values())
    rows = (
        ("processes of this machine", local, ""),
        (f"{WORKERS} workers, one killed while it ran a job", death, f"{WORKERS - 1} were left"),
        ("jaxfix killed in the middle, and started again", again, f"{reused(again)} results known from before"),
    )
    lines = [
        "## On a cluster",
        "",
        "Written by `python -m benchmarks.fleet`: a package of three optimizers with one fix each, 12 cases in jobs of",
        f"six, proven here and on a dask scheduler with {WORKERS} workers of one thread on this machine, which has "
        f"{os.cpu_count()} processors,",
        f"of which other work kept {others.processors():.1f} busy. Equal means: the same verdict of each fix, and the",
        "same compiles in each case.",
        "",
        "| where | fixes proven | verdicts and compiles | seconds | |",
        "|---|---|---|---|---|",
        *(
            f"| {where} | {sum(v == 'proven' for v, _ in ran.figures.values())} of {len(ran.figures)} "
            f"| {'equal' if ran.figures == local.figures else '**different**'} | {ran.seconds:.0f} | {remark} |"
            for where, ran, remark in rows
        ),
        "",
        f"{proven} of {len(local.figures)} fixes are proven by {cases} comparisons.",
    ]
    return "\n".join(lines)


def _told(ran: Ran) -> Ran:
    print(f"{ran.seconds:.0f} s\n{ran.notes}", file=sys.stderr, flush=True)
    return ran


def write(begins: str, told: str, ends: str) -> None:
    """Puts a section into the page, in the place of the one between these marks."""
    text = PAGE.read_text()
    section = f"{begins}\n{told}\n{ends}\n"
    before, _, rest = text.partition(begins)
    after = rest.partition(f"{ends}\n")[2] if rest else ""
    PAGE.write_text(f"{before.rstrip()}\n\n{section}{after}" if not rest else f"{before}{section}{after}")
    print(section)


def main() -> None:
    write(BEGINS, page(), ENDS)


if __name__ == "__main__":
    main()
