"""Where the imports of a project start: by its folders, unless what its files import says otherwise."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.places import Places
from jaxfix.source.frozen import frozen
from jaxfix.source.imports import imports

_SOURCES = "src"


@frozen
class Root:
    """An entry of the search path; `top` is the folder of the outermost package below it, or itself for scripts."""

    folder: Path
    top: Path


class Roots:
    """The roots of the user's own files, whose texts are given by path, links resolved.

    Paths are strings in here: it asks for many.

    Attributes:
      places: where they are.
    """

    def __init__(self, texts: Iterable[tuple[Path, bytes]] = (), places: Places | None = None) -> None:
        self.places = places or Places()
        self._listing, self._above, self._parents = cache(_listing), cache(_above), cache(_parents)
        self._resolved, self._outermost = cache(self._resolve), cache(self._find_outermost)
        self._usual, self._leading_above = cache(_usual), cache(self._find_leading_above)
        # of each folder, and file without suffix, that an import leads to: the roots that it starts from, how often
        self._leading: dict[str, Counter[str]] = {}
        self._within: set[tuple[str, str]] = set()
        self._relative: set[str] = set()
        self._scripts: set[str] = set()
        self._started: set[str] = set()
        self._members: set[str] = set()
        for path, text in texts:
            self.add(path, text)

    def add(self, path: Path, text: bytes) -> None:
        """Takes one more file into account; the roots of all are known once all are."""
        folder, name = os.path.split(path)
        if b"__main__" in text:
            self._started.add(str(path))
        for module, times in Counter(each.module for each in imports(text)).items():
            self._note(str(path), folder, os.path.splitext(name)[0], module, times)

    def _note(self, path: str, folder: str, stem: str, name: str, times: int) -> None:
        if name.startswith("."):
            self._relative.update((folder, *self._parents(folder)))
            return
        found = None if name.partition(".")[0] == stem else self._resolved(folder, name)
        if found is None:
            return
        root, package, place = found
        roots = self._leading.setdefault(place, Counter())
        if root not in roots:
            self._within.update((root, inside) for inside in (place, *self._parents(place)))
        roots[root] += times
        if root == folder:
            self._scripts.add(path)
        elif _is_below(path, package):
            self._members.add(path)  # it imports the package that it is in, however it is started

    def of(self, path: Path) -> Root:
        """The root that the file, links resolved, is imported from."""
        folder = os.path.dirname(path)
        covering = Counter(self._leading.get(os.path.splitext(path)[0], {}))
        covering.update(self._leading_above(folder))
        package = self._outermost(folder)
        if package is None:  # what runs by itself, or imports what is beside it, is a script
            is_script = str(path) in self._scripts or str(path) in self._started - self._members
            return _root(path, folder if is_script or not covering else _most(covering), None)
        usual = self._usual(package)
        if usual in covering:
            return _root(path, usual, package)
        flat = [] if self._is_true_package(package, usual) else self._flat(str(path), package)
        return _root(path, _most(covering or Counter(flat or [usual])), package)

    def _find_leading_above(self, folder: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for place in (folder, *self._parents(folder)):
            found.update(self._leading.get(place, {}))
        return found

    def _is_true_package(self, package: str, usual: str) -> bool:
        """Whether a file in it imports as the modules of a package do."""
        return package in self._relative or (usual, package) in self._within

    def _flat(self, path: str, package: str) -> list[str]:
        """Folders of a package in name alone, whose files import one another as scripts do, or that is the project."""
        roots = (root for roots in self._leading.values() for root in roots.elements() if _is_below(root, package))
        found = [root for root in roots if _is_below(path, root)]
        return found or ([package] if str(files.project_root(Path(package))) == package else [])

    def _find_outermost(self, folder: str) -> str | None:
        """The outermost regular package that holds `folder`, itself included."""
        above, name = os.path.split(folder)
        if not name.isidentifier() or not self._is_file(folder, "__init__.py"):
            return None
        return self._outermost(above) or folder

    def _resolve(self, folder: str, name: str) -> tuple[str, str, str] | None:
        """The nearest folder from `folder` on that the whole name leads on from, within the project.

        And where its first part leads, and all of it.
        """
        parts = name.split(".")
        if parts[0] in sys.stdlib_module_names or not all(parts):
            return None
        *between, last = parts
        for root in self._above(folder):
            if between and not self._is_folder(root, between[0]):
                continue
            inside = os.path.join(root, *between)
            if self._is_file(inside, f"{last}.py") or self._is_folder(inside, last):
                return root, os.path.join(root, parts[0]), os.path.join(inside, last)
        return None

    def _is_file(self, folder: str, name: str) -> bool:
        listing = self._listing(folder)
        return os.path.isfile(os.path.join(folder, name)) if listing is None else listing.get(name) is False

    def _is_folder(self, folder: str, name: str) -> bool:
        listing = self._listing(folder)
        return os.path.isdir(os.path.join(folder, name)) if listing is None else listing.get(name) is True


def _listing(folder: str) -> dict[str, bool] | None:
    """What is in a folder, and whether it is a folder; None where that may not be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: is_folder for entry in entries if (is_folder := _is_folder_or_file(entry)) is not None}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError:
        return None


def _is_folder_or_file(entry: os.DirEntry[str]) -> bool | None:
    try:
        return True if entry.is_dir() else False if entry.is_file() else None
    except OSError:  # a link that leads to itself
        return None


def _parents(folder: str) -> tuple[str, ...]:
    """The folders above it, from the inside out."""
    found = []
    while (above := os.path.dirname(folder)) != folder:
        found.append(above)
        folder = above
    return tuple(found)


def _is_below(path: str, folder: str) -> bool:
    """Whether `path` is `folder`, or lies in it."""
    return path == folder or path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def _root(path: Path, folder: str, package: str | None) -> Root:
    if package is not None and package != folder and _is_below(package, folder):
        return _of_package(folder, package)
    start = Path(folder)
    inside = path.relative_to(start).parts
    return Root(start, start / inside[0] if len(inside) > 1 else start)


@cache
def _of_package(folder: str, package: str) -> Root:
    return Root(Path(folder), Path(package))


def _most(roots: Counter[str]) -> str:
    """The one that most imports speak for, the deepest of several."""
    return max(roots, key=lambda root: (roots[root], len(Path(root).parts)))


def _usual(package: str) -> str:
    """The folder that holds the package, or the `src` that it lies deeper in, as part of a namespace package."""
    root = Path(package).parent
    project = files.project_root(root)
    if project is None or not root.is_relative_to(project / _SOURCES):
        return str(root)
    between = root.relative_to(project / _SOURCES).parts
    return str(project / _SOURCES if all(part.isidentifier() for part in between) else root)


def _above(folder: str) -> tuple[str, ...]:
    """The folder and those above it, up to the root of its project where it belongs to one."""
    project = files.project_root(Path(folder))
    above = (folder, *_parents(folder))
    return above if project is None else tuple(place for place in above if _is_below(place, str(project)))
