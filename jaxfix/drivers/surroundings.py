"""Facts from a file's path: its import name, and the place of its helper file."""

import os
import re
import sys
from functools import cache
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.pins import listed, nearest, text_of
from jaxfix.drivers.requirements import FORMATTERS, KINDS, declared, line_length, named
from jaxfix.drivers.roots import Roots
from jaxfix.engine import generated
from jaxfix.engine.versions import Version, last_before, oldest
from jaxfix.engine.versions import since as versions_since
from jaxfix.engine.versions import until as versions_until
from jaxfix.library.changes.periods import DISTRIBUTIONS, beside
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import is_notebook

_BOUNDED = {"jax": "jax", **DISTRIBUTIONS}
_PIN = re.compile(rb"==\s*[\w.]+")

Bounds = tuple[tuple[str, Version], ...]


@frozen
class Helper:
    """The generated file that one source would import from.

    Attributes:
      path: where it is, or would be.
      module: how the source names it in an import.
      problem: why the source cannot import it, as a sentence; None if it can.
    """

    path: Path
    module: str
    problem: str | None = None


@frozen
class Admitted:
    """What a project says that it runs with.

    Attributes:
      oldest: the oldest jax; None where it does not say.
      until: by packages, the first version that is too new.
      floors: by packages, the oldest version.
      columns: the line length of its formatter; None where it sets none.
    """

    oldest: Version | None = None
    until: Bounds = ()
    floors: Bounds = ()
    columns: int | None = None

    @property
    def newest(self) -> Version | None:
        """The newest jax, or series of it; None where it names no upper bound."""
        bound = dict(self.until).get("jax")
        return None if bound is None else last_before(bound)


@frozen
class Placed:
    """A source and its import root: the folder on the search path that its dotted name starts from.

    `top` is the folder of its outermost package, the root itself for a script.
    """

    path: Path
    root: Path
    top: Path

    @property
    def name(self) -> str | None:
        """The dotted name; None where it cannot be imported, as a notebook."""
        if is_notebook(self.path.name):
            return None
        inside = str(self.path)[len(str(self.root)) :].lstrip(os.sep)  # as `relative_to`, in a tenth of the time
        parts = os.path.splitext(inside)[0].split(os.sep)
        parts = parts[:-1] if self.is_package else parts
        return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def helper(self) -> Helper:
        """One for a whole package, one for all scripts of a folder."""
        return _helper(self.root, self.top)

    def told(self, helper: Helper, admitted: Admitted, *, is_distributed: bool) -> Surroundings:
        """The facts that codemods get from a file's path.

        Args:
          admitted: what its project says that it runs with.
          is_distributed: as `distributed.is_distributed` says of the path.
        """
        return Surroundings(
            name=self.name,
            is_package=self.is_package,
            helpers=helper.module,
            oldest_jax=admitted.oldest,
            until=admitted.until,
            floors=admitted.floors,
            is_distributed=is_distributed,
            columns=admitted.columns,
        )


@cache
def _helper(root: Path, top: Path) -> Helper:
    parts = top.relative_to(root).parts
    return Helper(top / generated.SOURCE.name, ".".join((*parts, generated.MODULE)))


def admitted(folder: Path) -> Admitted:
    """What the project around `folder` says that it runs with."""
    lengths = (line_length(text_of(file)) for file in nearest(folder, FORMATTERS))
    columns = next((columns for columns in lengths if columns is not None), None)
    return Admitted(oldest_jax(folder), until(folder), floors(folder), columns)


def says_nothing(folder: Path) -> bool:
    """Whether no file of `folder` says how its project is run or laid out: it is as the folder that holds it."""
    return not any(kind.named.fullmatch(name) for name in listed(folder) for kind in (*KINDS, FORMATTERS))


def oldest_jax(folder: Path, *, with_pins: bool = False) -> Version | None:
    """The oldest jax that the project around `folder` says it runs with; None where it does not say.

    Args:
      with_pins: for a version that it is pinned to, too: with that it was run, which is not a bound.
    """
    every = (file for kind in KINDS for file in nearest(folder, kind))
    return next((floor for file in every if (floor := _floor(file, with_pins=with_pins)) is not None), None)


