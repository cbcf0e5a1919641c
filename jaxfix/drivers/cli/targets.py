"""What PATH arguments mean: files, folders, `-`, or the names of installed modules; and which codemods run on each."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.core.errors import ConfigError, SourceError
from jaxfix.core.facts import ALONE, Surroundings
from jaxfix.core.finding import Codemod
from jaxfix.core.source import SourceFile
from jaxfix.drivers import files, installed
from jaxfix.drivers.cli.traces import Sights, read_trace
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import Helper, Placed, named_helper, placed
from jaxfix.engine import config as configuration
from jaxfix.engine.config import Config
from jaxfix.engine.project import joined
from jaxfix.engine.registry import load_registry
from jaxfix.engine.seen import Sighting

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Request:
    """What the options of a command say about where to look and for what.

    `trace` is the file of a traced run; without paths, its files are looked at. `helper` is where the generated helper
    file stands; None for beside the code, or where the configuration says.
    """

    paths: tuple[str, ...]
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    stdin_filename: str | None = None
    python: str | None = None
    trace: str | None = None
    helper: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """One source to look at; `path` is None for stdin, `module` None for what is not installed.

    `seen` is what a traced run compiled again, as this source sees it, and `surroundings` what its place and other
    files tell of it. `helper` is the generated file that it would import from; None where there is no place for one.
    """

    source: SourceFile
    codemods: tuple[Codemod, ...]
    path: Path | None
    module: Installed | None
    seen: tuple[Sighting, ...] = ()
    surroundings: Surroundings = ALONE
    helper: Helper | None = None


@dataclass(frozen=True, slots=True)
class Targets:
    """All that a command looks at; `errors` are sentences. `run` is the program that the configuration names.

    `notes` say how a trace goes with what is looked at.
    """

    targets: tuple[Target, ...]
    errors: tuple[str, ...]
    run: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    module: Installed | None


def targets(request: Request, sights: Sights | None = None) -> Targets:
    """Reads everything that `request` names; what cannot be found or read becomes an error, the rest goes on.

    Args:
      sights: of a trace that is at hand already.

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
    settings = _Settings(registry.codemods, request)
    errors = [str(failure) for failure in registry.failures] + settings.wrong_options()
    found = []
    for place in (*([None] if STDIN in request.paths else []), *_places(request, errors)):
        try:
            target = settings.stdin() if place is None else settings.target(place)
        except (SourceError, ConfigError) as error:
            errors.append(str(error))
            continue
        found += [target] if target is not None else []
    found = _settled(found, settings, errors)
    project = joined([(target.source, target.surroundings) for target in found])
    found = [replace(t, surroundings=replace(t.surroundings, project=project)) for t in found]
    run = settings.run(found)
    notes: tuple[str, ...] = ()
    if sights is not None:
        found = [replace(target, seen=sights.of(target.path, target.source)) for target in found]
        notes = sights.notes()
    return Targets(tuple(found), tuple(dict.fromkeys(errors)), run, notes)


def _settled(found: Sequence[Target], settings: "_Settings", errors: list[str]) -> list[Target]:
    """The targets with what their places tell of them."""
    own = [(files.resolved(t.path), t.source.text) for t in found if t.path is not None and t.module is None]
    roots, told = Roots(own), []
    for target in found:
        try:
            told.append(settings.settled(target, roots))
        except ConfigError as error:
            errors.append(str(error))
    return told


def _check(request: Request, codemods: Sequence[Codemod]) -> None:
    if request.stdin_filename is not None and STDIN not in request.paths:
        raise ConfigError("`--stdin-filename` names what `-` reads, and `-` is not among the paths")
    if request.select == ():
        known = ", ".join(f"`{name}`" for name in sorted(codemod.id for codemod in codemods))
        raise ConfigError("`--select` names no codemod", hint=f"the codemods are {known}")


@dataclass(slots=True)
class _Settings:
    """The configuration of each file, read once per pyproject.toml."""

    codemods: tuple[Codemod, ...]
    request: Request
    _read: dict[Path, Config | ConfigError | None] = field(default_factory=dict)

    def target(self, place: _Place) -> Target | None:
        base, config = self._config(place.path)
        if place.module is None and self._is_left_out(place.path, base, config):
            return None
        relative = files.resolved(place.path).relative_to(base).as_posix() if base else place.path.name
        source = SourceFile.decode(files.shown(place.path), files.read_bytes(place.path))
        return Target(source, self._enabled(config, relative), place.path, place.module)

    def settled(self, target: Target, roots: Roots) -> Target:
        """The target with what its place tells of it.

        Raises:
          ConfigError: the user has placed the helper file where no module can stand.
        """
        if target.path is None:
            return target
        where = placed(target.path, target.module, roots)
        named = self._named_helper(target, where, roots) if target.module is None else None
        helper = named or where.helper
        return replace(target, surroundings=where.told(helper), helper=helper)

    def stdin(self) -> Target:
        name = self.request.stdin_filename or "<stdin>"
        base, config = self._config(Path(name))
        relative = files.resolved(Path(name)).relative_to(base).as_posix() if base else name
        return Target(SourceFile.decode(name, sys.stdin.buffer.read()), self._enabled(config, relative), None, None)

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
                command = self._config(target.path)[1].run
                if command is not None:
                    return command
        return None

    @property
    def _known(self) -> tuple[str, ...]:
        return tuple(codemod.id for codemod in self.codemods)

    def _enabled(self, config: Config, relative: str) -> tuple[Codemod, ...]:
        config = configuration.overridden(config, self.request.select, self.request.ignore)
        return configuration.enabled(config, self.codemods, relative)

    def _named_helper(self, target: Target, where: Placed, roots: Roots) -> Helper | None:
        """The helper file that the user has placed elsewhere."""
        if self.request.helper is not None:
            option = f"`--helper {self.request.helper}`"
            return named_helper(option, Path(self.request.helper), where, target.source.text, roots)
        base, config = self._config(where.path)
        if config.helper is None or base is None:
            return None
        key = f'`helper = "{config.helper}"`'
        return named_helper(key, base / config.helper, where, target.source.text, roots)

    def _is_left_out(self, path: Path, base: Path | None, config: Config) -> bool:
        named = any(files.resolved(Path(name)) == files.resolved(path) for name in self.request.paths)
        return base is not None and not named and files.excluded(path, base, config.extend_exclude)

    def _config(self, path: Path) -> tuple[Path | None, Config]:
        for pyproject in files.nearest(path, "pyproject.toml"):
            config = self._parsed(pyproject)
            if config is not None:
                return pyproject.parent, config
        return None, Config()

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


def _places(request: Request, errors: list[str]) -> tuple[_Place, ...]:
    """Every file that is named or found, once, in the order of what was named, then of the paths."""
    found: dict[Path, _Place] = {}
    for name in request.paths:
        for place in _named(name, request.python, errors) if name != STDIN else ():
            found.setdefault(files.resolved(place.path), place)
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
            walked = files.walk(path)
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
