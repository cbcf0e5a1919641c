"""Runs a program: how long it took, its own loop, what it compiled and what it printed."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

LOOP = "loop seconds"
"""What an adapted program prints before the seconds of its own loop."""
TOLERANCE = 1e-3
"""The relative difference up to which two printed numbers agree."""
_COMPILED = re.compile(r"Finished XLA compilation of ")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)")


class Broken(Exception):
    """A program ended with an error, or too late."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One run; times in seconds, `loop` is None where the program has none of its own."""

    wall: float
    loop: float | None
    printed: str


def timed(start: str, folder: Path, limit: float) -> Timed:
    """Runs the program.

    Raises:
      Broken: it ended with an error, or not within `limit` seconds.
    """
    began = time.perf_counter()
    done = _run([sys.executable, start], folder, limit)
    wall = time.perf_counter() - began
    lines = done.stdout.splitlines()
    loops = [float(line.split()[-1]) for line in lines if line.startswith(LOOP)]
    printed = "\n".join(line for line in lines if not line.startswith(LOOP))
    return Timed(wall, sum(loops) if loops else None, printed)


def compiles(start: str, folder: Path, limit: float) -> int:
    """How many XLA compilations the program starts.

    Raises:
      Broken: as for `timed`.
    """
    return len(_COMPILED.findall(_run([sys.executable, start], folder, limit, JAX_LOG_COMPILES="1").stderr))


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


def _run(words: list[str], folder: Path, limit: float, **variables: str) -> "subprocess.CompletedProcess[str]":
    plain = {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = os.environ | plain | variables
    try:
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as late:
        raise Broken(f"did not end within {limit:g} s") from late
    if done.returncode:
        raise Broken((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:200])
    return done
