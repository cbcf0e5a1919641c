"""Runs that were made before count where nothing that they depend on has changed.

A run is found by all that is known before it: the sources, whole; what is copied, file by file; command, folder and
options; the observed functions; the variables of the environment; the machine; jaxfix itself. It counts if what it has
read elsewhere (the modules of libraries, Python's own, data) is as it was, and the same packages are installed.
"""

import hashlib
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Protocol

from jaxfix.evidence import shadow
from jaxfix.evidence.probe.files import is_inside
from jaxfix.evidence.probe.reads import state_of
from jaxfix.evidence.run import digest_of
from jaxfix.evidence.runs import Runner
from jaxfix.report.measurement import Measurement
from jaxfix.source.frozen import frozen

_PACKAGES = re.compile(r"(?P<folder>.*[\\/](?:site|dist)-packages)[\\/]")
_OF_THE_TERMINAL = re.compile(
    r"_|SHLVL|PWD|OLDPWD|WINDOWID|TERM_SESSION_ID|TMUX(_PANE)?|STY|SSH_(AUTH_SOCK|CLIENT|CONNECTION|TTY)|VTE_VERSION|"
    r"XDG_SESSION_.*|DBUS_.*|GPG_.*|INVOCATION_ID|JOURNAL_STREAM|PYTEST_.*|VSCODE_.*|PS1|HISTFILE"
)
"""Variables that describe the terminal and the user; every other one counts."""
_MACHINE = ("/proc/driver/nvidia/version", "/proc/driver/nvidia/gpus", "/dev/accel0", "/dev/kfd")


@frozen
class Kept:
    """A completed run.

    Attributes:
      when: UTC, ISO 8601.
      elsewhere: what it has read that was not copied, with size and time.
      installed: a digest of the names of what is installed in each folder of packages that it has read.
    """

    when: str
    elsewhere: dict[str, str]
    installed: dict[str, str]
    run: Measurement

    def holds(self) -> bool:
        """Whether all of that is as it was."""
        return all(state_of(path) == state for path, state in self.elsewhere.items()) and all(
            _installed(folder) == names for folder, names in self.installed.items()
        )


class Shelf(Protocol):
    """Where runs are kept, by name."""

    def find(self, name: str) -> Kept | None:
        """The run of that name; None where there is none that can be read."""
        ...

    def keep(self, name: str, kept: Kept) -> None:
        """Keeps it, in the place of an older one; if it cannot be kept, nothing happens."""
        ...


