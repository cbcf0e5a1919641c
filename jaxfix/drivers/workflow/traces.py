"""Stored traces, and their facts about the sources of a command."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.engine.holding import holdings
from jaxfix.engine.seen import Sighting, is_stale, sightings
from jaxfix.engine.warm import regions
from jaxfix.report.measurement import Measurement
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.compiles import Compiled, compiled, places
from jaxfix.report.trace.held import Held, held
from jaxfix.report.trace.hot import Hot, hot
from jaxfix.report.trace.trace_file import Trace, TracedSource
from jaxfix.source.errors import EvidenceError
from jaxfix.source.source_file import NOTEBOOK, SourceFile

_NAMED = 3
"""How many files of a trace a message names."""


def read_trace(path: str) -> Trace:
    """Reads what `jaxfix trace -o` wrote.

    Raises:
      SourceError: the file cannot be read.
      EvidenceError: it is not a trace, or one of another schema.
    """
    if Path(path).is_dir():
        raise EvidenceError(f"{path}: a folder, not a trace", hint="name the file that `jaxfix trace -o FILE` wrote")
    return trace_file.load(files.read_bytes(Path(path)), path)


def traced(measurement: Measurement, words: tuple[str, ...], version: str) -> Trace:
    """The trace of a run that has just ended here; files that are gone since are left out of its sources."""
    sources: dict[str, TracedSource] = {}
    for path, lines in trace_file.named_lines(measurement).items():
        if Path(path).is_file():
            sources[path] = trace_file.traced_source(files.read_bytes(Path(path)), lines, path)
    return Trace(version, words, Path.cwd().as_posix(), measurement, sources)


@dataclass(slots=True)
class Sights:
    """The facts of one trace about the analysed sources, in order."""

    trace: Trace
    _rows: tuple[Compiled, ...] = ()
    _regions: tuple[Hot, ...] = ()
    _held: tuple[Held, ...] = ()
    _names: dict[Path, str] = field(default_factory=dict)
    _met: list[str] = field(default_factory=list)
    _stale: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = compiled(self.trace.measurement.compiles)
        self._regions = hot(self.trace.measurement)
        self._held = held(self.trace.measurement.compiles)
        for name in self.trace.sources:
            self._names[files.resolved(self._base(name) / name)] = name

    def of(self, path: Path | None, source: SourceFile) -> tuple[Sighting, ...]:
        """What was compiled again, seen from `source`."""
        name = self._name(path, source)
        if name is None:
            return sightings(self._rows, None, None, source)
        self._met.append(name)
        if is_stale(self.trace.sources[name], source):
            self._stale.append(source.path)
        return sightings(self._rows, name, self.trace.sources[name], source)

    def hot(self, path: Path | None, source: SourceFile) -> tuple[Hot, ...]:
        """Where the run spent time besides compiling, in the lines of `source`."""
        name = self._name(path, source)
        return regions(self._regions, name, self.trace.sources[name], source) if name is not None else ()

    def held(self, path: Path | None, source: SourceFile) -> tuple[Held, ...]:
        """What programs hold because of the lines of `source`."""
        name = self._name(path, source)
        return holdings(self._held, name, self.trace.sources[name], source) if name is not None else ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the trace that are here, as they are named from here."""
        found = (path for path in self._names if path.suffix in (".py", NOTEBOOK) and path.is_file())
        return tuple(dict.fromkeys(files.shown(path) for path in found))

    def notes(self) -> tuple[str, ...]:
        """Warns how the trace differs from the analysed sources."""
        if not self._met:
            return (f"the trace is of other files: {_listed(self.trace.sources)}",)
        if not self._stale:
            return ()
        verb = "has" if len(self._stale) == 1 else "have"
        told = f"{_listed(self._stale)} {verb} changed since the trace: only its unchanged lines are used"
        return (told,)

    def _base(self, name: str) -> Path:
        """The folder that a name of the trace starts from: where it ran, if that is the same project, else here."""
        here, ran = files.resolved(Path.cwd()), files.resolved(Path(self.trace.root))
        is_near = here.is_relative_to(ran) or ran.is_relative_to(here)
        order = (ran, here) if is_near else (here, ran)
        return next((base for base in order if (base / name).is_file()), here)

    def _name(self, path: Path | None, source: SourceFile) -> str | None:
        """What the trace calls a source: by its place, or by its contents, wherever it was then."""
        named = self._names.get(files.resolved(path)) if path is not None else None
        alike = (name for name, then in self.trace.sources.items() if not is_stale(then, source))
        return named or next(alike, None)


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    shown = ", ".join(f"`{name}`" for name in found[:_NAMED])
    return (f"{shown} and {len(found) - _NAMED} more" if len(found) > _NAMED else shown) or "none of the user's"


def from_here(measurement: Measurement) -> Measurement:
    """The same with the paths of its lines as they are named from here."""

    def chain(entries: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_renamed(entry) for entry in entries)

    compiles = tuple(
        replace(
            c,
            path=_shown(c.path),
            chain=chain(c.chain),
            of=c.of and _renamed(c.of),
            noted=tuple(replace(each, path=_shown(each.path)) for each in c.noted),
        )
        for c in measurement.compiles
    )
    spent = tuple(replace(s, path=_shown(s.path), chain=chain(s.chain)) for s in measurement.spent)
    where = measurement.where_steps
    return replace(
        measurement, compiles=compiles, spent=spent, where_steps=where and where.replace(f"{Path.cwd()}{os.sep}", "")
    )


def _renamed(entry: str) -> str:
    """A line of a chain, `file:line in function`, with its file named from here."""
    found = places((entry,))
    return f"{replace(found[0], path=_shown(found[0].path)).where} in {found[0].function}" if found else entry


def _shown(path: str) -> str:
    return path if path.startswith("<") or not Path(path).is_absolute() else files.shown(Path(path))
