"""Runs a program: how long it took, its own loop, what it compiled and what it printed."""

import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LOOP = "loop seconds"
"""What an adapted program prints before the seconds of its own loop: elapsed, and of the processor."""
TOLERANCE = 1e-3
"""The relative difference up to which two printed numbers agree."""
_COMPILED = re.compile(r"Finished XLA compilation of ")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)")


class Broken(Exception):
    """A program ended with an error, or too late."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Elapsed, and of the processor: on a shared machine the latter tell more."""

    elapsed: float
    processor: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run; `loop` is None where the program has none of its own, `compiles` counts what XLA compiled."""

    whole: Seconds
    loop: Seconds | None
    compiles: int
    printed: str


def run(start: str, folder: Path, limit: float) -> Run:
    """Runs the program.

    Raises:
      Broken: it ended with an error, or not within `limit` seconds.
    """
    began, used = time.perf_counter(), processor_seconds()
    done = _run([sys.executable, start], folder, limit)
    whole = Seconds(time.perf_counter() - began, processor_seconds() - used)
    lines = done.stdout.splitlines()
    loops = [tuple(map(float, line.split()[-2:])) for line in lines if line.startswith(LOOP)]
    loop = Seconds(*map(sum, zip(*loops, strict=True))) if loops else None
    printed = "\n".join(line for line in lines if not line.startswith(LOOP))
    return Run(whole, loop, len(_COMPILED.findall(done.stderr)), printed)


def median(runs: Sequence[Seconds]) -> Seconds:
    """That of each kind of seconds."""
    return Seconds(
        *(statistics.median(kind) for kind in zip(*((it.elapsed, it.processor) for it in runs), strict=True))
    )


def processor_seconds() -> float:
    """Seconds of the processor of all ended processes that this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def difference(one: str, other: str) -> str | None:
    """The first line printed that differs by more than the last digits, of both; None where the texts agree."""
    ours, theirs = one.splitlines(), other.splitlines()
    for line, twin in zip(ours, theirs, strict=False):
        if not _agree(line, twin):
            return f"{line.strip()[:60]} | {twin.strip()[:60]}"
    return None if len(ours) == len(theirs) else f"{len(ours)} lines | {len(theirs)} lines"


def _agree(line: str, twin: str) -> bool:
    if _NUMBER.split(line) != _NUMBER.split(twin):
        return False
    pairs = zip(map(float, _NUMBER.findall(line)), map(float, _NUMBER.findall(twin)), strict=True)
    return all(
        a == b or (a != a and b != b) or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), TOLERANCE) for a, b in pairs
    )


def ended(words: list[str], folder: Path, limit: float, **variables: str) -> "subprocess.CompletedProcess[str]":
    """What a command leaves, which ends with all that it has started after `limit` seconds.

    Raises:
      Broken: it did not end in time.
    """
    plain = {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | plain | variables
    with subprocess.Popen(words, cwd=folder, env=environment, text=True, start_new_session=True, **pipes) as process:
        try:
            printed, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired as late:
            os.killpg(process.pid, signal.SIGKILL)
            raise Broken(f"did not end within {limit:g} s") from late
    return subprocess.CompletedProcess(words, process.returncode, printed, said)


def _run(words: list[str], folder: Path, limit: float) -> "subprocess.CompletedProcess[str]":
    done = ended(words, folder, limit, JAX_LOG_COMPILES="1")
    if done.returncode:
        raise Broken((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:200])
    return done
