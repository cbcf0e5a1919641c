"""The files of a project that were not named: read where something that they may change is asked for.

Most are excluded by their bytes: what does not spell a name cannot bind it, unless it computes names. What is left is
parsed, once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

from jaxfix.drivers import files, walking
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import placed
from jaxfix.effects.pytree_classes import LEAVES_ONLY, hiding
from jaxfix.effects.pytree_keys import may_hold_odd_keys
from jaxfix.engine.project import COMPUTES
from jaxfix.library.facets import Class
from jaxfix.library.table import rows
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import ANY_NAME, ANYTHING, Facts
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import DepthError, SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.summary.filled import filled
from jaxfix.summary.rebinding import rebinding

MOST_ENTRIES = 50_000
"""Of the folders of a project; of one that has more nothing is read, and it may do anything."""
MOST_BYTES = 100_000_000
_HIDING = tuple(
    (row.name.partition(".")[0].encode(), row.name.rpartition(".")[2].encode()) for row in rows(Class.HIDES)
)
_Says = Callable[[bytes], bool]
_STAR = re.compile(rb"\bimport[ \t]*\*")
_IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)


class _Every:
    """The first parts of all names: neighbours may change libraries too."""

    def __contains__(self, name: object) -> bool:
        return True


class Neighbours:
    """What the files of some projects change, except those that are analysed.

    Args:
      starts: files and folders that are analysed.
      looked_at: the files among them, links resolved.
      roots: where the imports of files start.
    """

    def __init__(self, starts: Sequence[Path], looked_at: frozenset[Path], roots: Roots) -> None:
        self._starts, self._looked_at, self._roots = starts, looked_at, roots
        self._facts: dict[Path, Facts | None] = {}
        self._told: dict[tuple[Callable[[bytes], _Says], bytes], tuple[Facts, ...]] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Travels without what it has read."""
        return Neighbours, (self._starts, self._looked_at, self._roots)

    def rebinding(self, qualname: str) -> Sequence[Facts]:
        """Of the files that may bind this dotted name, or change its object."""
        owner, _, last = qualname.rpartition(".")
        if not owner:
            return ()
        if last == ANY_NAME:
            found = self._telling(_hands_on, owner.rpartition(".")[2])
            return found if self._is_read else (ANYTHING,)
        return self._telling(_binds if self._is_own(owner) else _spells, last)

    def storing(self, attribute: str) -> Sequence[Facts]:
        """Of the files that may store an attribute of this name."""
        return self._telling(_stores, attribute)

    def filling(self, name: str) -> Sequence[Facts]:
        """Of the files that may change what an attribute or a variable of this name holds."""
        return (*self._telling(_binds, name), *self._telling(_stores, ANY_NAME))

    def mentioning(self, name: str) -> Sequence[Facts]:
        """Of the files with this name in their text."""
        return self._telling(_mentions, name)

    def names(self, qualname: str) -> bool:
        """Whether one of the files may use what this dotted name stands for, a method through any object."""
        owner, _, last = qualname.rpartition(".")
        is_method = owner.rpartition(".")[2] not in {*self._modules, "__main__"}
        wanted = re.compile(rb"\b%s\b|\bimport \*" % re.escape(last.encode()))
        ways = (b"from .", *(part.encode() for part in owner.split(".")))  # a package may pass on what is in it
        found = any(
            (is_method or any(way in text for way in ways)) and wanted.search(text) for text in self._texts.values()
        )
        return found or not self._is_read

    def spells(self, qualname: str) -> bool:
        """Whether one of the files may use the function of a library that has this dotted name."""
        wanted = [re.compile(rb"\b%s\b" % re.escape(part.encode())) for part in qualname.split(".")]
        found = any(all(each.search(text) for each in wanted) for text in self._texts.values())
        return found or not self._is_read

    def takes(self, qualname: str) -> bool:
        """Whether one of the files takes all names of a module, and has this one too."""
        last = qualname.rpartition(".")[2]
        wanted = re.compile(rb"\b%s\b" % re.escape(last.encode()))
        return any(_STAR.search(text) and wanted.search(text) for text in self._texts.values()) or not self._is_read

    def hides(self) -> bool:
        """Whether one of the files makes trees that may hold more than leaves."""
        read = (self._facts_of(path) for path, text in self._texts.items() if _may_hide(text))
        return any(facts is not None and facts.hides for facts in read) or not self._is_read

    def _place(self, path: Path) -> Surroundings:
        where = placed(path, None, self._roots)
        return Surroundings(name=where.name, is_package=where.is_package, is_distributed=False)

    def _telling(self, says: Callable[[bytes], _Says], name: str) -> tuple[Facts, ...]:
        """The facts of those whose bytes say that they may; read once for each name."""
        asked = says, name.encode()
        if asked not in self._told:
            may = says(asked[1])
            found = (self._facts_of(path) for path, text in self._texts.items() if may(text))
            self._told[asked] = tuple(facts for facts in found if facts is not None)
        return self._told[asked]

    def _facts_of(self, path: Path) -> Facts | None:
        if path not in self._facts:
            self._facts[path] = self._read(path)
        return self._facts[path]

    def _read(self, path: Path) -> Facts | None:
        try:
            module = Module.parse(SourceFile.decode(files.shown(path), self._texts[path]), self._place(path))
            hides = (*islice(hiding(module, self._modules), 1),)
            facts = replace(rebinding(module, _Every()), hides=hides, fills=filled(module, _Every()))
        except (DepthError, RecursionError):
            return ANYTHING
        except SourceError:
            return None  # Python does not run it either
        module.forget()
        return replace(facts, rebinds=tuple(name for name in facts.rebinds if not self._is_module(name)))

    @property
    def _is_read(self) -> bool:
        """Whether they are so few that all of them are read."""
        return self._read_texts is not None

    @property
    def _texts(self) -> dict[Path, bytes]:
        """The bytes of the files; none where there are too many."""
        return self._read_texts or {}

    @cached_property
    def _read_texts(self) -> dict[Path, bytes] | None:
        found: dict[Path, bytes] = {}
        left = MOST_BYTES
        if self._paths is None:
            return None
        for path in self._paths:
            try:
                found[path] = files.read_bytes(path)
            except SourceError:
                continue  # it is not imported
            left -= len(found[path])
            if left < 0:
                return None
        return found

    @cached_property
    def _paths(self) -> tuple[Path, ...] | None:
        """The files; None where the folders have too many entries."""
        allowance = walking.Allowance(MOST_ENTRIES)
        found = [path for root in _tops(self._starts) for path in walking.some(root, allowance)]
        if allowance.left <= 0:
            return None
        return tuple(path for path in dict.fromkeys(map(files.resolved, found)) if path not in self._looked_at)

    # --- names ------------------------------------------------------------------------------------------------

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The files and folders of the projects, dotted, by the last part."""
        found: dict[str, list[str]] = {}
        for path in (*(self._paths or ()), *self._looked_at):
            parts = path.with_suffix("").parts[1:]
            for end in (len(parts), len(parts) - 1):  # the file, and the package that it is in
                if end > 0:
                    found.setdefault(parts[end - 1], []).append(f".{'.'.join(parts[:end])}")
        return found

    def _is_module(self, name: str) -> bool:
        known = self._modules.get(name.rpartition(".")[2], ())
        return any(dotted.endswith(f".{name}") for dotted in known)

    def _is_own(self, owner: str) -> bool:
        return owner.rpartition(".")[2] in self._modules or owner.partition(".")[0] in self._modules


# --- what the bytes of a file say -------------------------------------------------------------------------------------


def _hands_on(module: bytes) -> _Says:
    """That it may take a module as a whole, or compute names."""
    handed_on = re.compile(rb"\b%s\b(?!\s*\.\s*\w|\s+import\b)" % re.escape(module))
    return lambda text: any(how in text for how in COMPUTES) or (module in text and bool(handed_on.search(text)))


def _binds(name: bytes) -> _Says:
    """That it may bind a variable of a module, or change what it stands for."""
    return lambda text: name in text and (b"import *" in text or any(each.search(text) for each in _binding(name)))


@cache
def _binding(name: bytes) -> tuple[re.Pattern[bytes], ...]:
    word = re.escape(name)
    used = rb"""[.'"]\s*%s\b|\b%s\s*(?::[^=\n]*)?=(?!=)|\bclass\s+%s\b""" % (word, word, word)
    imported = rb"\bfrom\s+[\w.]+\s+import\b(?:[^\n(]*|\s*\([^)]*)(?<!as )\b%s\b" % word
    return re.compile(used), re.compile(imported)


def _spells(name: bytes) -> _Says:
    """That a text in it may be the name."""
    quoted = re.compile(rb"""[.'"]%s['"]""" % re.escape(name))
    return lambda text: name in text and bool(quoted.search(text))


def _mentions(name: bytes) -> _Says:
    """That the name is in it."""
    return lambda text: name in text


def _stores(attribute: bytes) -> _Says:
    """That it may store the attribute of some object; of `ANY_NAME`, one of a computed name."""
    if attribute.decode() == ANY_NAME:
        return lambda text: any(how in text for how in COMPUTES)
    return lambda text: attribute in text and bool(_storing(attribute).search(text))


@cache
def _storing(attribute: bytes) -> re.Pattern[bytes]:
    name = re.escape(attribute)
    return re.compile(
        rb"""\.\s*%(name)s\b[^\n(=<>!]*(?:=(?!=)|<<=|>>=)|\bdel\b[^\n]*\.%(name)s\b|['"]%(name)s['"]"""
        rb"""|\b(?:as|for)\s+[^\n]*\.%(name)s\b""" % {b"name": name}
    )


def _may_hide(text: bytes) -> bool:
    """That it may make trees of its own kind, or take them from a library."""
    is_named = any(first in text and last in text for first, last in _HIDING)
    return (
        is_named
        or may_hold_odd_keys(text)
        or any(match[1].decode() not in LEAVES_ONLY for match in _IMPORTED.finditer(text))
    )


# --- which files ------------------------------------------------------------------------------------------------------


def _tops(starts: Sequence[Path]) -> Iterator[Path]:
    """The folders of the projects that these belong to, none within another."""
    tops = sorted({_top(files.resolved(start)) for start in starts}, key=lambda top: len(top.parts))
    kept: list[Path] = []
    for top in tops:
        if not any(top.is_relative_to(other) for other in kept):
            kept.append(top)
            yield top


def _top(path: Path) -> Path:
    """The folder of the project that a file or folder belongs to; where nothing marks one, the folder itself."""
    folder = path if path.is_dir() else path.parent
    return files.project_root(folder) or folder