def until(folder: Path) -> Bounds:
    """By packages, the first version that the project around `folder` no longer admits.

    Where a file names a package, those after it do not decide; one that names it without a bound admits all, except
    what a lock file says that it is run with.
    """
    found: dict[str, Version | None] = {}
    for kind in KINDS:
        here: dict[str, list[Version | None]] = {}
        for requirement in (each for file in nearest(folder, kind) for each in declared(file)):
            here.setdefault(named(requirement), []).append(versions_until(requirement))
        for package, distribution in _BOUNDED.items():
            is_open = package not in found or (kind.is_lock and found[package] is None)
            if is_open and distribution in here:
                bounds = [bound for bound in here[distribution] if bound is not None]
                found[package] = max(bounds) if len(bounds) == len(here[distribution]) else None
    return tuple((package, bound) for package, bound in found.items() if bound is not None)


def floors(folder: Path) -> Bounds:
    """By packages around jax, the oldest version that the project around `folder` says it runs with."""
    found: dict[str, Version] = {}
    for kind in KINDS:
        for requirement in (each for file in nearest(folder, kind) for each in declared(file)):
            bound = versions_since(requirement)
            if bound is not None:
                found.setdefault(named(requirement), bound)
    return tuple((package, found[name]) for package, name in DISTRIBUTIONS.items() if name in found)


def origins(admitted: Admitted, came_from: Version | None) -> Bounds:
    """By packages around jax, the version that code was written for.

    Args:
      came_from: that of jax, whose time decides where the project bounds a package by nothing.
    """
    newest = {package: last_before(bound) for package, bound in admitted.until}
    found = {**(beside(came_from) if came_from is not None else {}), **newest, **dict(admitted.floors)}
    return tuple((package, bound) for package, bound in found.items() if package != "jax")


def _floor(file: Path, *, with_pins: bool) -> Version | None:
    """Of Python's own files all mentioned requirements, extras and groups included; of others the listed ones."""
    own = file.name in ("pyproject.toml", "setup.cfg", "setup.py")
    said = text_of(file) if own else "\n".join(declared(file))
    return oldest(said.encode() if with_pins else _PIN.sub(b"", said.encode()))


def placed(path: Path, module: Installed | None, roots: Roots) -> Placed:
    """Where the source belongs."""
    if module is not None and path.is_relative_to(module.location):
        return Placed(path, module.location, _top(path, module.location))
    real = roots.places.resolved(path)
    if is_notebook(real.name):
        return Placed(real, real.parent, real.parent)  # it runs in its folder, and is part of no package
    found = roots.of(real)
    return Placed(real, found.folder, found.top)


def named_helper(named: str, path: Path, source: Placed, text: bytes, roots: Roots) -> Helper:
    """The helper file that the user wants at `path`, as `source` (whose text is `text`) names it.

    Args:
      named: how the user wrote it: an option, or a key of the configuration.

    Raises:
      ConfigError: no module can stand there.
    """
    wanted = placed(path, None, roots)
    name = wanted.name
    if path.suffix != ".py" or wanted.is_package or name is None:
        raise ConfigError(f"{named}: not the name of a module", hint="write a path such as `project/jaxfix_helpers.py`")
    if name in sys.stdlib_module_names:
        raise ConfigError(f"{named}: `{name}` is a module of Python's own", hint="choose another name")
    if wanted.root == source.root or _imports(text, name.partition(".")[0]):
        return Helper(wanted.path, name)
    problem = (
        f"{named}: {files.shown(source.path)} cannot import `{name}`: its own imports start at "
        f"{files.shown(source.root)}, and it imports nothing else from {files.shown(wanted.root)}"
    )
    return Helper(wanted.path, name, problem)


def _top(path: Path, location: Path) -> Path:
    """The outermost regular package of an installed source; of a namespace without any, the first folder."""
    above = [folder for folder in reversed(path.parents) if folder.is_relative_to(location) and folder != location]
    return next((folder for folder in above if os.path.isfile(folder / "__init__.py")), (above or [location])[0])


def _imports(text: bytes, package: str) -> bool:
    return re.search(rb"(?m)^[ \t]*(?:from|import)[ \t]+" + package.encode() + rb"\b", text) is not None
