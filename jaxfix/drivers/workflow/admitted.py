"""Which versions of jax and the packages around it a run is about: those installed, and those that projects admit."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from jaxfix.drivers import installed
from jaxfix.drivers.distributed import is_distributed
from jaxfix.drivers.surroundings import Admitted, Bounds, admitted, oldest_jax, says_nothing
from jaxfix.engine.versions import Version
from jaxfix.library.changes.periods import DISTRIBUTIONS
from jaxfix.library.changes.table import CHANGED_LIBRARIES


@dataclass
class Versions:
    """Looked for once per folder, with the Python that `python` names, or else the one that runs jaxfix."""

    python: str | None
    _admitted: dict[Path, Admitted] = field(default_factory=dict)
    _pins: dict[Path, Version | None] = field(default_factory=dict)
    _distributed: dict[Path, bool] = field(default_factory=dict)

    @cached_property
    def jax(self) -> Version | None:
        """The version of jax of the Python that runs what is analysed."""
        return installed_jax(self.python)

    @cached_property
    def libraries(self) -> Bounds:
        """The versions of the packages around jax that the table of changes has rows of."""
        return installed_libraries(self.python)

    def admitted(self, folder: Path) -> Admitted:
        """What the project around a folder admits."""
        if folder not in self._admitted:
            is_silent = folder != folder.parent and says_nothing(folder)
            found = self.admitted(folder.parent) if is_silent else admitted(folder)
            self._admitted[folder] = found
        return self._admitted[folder]

    def pinned(self, folder: Path) -> Version | None:
        """The oldest jax that the project around a folder was run with."""
        if folder not in self._pins:
            self._pins[folder] = oldest_jax(folder, with_pins=True)
        return self._pins[folder]

    def is_distributed(self, path: Path) -> bool:
        """As `distributed.is_distributed`."""
        folder = path.parent
        if folder not in self._distributed:
            self._distributed[folder] = is_distributed(path)
        return self._distributed[folder]

    def too_new(self) -> tuple[str, ...]:
        """Warns that the installed jax is newer than a project admits, for the projects in question."""
        bounds = (bound for admitted in self._admitted.values() for bound in admitted.until)
        limit = min((bound for package, bound in bounds if package == "jax"), default=None)
        if limit is None or self.jax is None or self.jax < limit:
            return ()
        before, here = (".".join(map(str, version)) for version in (limit, self.jax))
        text = f"the project allows jax before {before}, and {here} is installed"
        return (f"{text}: `jaxfix upgrade` reports what newer versions removed",)


def installed_jax(python: str | None) -> Version | None:
    """The version of jax that `python`, or else the Python that runs jaxfix, has; None where it has none."""
    if python is None:
        return installed.version("jax", installed.search_path(None))
    from jaxfix.drivers import versions  # it alone needs `importlib.metadata`

    return installed.version("jax", versions.packages_of(Path(python)))


def installed_libraries(python: str | None) -> Bounds:
    """As `installed_jax`, of the packages around jax that the table of changes has rows of."""
    if python is None:
        where = tuple(installed.search_path(None))
    else:
        from jaxfix.drivers import versions

        where = tuple(versions.packages_of(Path(python)))
    names = ((package, DISTRIBUTIONS.get(package, package).replace("-", "_")) for package in CHANGED_LIBRARIES)
    found = ((package, installed.version(name, where)) for package, name in names)
    return tuple((package, version) for package, version in found if version is not None)


def least(*bounds: Bounds) -> Bounds:
    """By packages, the oldest version of all."""
    found: dict[str, Version] = {}
    for package, version in (each for some in bounds for each in some):
        found[package] = min(version, found.get(package, version))
    return tuple(found.items())
