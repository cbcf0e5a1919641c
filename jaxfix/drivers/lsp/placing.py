"""What a text's place on the disk tells of it: the configuration, the name that it is imported by, its helper file."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.drivers import files, installed, walking
from jaxfix.drivers.distributed import is_distributed
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import Admitted, Helper, admitted, named_helper, placed
from jaxfix.engine import config as configuration
from jaxfix.engine.config import Config
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.errors import ConfigError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

LARGEST = 1_000_000
"""Bytes of a text that is still analysed while it is typed in."""


@frozen
class Place:
    """How a text is analysed.

    Attributes:
      codemods: those that run on it; none where it is left out.
      module: the installed module that it is part of; None for the user's own.
      baseline: the file of findings that are known; None where the configuration names none.
      run: the program that the configuration names.
    """

    codemods: tuple[Codemod, ...]
    module: Installed | None = None
    surroundings: Surroundings = ALONE
    helper: Helper | None = None
    baseline: Path | None = None
    run: str | None = None


@dataclass
class Places:
    """The places of texts, by what was on the disk when it was first asked for them."""

    codemods: tuple[Codemod, ...]
    _read: dict[Path, Config | ConfigError | None] = field(default_factory=dict)
    _known: dict[Path | None, tuple[object, Place]] = field(default_factory=dict)

    def of(self, path: Path | None, source: SourceFile, settings: Settings) -> Place:
        """The place of the text that is, or would be, in the file at `path`; no keystroke asks the disk for it again.

        Raises:
          ConfigError: the configuration or a setting says something unknown.
        """
        matters = settings, _placing(source.text)
        if path not in self._known or self._known[path][0] != matters:
            self._known[path] = matters, self._found(path, source, settings)
        return self._known[path][1]

    def _found(self, path: Path | None, source: SourceFile, settings: Settings) -> Place:
        known = tuple(codemod.id for codemod in self.codemods)
        configuration.check_ids(settings.select or (), known, "the setting `jaxfix.select`")
        configuration.check_ids(settings.ignore, known, "the setting `jaxfix.ignore`")
        base, config = self._config(path, known) if path is not None else (None, Config())
        module = installed.holding(path) if path is not None else None
        if len(source.text) > LARGEST:
            return Place((), module)
        if path and base and module is None and walking.excluded(path, base, config.extend_exclude):
            return Place(())
        relative = files.resolved(path).relative_to(base).as_posix() if path and base else source.path
        config = configuration.overridden(config, settings.select, settings.ignore)
        chosen = configuration.enabled(config, self.codemods, relative)
        baseline = base / config.baseline if base and config.baseline and module is None else None
        if path is None:
            return Place(chosen)
        roots = Roots([(files.resolved(path), source.text)] if module is None else [])
        where = placed(path, module, roots)
        helper = where.helper
        if config.helper is not None and base is not None and module is None:
            key = f'`helper = "{config.helper}"`'
            helper = named_helper(key, base / config.helper, where, source.text, roots)
        told = where.told(
            helper,
            admitted(path.parent) if module is None else Admitted(),
            is_distributed=is_distributed(where.path),
        )
        return Place(
            chosen,
            module,
            replace(told, asked=configuration.asked(config)),
            helper,
            baseline,
            config.run,
        )

    def _config(self, path: Path, known: tuple[str, ...]) -> tuple[Path | None, Config]:
        for pyproject in files.nearest(path.parent, "pyproject.toml"):
            if pyproject not in self._read:
                self._read[pyproject] = _parsed(pyproject, known)
            config = self._read[pyproject]
            if isinstance(config, ConfigError):
                raise config
            if config is not None:
                return pyproject.parent, config
        return None, Config()


def root(path: Path, folders: list[Path]) -> Path | None:
    """The project that the file belongs to: that around it, or the folder that the editor has open if that is deeper.

    None where there is neither, and the file is alone.
    """
    real = files.resolved(path)
    around = files.project_root(real.parent)
    opened = [folder for folder in map(files.resolved, folders) if real.is_relative_to(folder)]
    return max((*opened, *([around] if around is not None else [])), key=lambda each: len(each.parts), default=None)


def _placing(text: bytes) -> tuple[object, ...]:
    """What of a text its place depends on."""
    imports = tuple(line for line in text.splitlines() if b"import" in line)
    return len(text) > LARGEST, b"__main__" in text, imports


def _parsed(pyproject: Path, known: tuple[str, ...]) -> Config | ConfigError | None:
    try:
        return configuration.parse(files.read_bytes(pyproject), files.shown(pyproject), known)
    except ConfigError as error:
        return error
    except SourceError as error:
        return ConfigError(str(error))
