"""What PATH arguments mean: files, folders, `-`, or the names of installed modules; and which codemods run on each."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jaxfix.drivers import files, installed, walking
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.neighbours import Neighbours
from jaxfix.drivers.places import Places
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.stored import Stored
from jaxfix.drivers.surroundings import Admitted, Helper, Placed, named_helper, origins, placed
from jaxfix.drivers.workflow.admitted import Versions, least
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.traces import Sights, read_trace
from jaxfix.engine import config as configuration
from jaxfix.engine.config import Config
from jaxfix.engine.registry import load_registry
from jaxfix.engine.seen import Sighting
from jaxfix.report.finding import Change
from jaxfix.report.trace.drifts import drifts
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.errors import ConfigError, ForeignNotebookError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

STDIN = "-"
LARGEST_BYTES = 1_000_000
"""What was written by a program, and is larger, takes minutes and a gigabyte: it is analysed if it is asked for."""


@frozen
class Target:
    """One source to analyse; `path` is None for stdin, `module` None for a source that is not installed.

    `seen` is what a traced run of `run_s` seconds compiled again, as this source sees it, and `surroundings` what its
    place tells of it, where that run spent its time, and other files once they were analysed. `helper` is
    the generated file that it would import from; None where there is no place for one.
    `baseline` is the file of known findings that the configuration names. `around` are the files of the project that
    are not targets.
    """

    source: SourceFile
    codemods: tuple[Codemod, ...]
    path: Path | None
    module: Installed | None
    seen: tuple[Sighting, ...] = ()
    surroundings: Surroundings = ALONE
    helper: Helper | None = None
    baseline: Path | None = None
    around: Around | None = field(default=None, compare=False)
    run_s: float = 0.0


@frozen
class Targets:
    """All that a command looks at; `errors` are sentences. `run` is the program that the configuration names.

    `notes` say what was skipped, and how a trace goes with what is analysed. Where it is not complete, a file that
    is not among the targets may do anything to those that are.
    """

    targets: tuple[Target, ...]
    errors: tuple[str, ...]
    run: str | None
    notes: tuple[str, ...] = ()
    is_complete: bool = True


@frozen
class _Place:
    path: Path
    module: Installed | None


def find_targets(request: Request, sights: Sights | None = None, *, keeps_texts: bool = True) -> Targets:
    """Reads everything that `request` names; what cannot be found or read becomes an error, the rest goes on.

    Args:
      sights: of a trace that is at hand already.
      keeps_texts: keep the texts in memory; else each is read again on demand.

    Raises:
      ConfigError: an option says nothing.
      EvidenceError, SourceError: `--trace` names no trace.
    """
    if sights is None and request.trace is not None:
        sights = Sights(read_trace(request.trace))
    if sights is not None and not request.paths:
        request = replace(request, paths=sights.paths)
    registry = load_registry()
    _check(request, registry.codemods)
    settings = _Settings(registry.codemods, request, keeps_texts)
    errors = [str(failure) for failure in registry.failures] + settings.wrong_options()
    found, foreign = [], []
    for place in (*([None] if STDIN in request.paths else []), *_places(request, settings.roots.places, errors)):
        try:
            target = settings.stdin() if place is None else settings.target(place)
        except ForeignNotebookError as error:
            if place is None:
                errors.append(str(error))  # a filter that says nothing would empty the file
            elif settings.is_named(place.path):
                foreign.append(str(error))
            continue
        except (SourceError, ConfigError) as error:
            errors.append(str(error))
            continue
        found += [target] if target is not None else []
    found = _settled(found, settings, errors)
    run = settings.run(found)
    too_new = settings.versions.too_new() if request.ends is None else ()
    notes = (*settings.passed_over, *foreign, *too_new)
    if sights is not None:
        found = [seen_by(sights, target) for target in found]
        notes += sights.notes()
    is_complete = not errors and not settings.passed_over
    return Targets(tuple(found), tuple(dict.fromkeys(errors)), run, notes, is_complete)


def seen_by(sights: Sights, target: Target) -> Target:
    """The target with what a traced run has seen of it."""
    seen, hot = sights.of(target.path, target.source), sights.hot(target.path, target.source)
    holds = sights.held(target.path, target.source)
    lost = (each for it in seen for each in drifts(it.origin.cause, is_here=it.line is not None))
    surroundings = replace(target.surroundings, hot=hot, held=holds, drifts=tuple(dict.fromkeys(lost)))
    return replace(target, seen=seen, surroundings=surroundings, run_s=sights.trace.measurement.seconds)


def _settled(found: Sequence[Target], settings: "_Settings", errors: list[str]) -> list[Target]:
    """The targets, with the facts that follow from their paths."""
    told = []
    around = settings.around(found)
    for target in found:
        try:
            told.append(replace(settings.settled(target), around=around))
        except ConfigError as error:
            errors.append(str(error))
    return told


def _check(request: Request, codemods: Sequence[Codemod]) -> None:
    if request.stdin_filename is not None and STDIN not in request.paths:
        raise ConfigError("`--stdin-filename` names what `-` reads, and `-` is not among the paths")
    if request.select == ():
        known = ", ".join(f"`{name}`" for name in sorted(codemod.id for codemod in codemods))
        raise ConfigError("`--select` names no codemod", hint=f"the codemods are {known}")


@dataclass
class _Settings:
    """The configuration of each file, looked for once per folder and read once per pyproject.toml."""

    codemods: tuple[Codemod, ...]
    request: Request
    keeps_texts: bool
    _read: dict[Path, Config | ConfigError | None] = field(default_factory=dict)
    _holding: dict[Path, tuple[Path | None, Config]] = field(default_factory=dict)
    _chosen: dict[tuple[Config, str], tuple[Codemod, ...]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)
    roots: Roots = field(default_factory=Roots)

    @cached_property
    def versions(self) -> Versions:
        """The interpreter and versions that the analysed projects run with."""
        return Versions(self.request.python)

    def target(self, place: _Place) -> Target | None:
        real = self.roots.places.resolved(place.path)
        base, config = self._config_in(real.parent)
        if place.module is None and self._is_left_out(place.path, base, config):
            return None
        relative = real.relative_to(base).as_posix() if base and config.per_file_ignores else place.path.name
        raw = files.read_bytes(place.path)
        source = SourceFile.decode(self.roots.places.shown(place.path), raw)
        if len(source.text) > LARGEST_BYTES and not self.is_named(place.path):
            size = f"{len(source.text) / 1_000_000:.1f} MB"
            self.passed_over.append(f"{source.path}: skipped: {size} (usually generated); name it to analyse it")
            return None
        known = _baseline(base, config) if place.module is None else None
        if place.module is None:
            self.roots.add(real, source.text)
        if not self.keeps_texts and source.notebook is None:
            source = Stored(source, place.path)
        return Target(source, self._enabled(config, relative), place.path, place.module, baseline=known)

    def settled(self, target: Target) -> Target:
        """The target, with the facts that follow from its path.

        Raises:
          ConfigError: the user has placed the helper file where no module can stand.
        """
        if target.path is None:
            return replace(target, surroundings=replace(target.surroundings, asked=self._asked(Path.cwd())))
        where = placed(target.path, target.module, self.roots)
        named = self._named_helper(target, where) if target.module is None else None
        helper = named or where.helper
        folder, versions = where.path.parent, self.versions
        admitted = versions.admitted(folder) if target.module is None else Admitted()
        told = where.told(helper, admitted, is_distributed=versions.is_distributed(where.path))
        told = replace(told, jax=versions.jax, libraries=versions.libraries, asked=self._asked(folder))
        ends = self.request.ends
        if ends is not None:
            came_from = ends.came_from or admitted.oldest or versions.pinned(folder) or admitted.newest
            told = replace(told, jax=ends.to or versions.jax, came_from=came_from, until=(), libraries=())
            told = replace(told, oldest_jax=ends.floor(admitted.oldest))
            told = replace(
                told, origins=origins(admitted, came_from), floors=least(versions.libraries, admitted.floors)
            )
        return replace(target, surroundings=told, helper=helper)

    def _asked(self, folder: Path) -> tuple[Change, ...]:
        """The changes that the options ask for, or the selection that the configuration of the folder makes."""
        config = configuration.overridden(self._config_in(folder)[1], self.request.select, ())
        return (*self.request.asked, *configuration.asked(config))

    def around(self, found: Sequence[Target]) -> Neighbours | None:
        """The other files of the projects that the user's own targets belong to."""
        own = [target.path for target in found if target.path is not None and target.module is None]
        starts = [Path(name) for name in self.request.paths if name != STDIN and os.path.exists(name)]
        return Neighbours(starts, frozenset(map(self.roots.places.resolved, own)), self.roots) if own else None

    def stdin(self) -> Target:
        name = self.request.stdin_filename or "<stdin>"
        base, config = self._config(Path(name))
        relative = files.resolved(Path(name)).relative_to(base).as_posix() if base else name
        source, codemods = SourceFile.decode(name, sys.stdin.buffer.read()), self._enabled(config, relative)
        return Target(source, codemods, None, None, baseline=_baseline(base, config))

    def wrong_options(self) -> list[str]:
        wrong = []
        for option, ids in (("--select", self.request.select or ()), ("--ignore", self.request.ignore)):
            for name in ids:
                try:
                    configuration.check_ids((name,), self._known, f"`{option}`")
                except ConfigError as error:
                    wrong.append(str(error))
        return wrong

    def run(self, found: Sequence[Target]) -> str | None:
        """The program of the first configuration that names one."""
        for target in found:
            if target.path is not None and target.module is None:
                command = self._config_in(self.roots.places.resolved(target.path).parent)[1].run
                if command is not None:
                    return command
        return None

    @property
    def _known(self) -> tuple[str, ...]:
        return tuple(codemod.id for codemod in self.codemods)

    def _enabled(self, config: Config, relative: str) -> tuple[Codemod, ...]:
        key = config, relative if config.per_file_ignores else ""
        if key not in self._chosen:
            config = configuration.overridden(config, self.request.select, self.request.ignore)
            self._chosen[key] = configuration.enabled(config, self.codemods, relative)
        return self._chosen[key]

    def _named_helper(self, target: Target, where: Placed) -> Helper | None:
        """The helper file that the user has placed elsewhere."""
        if self.request.helper is not None:
            option = f"`--helper {self.request.helper}`"
            return named_helper(option, Path(self.request.helper), where, target.source.text, self.roots)
        base, config = self._config_in(where.path.parent)
        if config.helper is None or base is None:
            return None
        key = f'`helper = "{config.helper}"`'
        return named_helper(key, base / config.helper, where, target.source.text, self.roots)

    def _is_left_out(self, path: Path, base: Path | None, config: Config) -> bool:
        if base is None or self.is_named(path):
            return False
        return walking.excluded(path, base, config.extend_exclude)

    def is_named(self, path: Path) -> bool:
        """Whether the user named this very file."""
        return files.resolved(path) in self._named_places

    @cached_property
    def _named_places(self) -> frozenset[Path]:
        return frozenset(files.resolved(Path(name)) for name in self.request.paths)

    def _config(self, path: Path) -> tuple[Path | None, Config]:
        real = self.roots.places.resolved(path)
        return self._config_in(real if real.is_dir() else real.parent)

    def _config_in(self, folder: Path) -> tuple[Path | None, Config]:
        if folder not in self._holding:
            self._holding[folder] = self._config_of(folder)
        return self._holding[folder]

    def _config_of(self, folder: Path) -> tuple[Path | None, Config]:
        pyproject = folder / "pyproject.toml"
        config = self._parsed(pyproject) if os.path.isfile(pyproject) else None
        if config is not None:
            return folder, config
        return self._config_in(folder.parent) if folder != folder.parent else (None, Config())

    def _parsed(self, pyproject: Path) -> Config | None:
        if pyproject not in self._read:
            try:
                raw = files.read_bytes(pyproject)
                self._read[pyproject] = configuration.parse(raw, files.shown(pyproject), self._known)
            except ConfigError as error:
                self._read[pyproject] = error
        config = self._read[pyproject]
        if isinstance(config, ConfigError):
            raise config
        return config


