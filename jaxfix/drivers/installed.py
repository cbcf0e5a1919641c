"""Installed modules: found by name on a search path, without importing anything."""

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

FOLDERS = ("site-packages", "dist-packages")


@frozen
class Installed:
    """A module, or a package with its submodules, that pip put there; it is never written.

    Attributes:
      name: dotted, as asked for.
      location: the folder on the search path that holds its top-level package.
      files: its sources, in the order of their paths.
    """

    name: str
    location: Path
    files: tuple[Path, ...]

    @property
    def package(self) -> str:
        """The top-level name."""
        return self.name.partition(".")[0]


def search_path(python: str | None) -> tuple[Path, ...]:
    """Where `python`, or else the Python that runs jaxfix, looks for modules.

    Raises:
      UserError: `python` does not run.
    """
    if python is None:
        return tuple(Path(entry) for entry in sys.path if entry)
    import json
    import subprocess

    try:
        done = subprocess.run(
            [python, "-c", "import json, sys; print(json.dumps([entry for entry in sys.path if entry]))"],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONSAFEPATH": "1"},  # a `json.py` of the working folder is not to be run
        )
    except OSError as error:
        raise UserError(f"`{python}` does not run: {(error.strerror or str(error)).lower()}") from error
    if done.returncode:
        raise UserError(f"`{python}` does not run Python: exit code {done.returncode}")
    return tuple(Path(entry) for entry in json.loads(done.stdout))


def version(name: str, where: Iterable[Path]) -> tuple[int, ...] | None:
    """The version of the distribution that is first on the search path `where`, as far as it is numbers.

    Read from the names of files alone: to load `importlib.metadata` takes longer than many a check.
    """
    for folder in where:
        for entry in _names(folder):
            if entry.lower().startswith(f"{name}-") and entry.endswith(".dist-info"):
                release = re.match(r"\d+(\.\d+)*", entry[len(name) + 1 :])
                return tuple(map(int, release[0].split("."))) if release is not None else None
    return None


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # a path that is not there, a file, an archive
        return []


def find(name: str, where: tuple[Path, ...]) -> Installed | None:
    """The module called `name`; None if it has no Python source on the path.

    By paths alone, as `importlib` would find it: a package before a module, both before a namespace package.
    """
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    for location in where:
        source = _source(location, parts)
        if source is not None:
            return Installed(name, location, source)
    for location in where:
        portion = location.joinpath(*parts)
        found = _sources_under(portion)
        if found:
            return Installed(name, location, found)
    return None


def holding(path: Path) -> Installed | None:
    """The installed module that the file or folder `path` belongs to; None if it is not in site-packages."""
    absolute = path.absolute()
    location = next((folder for folder in absolute.parents if folder.name in FOLDERS), None)
    if location is None:
        return None
    parts = absolute.relative_to(location).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Installed(name, location, _sources_under(absolute) if absolute.is_dir() else (absolute,))


def _source(location: Path, parts: list[str]) -> tuple[Path, ...] | None:
    place = location.joinpath(*parts)
    if (place / "__init__.py").is_file():
        return _sources_under(place)
    module = place.with_name(f"{place.name}.py")
    return (module,) if module.is_file() else None


def _sources_under(folder: Path) -> tuple[Path, ...]:
    """Every module there but tests: no `.gitignore` removes what pip installed as a package."""
    return tuple(sorted(path for path in folder.rglob("*.py") if not is_test(path.relative_to(folder))))


def is_test(path: Path) -> bool:
    """Whether a package ships `path` for its own tests, which its users do not run."""
    return "tests" in path.parts or path.stem.startswith("test_") or path.stem.endswith("_test")
