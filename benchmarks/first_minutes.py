"""`python -m benchmarks.first_minutes`: the first minutes of a newcomer, timed; writes docs/evidence/first-minutes.md.

A fresh environment, a clone of what is committed here, an empty cache of pip: install, the first finding, the first
receipt, the first trace, undo. Needs the registry of packages, git and rich.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from benchmarks.pictures import terminal

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "first-minutes.md"
PICTURE = ROOT / "docs" / "images" / "first-minutes.svg"
_INSTALL = "python -m pip install -q --no-cache-dir '.[prove]'"
_STEPS = (
    ("The first finding", "jaxfix check examples/train.py"),
    ("The first trace", "jaxfix trace -- python examples/train.py"),
    ("The first receipt", "jaxfix apply examples/train.py --run 'python examples/train.py'"),
    ("All bytes back", "jaxfix undo"),
)
_LEAD = """\
# The first minutes

Written by `python -m benchmarks.first_minutes`: a fresh environment and a clone, an empty cache of pip, the commands in
this order. Seconds are those of the clock, on a shared machine with {processors} processors and a load of {load} when
it began; Python {python}.

| step | command | seconds | since the beginning |
|---|---|---|---|
{rows}

![the same on a terminal](../images/first-minutes.svg)
"""


@dataclass
class Timed:
    """What was done so far; `told` is what the terminal showed."""

    begun: float = field(default_factory=time.perf_counter)
    rows: list[str] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)

    def add(self, step: str, line: str, took: float, text: str) -> None:
        since = time.perf_counter() - self.begun
        self.rows.append(f"| {step} | `{line}` | {took:.0f} | {since:.0f} |")
        self.told.append((line, text))


def main() -> None:
    """Does it all in a folder of its own."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "jaxfix"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        home = Path(name) / "home"
        home.mkdir()
        os.environ.update(HOME=str(home), XDG_CACHE_HOME=str(home / "cache"), XDG_DATA_HOME=str(home / "data"))
        timed = Timed()
        binaries = _installed(folder, Path(name) / "venv", timed)
        os.environ["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
        for step, line in _STEPS:
            _done(step, line, folder, binaries, timed, name)
    PAGE.write_text(_page(timed, load))
    terminal.draw(timed.told, PICTURE, "the first minutes")


def _installed(folder: Path, place: Path, timed: Timed) -> Path:
    """Makes the environment, and installs into it; where its commands are."""
    begun = time.perf_counter()
    venv.create(place, with_pip=True)
    binaries = place / ("Scripts" if sys.platform == "win32" else "bin")
    command = [str(binaries / "python"), *terminal.words(_INSTALL)[1:]]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    timed.add("Install", _INSTALL, time.perf_counter() - begun, "")
    return binaries


def _done(step: str, line: str, folder: Path, binaries: Path, timed: Timed, name: str) -> None:
    begun = time.perf_counter()
    command, *rest = terminal.words(line)
    text = terminal.shown([str(binaries / command), *rest], folder).replace(name, "~")
    timed.add(step, line, time.perf_counter() - begun, text)


def _page(timed: Timed, load: float) -> str:
    lead = _LEAD.format(
        processors=os.cpu_count(), load=f"{load:.1f}", python=platform.python_version(), rows="\n".join(timed.rows)
    )
    parts = [f"```console\n$ {line}\n{Text.from_ansi(text).plain.rstrip()}\n```" for line, text in timed.told[1:]]
    return "\n\n".join((lead.rstrip(), "## What it said", *parts)) + "\n"


if __name__ == "__main__":
    main()