def _baseline(base: Path | None, config: Config) -> Path | None:
    return base / config.baseline if base is not None and config.baseline is not None else None


def _places(request: Request, where: Places, errors: list[str]) -> tuple[_Place, ...]:
    """Every file named or found, once, in the order of the arguments, then of the paths."""
    found: dict[object, _Place] = {}
    key = files.identity if len(request.paths) > 1 else where.resolved
    for name in request.paths:
        for place in _named(name, request.python, errors) if name != STDIN else ():
            found.setdefault(key(place.path), place)
    return tuple(found.values())


def _named(name: str, python: str | None, errors: list[str]) -> tuple[_Place, ...]:
    path = Path(name)
    module = None
    try:
        is_there = bool(name) and files.stands(path)
    except SourceError as error:
        errors.append(str(error))
        return ()
    if is_there:
        module = installed.holding(path)
        if module is None and path.is_dir():
            walked = walking.walk(path)
            errors.extend(walked.errors)
            return tuple(_Place(file, None) for file in walked.files)
        if module is None:
            return (_Place(path, None),)
    else:
        module = installed.find(name, installed.search_path(python))
    if module is None:
        errors.append(f"{name or '``'}: no such file, folder or installed module")
        return ()
    return tuple(_Place(file, module) for file in module.files)
