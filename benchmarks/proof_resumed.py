"""Writes a part of `docs/evidence/proof.md`: what a proof that is killed saves the next one.

python -m benchmarks.proof_resumed

From the root of a clone, with `.[prove]` installed. A program with three fixes, one of which is wrong, by the codemod
of the tests: proven without a pause, then killed (SIGKILL) when a run of it has ended, and asked for again.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "proof.md"
BEGINS, ENDS = "<!-- benchmarks.proof_resumed begins -->", "<!-- benchmarks.proof_resumed ends -->"
KILLED_AFTER = (3, 6)
_REUSED = re.compile(r"reused (?:(\d+) of \d+ verdicts?|\d+ runs?)")
_LIMIT_S = 600.0
PROGRAM = """\
import sys

import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def wrong(x):
    return jax.jit(lambda v: v * 3)(x)


def right(x):
    return jax.jit(lambda v: v * 2)(x)


def other(x):
    return jax.jit(lambda v: v * 2)(x)


for step in range(4):
    x = other(right(wrong(jnp.arange(3.0) + step)))
print(x)
with open(sys.argv[1], "a") as runs:
    runs.write("x")
"""
_LEAD = """\
Written by `python -m benchmarks.proof_resumed`: `jaxfix apply --run` of a program with three fixes, two right and one
wrong, is killed with SIGKILL as soon as so many runs of the program have ended, and asked for again.
[Kept runs](../evidence.md#runs-that-are-not-made-again) count, so the second proof goes on where the first one was."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A killed proof and the one after it.

    Attributes:
      before: runs that had ended when it was killed.
      reused: verdicts of the next one that no run was made for.
      after: runs that it made.
      verdicts: of the next one, by line.
    """

    before: int
    reused: int
    after: int
    verdicts: tuple[str, ...]


class Place:
    """A project of its own, and a user who has kept nothing yet."""

    def __init__(self, folder: Path) -> None:
        self.project, self.runs, self._cache = folder / "project", folder / "runs", folder / "cache"
        self.project.mkdir()
        (self.project / "train.py").write_text(PROGRAM)

    def start(self) -> subprocess.Popen[str]:
        """The proof, which writes nothing."""
        places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods", ROOT / "tests" / "pack")))
        environment = os.environ | {"PYTHONPATH": places, "XDG_CACHE_HOME": str(self._cache), "NO_COLOR": "1"}
        run = f"{sys.executable} train.py {self.runs}"
        words = [sys.executable, "-m", "jaxfix", "apply", "--select", "tiny-ready", "--diff", "--run", run, "train.py"]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, cwd=self.project, env=environment, stdout=pipe, stderr=pipe, text=True)

    def made(self) -> int:
        """Runs that have ended so far."""
        return self.runs.stat().st_size if self.runs.exists() else 0


def proven() -> tuple[int, tuple[str, ...]]:
    """The runs and the verdicts of a proof that nobody kills."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        _, told = place.start().communicate(timeout=_LIMIT_S)
        return place.made(), _verdicts(told)


def resumed(number: int) -> Resumed:
    """A proof that is killed when so many runs have ended, and the next one."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder))
        first = place.start()
        while place.made() < number and first.poll() is None:
            time.sleep(0.05)
        time.sleep(2.0)  # what the last run has left is read
        first.kill()
        first.communicate()
        time.sleep(20.0)  # a program that has begun is no child of the next proof
        before = place.made()
        _, told = place.start().communicate(timeout=_LIMIT_S)
        said = _REUSED.search(told)
        return Resumed(before, int((said and said[1]) or 0), place.made() - before, _verdicts(told))


def _verdicts(told: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"^(\w[\w ]*?)  tiny-ready  (train\.py:\d+)", told, re.MULTILINE)))


def _rows() -> Iterator[str]:
    with ThreadPoolExecutor() as at_once:
        plain = at_once.submit(proven)
        killed = [at_once.submit(resumed, number) for number in KILLED_AFTER]
    whole, expected = plain.result()
    yield _LEAD
    yield ""
    yield f"A proof that nobody has killed makes **{whole}** runs."
    yield ""
    yield "| runs ended before the kill | verdicts reused, of 3 | runs made after | runs saved | same verdicts |"
    yield "|---|---|---|---|---|"
    for found in (each.result() for each in killed):
        same = "yes" if found.verdicts == expected else "no"
        yield f"| {found.before} | {found.reused} | {found.after} | {whole - found.after} | {same} |"


def main() -> None:
    """Measures, and writes the section."""
    section = "\n".join((BEGINS, "## A killed proof that resumes", "", *_rows(), ENDS))
    page = PAGE.read_text()
    if BEGINS in page:
        page = page[: page.index(BEGINS)] + section + page[page.index(ENDS) + len(ENDS) :]
    else:
        page = f"{page.rstrip()}\n\n{section}\n"
    PAGE.write_text(page)
    print(section)


if __name__ == "__main__":
    main()
