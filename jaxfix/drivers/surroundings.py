"""What a file's place on the disk tells of it: the name that it is imported by, and where its helper file stands."""

import os
from dataclasses import dataclass
from pathlib import Path

from jaxfix.core.facts import ALONE, Surroundings
from jaxfix.drivers import files
from jaxfix.drivers.installed import Installed
from jaxfix.engine import generated

_SOURCES = "src"


@dataclass(frozen=True, slots=True)
class Helper:
    """The generated file that one source would import from.

    Attributes:
      path: where it is, or would be.
      module: how the source names it in an import.
    """

    path: Path
    module: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A source and its import root: the folder on the search path that its dotted name starts from.

    `top` is the folder of its outermost regular package, the root itself for a script.
    """

    path: Path
    root: Path
    top: Path

    @property
    def name(self) -> str | None:
        """The dotted name; None where it cannot be imported."""
        parts = self.path.relative_to(self.root).with_suffix("").parts
        parts = parts[:-1] if self.is_package else parts
        return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def helper(self) -> Helper:
        """One for a whole package, one for all scripts of a folder."""
        parts = self.top.relative_to(self.root).parts
        return Helper(self.top / generated.SOURCE.name, ".".join((*parts, generated.MODULE)))

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(name=self.name, is_package=self.is_package, helpers=self.helper.module)


def placed(path: Path, module: Installed | None) -> Placed:
    """Where the source belongs, by folders alone."""
    real = files.resolved(path)
    if module is not None and path.is_relative_to(module.location):
        inside = path.relative_to(module.location)
        root = files.resolved(module.location)
        return Placed(root / inside, root, root / inside.parts[0] if len(inside.parts) > 1 else root)
    top = _outermost(real.parent)
    root = real.parent if top is None else top.parent
    sources = _sources_above(root)
    if sources is None:
        return Placed(real, root, top or root)
    inside = real.relative_to(sources)  # a namespace package, or plain modules
    return Placed(real, sources, top or (sources / inside.parts[0] if len(inside.parts) > 1 else sources))


def surroundings(path: Path | None, module: Installed | None) -> Surroundings:
    """What can be told of a file by its place; nothing of what stands in none."""
    return ALONE if path is None else placed(path, module).surroundings


def _outermost(folder: Path) -> Path | None:
    """The outermost regular package that holds `folder`, itself included."""
    top = None
    while folder.name.isidentifier() and os.path.isfile(folder / "__init__.py"):
        top, folder = folder, folder.parent
    return top


def _sources_above(folder: Path) -> Path | None:
    """The `src` of the project that holds `folder`, if it is laid out that way."""
    project = files.project_root(folder)
    if project is None or not folder.is_relative_to(project / _SOURCES):
        return None
    between = folder.relative_to(project / _SOURCES).parts
    return project / _SOURCES if all(part.isidentifier() for part in between) else None
