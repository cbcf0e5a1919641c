"""Where the imports of a project start: by its folders, unless what its files import says otherwise."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jaxfix.drivers import files

_SOURCES = "src"
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w., \t]+))")


@dataclass(frozen=True, slots=True)
class Root:
    """An entry of the search path; `top` is the folder of the outermost package below it, or itself for scripts."""

    folder: Path
    top: Path


class Roots:
    """The roots of the user's own files, whose texts are given by path, links resolved."""

    def __init__(self, texts: Iterable[tuple[Path, bytes]]) -> None:
        self._is_file, self._is_folder = cache(os.path.isfile), cache(os.path.isdir)
        self._above = cache(_above)
        # of each folder, and file without suffix, that an import leads to: the roots that it starts from
        self._leading: dict[Path, list[Path]] = defaultdict(list)
        self._within: set[tuple[Path, Path]] = set()
        self._relative: set[Path] = set()
        self._scripts: set[Path] = set()
        self._members: set[Path] = set()
        started = set()
        for path, text in texts:
            if b"__main__" in text:
                started.add(path)
            for name in _imported(text):
                self._note(path, name)
        self._scripts |= started - self._members

    def _note(self, path: Path, name: str) -> None:
        if name.startswith("."):
            self._relative.update(path.parents)
            return
        found = self._resolved(path, name)
        if found is None:
            return
        root, place = found
        self._leading[place].append(root)
        self._within.update((root, folder) for folder in (place, *place.parents))
        if root == path.parent:
            self._scripts.add(path)
        elif path.is_relative_to(root / name.partition(".")[0]):
            self._members.add(path)  # it imports the package that it stands in, however it is started

    def of(self, path: Path) -> Root:
        """The root that the file, links resolved, is imported from."""
        package = self._outermost(path.parent)
        covering = [root for place in (path.with_suffix(""), *path.parents) for root in self._leading.get(place, ())]
        if package is None:  # what runs by itself, or imports what stands beside it, is a script
            return _root(path, path.parent if path in self._scripts or not covering else _most(covering), None)
        usual = _usual(package)
        if usual in covering:
            return _root(path, usual, package)
        flat = [] if self._is_true_package(package, usual) else self._flat(path, package)
        return _root(path, _most(covering or flat or [usual]), package)

    def _is_true_package(self, package: Path, usual: Path) -> bool:
        """Whether a file in it imports as the modules of a package do."""
        return package in self._relative or (usual, package) in self._within

    def _flat(self, path: Path, package: Path) -> list[Path]:
        """Folders of a package in name alone, whose files import one another as scripts do, or that is the project."""
        roots = (root for roots in self._leading.values() for root in roots if root.is_relative_to(package))
        found = [root for root in roots if path.is_relative_to(root)]
        return found or ([package] if files.project_root(package) == package else [])

    def _outermost(self, folder: Path) -> Path | None:
        """The outermost regular package that holds `folder`, itself included."""
        top = None
        while folder.name.isidentifier() and self._is_file(folder / "__init__.py"):
            top, folder = folder, folder.parent
        return top

    def _resolved(self, path: Path, name: str) -> tuple[Path, Path] | None:
        """The nearest folder above the file that the whole name leads on from, within the project, and where to."""
        parts = name.split(".")
        if parts[0] in sys.stdlib_module_names or parts[0] == path.stem or not all(parts):
            return None
        for root in self._above(path.parent):
            place = root.joinpath(*parts)
            if self._is_file(place.with_name(f"{place.name}.py")) or self._is_folder(place):
                return root, place
        return None


def _root(path: Path, folder: Path, package: Path | None) -> Root:
    if package is not None and package.is_relative_to(folder) and package != folder:
        return Root(folder, package)
    inside = path.relative_to(folder).parts
    return Root(folder, folder / inside[0] if len(inside) > 1 else folder)


def _most(roots: list[Path]) -> Path:
    """The one that most imports speak for, the deepest of several."""
    return max(roots, key=lambda root: (roots.count(root), len(root.parts)))


def _usual(package: Path) -> Path:
    """The folder that holds the package, or the `src` that it lies deeper in, as part of a namespace package."""
    root = package.parent
    project = files.project_root(root)
    if project is None or not root.is_relative_to(project / _SOURCES):
        return root
    between = root.relative_to(project / _SOURCES).parts
    return project / _SOURCES if all(part.isidentifier() for part in between) else root


def _imported(text: bytes) -> Iterator[str]:
    """The modules that the source imports from, as it names them; what stands in its strings may be among them."""
    for match in _IMPORT.finditer(text):
        if match[1] is not None:
            yield match[1].decode(errors="replace")
        else:
            yield from (part.split()[0].decode(errors="replace") for part in match[2].split(b",") if part.strip())


def _above(folder: Path) -> tuple[Path, ...]:
    """The folder and those above it, up to the root of its project where it belongs to one."""
    project = files.project_root(folder)
    return tuple(above for above in (folder, *folder.parents) if above.is_relative_to(project or above.anchor))