class Repeatable(Runner, Protocol):
    """A runner that says what its runs depend on."""

    def measure(
        self,
        sources: Mapping[str, bytes | None],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """One run of each case; None in the place of a source that is not to be there."""
        ...

    def batches(
        self, sources: Mapping[str, bytes | None], cases: frozenset[str], *, beside: bool = True, again: bool = False
    ) -> Iterator[tuple[Measurement, ...]]:
        """The same as the runs end, some at a time."""
        ...

    def prepare(self, known: Callable[[Callable[[], Measurement]], Measurement]) -> None:
        """Learns which cases there are, if that takes a run: one that `known` makes, or has from before."""
        ...

    def cases(self) -> tuple[str, ...]: ...

    def copied(self, sources: Mapping[str, bytes | None]) -> tuple[Path, ...]: ...

    def depends_on(self) -> Mapping[str, object]: ...


class Reusing:
    """A runner that reuses the runs on `shelf`.

    A proof may ask for one run several times, to see what two equal runs differ by: those stay several.

    Args:
      is_here: whether what runs have read is on this machine; else what is installed there is part of their names.

    Attributes:
      made: how many runs were made.
      compiles: how many compiles they had.
      seconds: how long they took, also those that went on at the same time.
      reused: when those were made that were not made again.
    """

    def __init__(self, runner: Repeatable, shelf: Shelf, *, is_here: bool = True) -> None:
        self.repeats, self.calls_originals, self.command = runner.repeats, runner.calls_originals, runner.command
        self.sha256, self.original, self.room = runner.sha256, runner.original, runner.room
        self.made, self.compiles, self.seconds, self.reused = 0, 0, 0.0, list[str]()
        self._runner, self._shelf, self._is_here = runner, shelf, is_here
        self._asked: dict[str, int] = {}

    def expected(self) -> Mapping[str, frozenset[str] | None]:
        """As the runner does."""
        self._runner.prepare(self._known)
        return self._runner.expected()

    def measure(
        self,
        sources: Mapping[str, bytes | None],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """As the runner does."""
        self._runner.prepare(self._known)
        base = self._base(sources, beside=beside, again=again)
        names = {case: self._turn(f"{base} {case}") for case in self._runner.cases() if cases is None or case in cases}
        found = {case: kept.run for case, name in names.items() if (kept := self._found(name)) is not None}
        missing = frozenset(names) - found.keys()
        if missing:
            began = time.monotonic()
            for runs in self._runner.batches(sources, missing, beside=beside, again=again):
                self.made += len(runs)
                self.compiles += sum(len(run.compiles) for run in runs)
                found |= {run.case: run for run in runs}
                if self._base(sources, beside=beside, again=again) == base:  # nothing was changed in between
                    for run in runs:
                        self._keep(names[run.case], run, self._runner.copied(sources))
            self.seconds += time.monotonic() - began
        return tuple(found[case] for case in names)

    def _known(self, make: Callable[[], Measurement]) -> Measurement:
        """What the runner has to know before its runs: no run of the proof, and not counted as one."""
        base = self._base({}, beside=False)
        name = self._turn(f"{base} known before")
        kept = self._shelf.find(name)
        if kept is not None and kept.holds():
            return kept.run
        run = make()
        if self._base({}, beside=False) == base:
            self._keep(name, run, self._runner.copied({}))
        return run

    def _turn(self, name: str) -> str:
        """A name of its own for each time that the same is asked for."""
        turn = self._asked[name] = self._asked.get(name, 0) + 1
        return hashlib.sha256(f"{name} {turn}".encode(errors="surrogateescape")).hexdigest()

    def _found(self, name: str) -> Kept | None:
        kept = self._shelf.find(name)
        if kept is None or not kept.holds():
            return None
        self.reused.append(kept.when)
        return kept

    def _keep(self, name: str, run: Measurement, copied: Iterable[Path]) -> None:
        if run.reads is None or run.stopped == "at the time limit":  # another time it may come further
            return
        reads = dict(_elsewhere(run.reads, tuple(copied))) if self._is_here else {}
        folders = {found["folder"] for path in reads if (found := _PACKAGES.match(path))}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._shelf.keep(name, Kept(now, reads, {folder: _installed(folder) for folder in folders}, run))

    def _base(self, sources: Mapping[str, bytes | None], *, beside: bool, again: bool = False) -> str:
        """A digest of all that a run depends on as far as that is known before it."""
        known = {
            **self._runner.depends_on(),
            "beside": beside,
            "again": again,
            "sources": sorted((path, digest_of(text)) for path, text in sources.items()),
            "copied": [(str(place), shadow.digest(place)) for place in self._runner.copied(sources)],
            "environment": sorted(_environment()),
            "machine": machine(),
            "jaxfix": jaxfix(),
        }
        return hashlib.sha256(json.dumps(known).encode(errors="surrogateescape")).hexdigest()


def _elsewhere(reads: Mapping[str, str], copied: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """The files that a run has read outside any copy."""
    places = {str(place): place for place in copied}
    is_linked = cache(lambda folder, place: shadow.is_linked(folder / "any", place))
    for name, state in reads.items():
        mine = next((place for text, place in places.items() if is_inside(name, text)), None)
        if mine is None or is_linked(Path(name).parent, mine):
            yield name, state


def _installed(folder: str) -> str:
    """A digest of the names of installed packages, which include their versions."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info", ".pth")))
    except OSError:
        names = []
    return hashlib.sha256("\n".join(names).encode(errors="surrogateescape")).hexdigest()


def _environment() -> Iterator[tuple[str, str]]:
    """The variables that a program may read; only digests of what they say are kept."""
    for name, value in os.environ.items():
        if not _OF_THE_TERMINAL.fullmatch(name):
            yield name, value


@cache
def machine() -> list[object]:
    """The machine that programs run on, as far as known without starting a process."""
    found: list[object] = [*platform.uname(), os.cpu_count(), _model()]
    if hasattr(os, "sched_getaffinity"):
        found.append(sorted(os.sched_getaffinity(0)))
    for name in _MACHINE:
        path = Path(name)
        found.append(
            sorted(os.listdir(path)) if path.is_dir() else path.read_text() if path.is_file() else path.exists()
        )
    return found


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


@cache
def jaxfix() -> str:
    """A digest of the sources of jaxfix."""
    return shadow.digest(Path(__file__).parents[1])
