"""The facts of many files, joined: what each may know of the others."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from jaxfix.effects.pytree_classes import LEAVES_ONLY
from jaxfix.effects.pytree_keys import may_hold_odd_keys
from jaxfix.library.facets import Class
from jaxfix.library.table import short_names
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.summary_types import ANYTHING, PASSED, Facts, Use, key_for
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.semantic.project.users import Reader, Wanted
from jaxfix.source.errors import DepthError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile, is_named_as_test
from jaxfix.summary.filled import filled
from jaxfix.summary.remembered import remembered
from jaxfix.summary.summarize import facts, uses

_STORE = re.compile(rb"\b(?!self\.)\w+(?:\.\w+)*\.\w+[ \t]*=(?!=)|setattr")
"""An attribute that is stored on something else than `self`."""
_PRIVATE = re.compile(rb"\._(?!_)\w")
"""A private method, which a class in another file may have too."""
_IMPORTED = re.compile(rb"^(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_HIDING = re.compile(rb"\b(?:%s)\b" % "|".join(sorted(short_names(Class.HIDES) | short_names(Class.TUPLE))).encode())
_RELATIVE = re.compile(rb"\bfrom[ \t]*\.")


COMPUTES = (
    *(
        b"setattr",
        b"delattr",
        b"setitem",
        b"__dict__",
        b"__globals__",
        b"vars(",
        b"exec(",
        b"eval(",
        b"FunctionType(",
        b"import_module(",
        b"__import__(",
    ),
    *(b"custom_vjp", b"custom_jvp", b"custom_gradient"),
    *(b"io_callback", b"pure_callback", b"host_callback", b"jax.debug", b"debug.print", b"debug.callback", b"error_if"),
    *(b"sys.modules", b"getmodule(", b"reload(", b"resolve_name(", b"patch"),
)
"""Where names may be bound that are not in the text, rules be made, or the host be called by programs."""
_SHARD = (100_000, 250_000)
"""Bytes of source in one shard, at least and at most: to hand it over costs little, and all are done alike soon."""
_SHARDS = 16
"""Each shard is this share of the remaining files."""
T = TypeVar("T")
R = TypeVar("R")
Shard = TypeVar("Shard", covariant=True)
Sources = Sequence[tuple[SourceFile, Surroundings]]


class Shards(Protocol[Shard]):
    """Work in parts; each is created when a worker is free."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Shard]: ...


class Crew(Protocol):
    """Does work shard by shard, as `map` does, and perhaps several shards at a time."""

    def __call__(self, work: Callable[[T], R], shards: Shards[T], /) -> Iterable[R]: ...


def joined(files: Sources, around: Around | None = None) -> Project:
    """The summaries of all files; a file that does not parse has none.

    Each is parsed, and forgotten. What they do with a function of another file is read, once more, on
    demand.
    """
    packages = packages_of(files)
    found: list[Facts | None] = []
    unread = False
    for source, place in files:
        loaded = source.loaded()
        is_telling = tells(loaded.text, packages)
        found.append(_facts(loaded, place, packages) if is_telling else None)
        unread |= is_telling and found[-1] in (None, anything(source.path, place))
    return project_of(files, found, unread=unread, around=around)


def project_of(
    files: Sources,
    found: Sequence[Facts | None],
    *,
    unread: bool,
    read: "Reading | None" = None,
    around: Around | None = None,
) -> Project:
    """The project of `files`, some without summaries; a single file has only those `around` it."""
    if len(files) < 2:
        return Project(around=around)
    telling = [index for index, facts in enumerate(found) if facts is not None]
    read = read or Reading(files)
    known = tuple(facts for facts in found if facts is not None)
    return Project(known, unread, read.of(telling), around, _kept(files))


def _kept(files: Sources) -> frozenset[str]:
    """The packages of which no file is part of a project that is built."""
    built = [place for _, place in files if place.is_distributed]
    named = {place.name.partition(".")[0] for _, place in files if place.name is not None}
    return frozenset(named - {place.name.partition(".")[0] for place in built if place.name is not None})


def packages_of(files: Sources) -> frozenset[str]:
    """The first parts of the names that the files are imported by; the main program is one of them."""
    return frozenset({"__main__", *(around.name.partition(".")[0] for _, around in files if around.name is not None)})


def facts_of(module: Module, packages: frozenset[str]) -> Facts:
    """The facts of a file for the others, also of a script that cannot be imported."""
    path = module.source.path
    return facts(module, _name(path, module.surroundings), packages, is_test=_is_test(path))


def anything(path: str, around: Surroundings) -> Facts:
    """The summary of a file that Python may run, but that is nested too deeply to read."""
    return replace(ANYTHING, name=_name(path, around))


Uses = dict[str, tuple[Use, ...]]
"""What one file does with functions of others, by a dotted name that it mentions, behind some `PASSED`."""


class Reading:
    """Reads files again, for what they do with some functions of others.

    Args:
      crew: who reads, where the work is shared.

    Attributes:
      known: of each file what was read before, and what is added.
      later: of some files, by their index, what the others asked of them after their facts were known, by the attribute
        of `Facts` that has it.
    """

    def __init__(self, files: Sources, crew: Crew = map, known: Sequence[Uses] = ()) -> None:
        self._files, self._packages, self._crew = files, packages_of(files), crew
        self.known = known or [{} for _ in files]
        self.later: dict[int, dict[str, tuple[str, ...]]] = {}

    def alone(self) -> None:
        """From here on one process reads what is asked for."""
        self._crew = map

    def of(self, chosen: Sequence[int]) -> Reader:
        """Reads some of the files, by their index in `chosen`."""
        return _Chosen(self, chosen)

    def remembers(self, index: int) -> tuple[str, ...]:
        """The functions of a file that may give the same at the next call."""
        return self._later(index, "remembers", remembered)

    def fills(self, index: int) -> tuple[str, ...]:
        """The attributes and the variables of other files whose object a file may change in place."""
        return self._later(index, "fills", partial(filled, packages=self._packages))

    def _later(self, index: int, field: str, read: Callable[[Module], Iterable[str]]) -> tuple[str, ...]:
        known = self.later.setdefault(index, {})
        if field not in known:
            source, around = self._files[index]
            module = Module.parse(source.loaded(), around)
            try:
                known[field] = tuple(read(module))
            except RecursionError:
                known[field] = ()  # reported by the analysis itself
            module.forget()
        return known[field]

    def __call__(self, wanted: Sequence[Wanted]) -> list[list[Use]]:
        missing = [(index, frozenset(self._missing(index, names))) for index, names in wanted]
        asked = [(index, names) for index, names in missing if names]
        shards = sharded(asked, [self._files[index][0].size for index, _ in asked])
        work = [[(*self._files[index], names) for index, names in shard] for shard in shards]
        for shard, read in zip(shards, self._crew(partial(_read, self._packages), work), strict=True):
            for (index, _), found in zip(shard, read, strict=True):
                self.known[index].update(found)
        return [[use for name in sorted(names) for use in self._known(index, name)] for index, names in wanted]

    def _missing(self, index: int, names: Iterable[str]) -> Iterator[str]:
        return (name for name in names if key_for(name, self.known[index]) is None)

    def _known(self, index: int, name: str) -> tuple[Use, ...]:
        key = key_for(name, self.known[index])
        return self.known[index][key] if key is not None else ()


@frozen
class _Chosen:
    """Some of the files, by their index in `chosen`."""

    reading: Reading
    chosen: Sequence[int]

    def __call__(self, wanted: Sequence[Wanted], /) -> list[list[Use]]:
        return self.reading([(self.chosen[index], names) for index, names in wanted])

    def remembers(self, index: int) -> tuple[str, ...]:
        return self.reading.remembers(self.chosen[index])

    def fills(self, index: int) -> tuple[str, ...]:
        return self.reading.fills(self.chosen[index])


_Asked = tuple[SourceFile, Surroundings, frozenset[str]]


def _read(packages: frozenset[str], shard: Sequence[_Asked]) -> list[Uses]:
    return [_uses(source, around, packages, names) for source, around, names in shard]


def _uses(source: SourceFile, around: Surroundings, packages: frozenset[str], names: frozenset[str]) -> Uses:
    module = Module.parse(source.loaded(), around)
    found = uses_of(module, packages, names)
    module.keep()  # another question may be about this file too
    module.forget()
    return found


def uses_of(module: Module, packages: frozenset[str], names: frozenset[str]) -> Uses:
    """What the file does with functions of others; of names with `PASSED` behind them, what calls pass too."""
    keys = {name.removesuffix(PASSED): name for name in sorted(names)}
    found: dict[str, list[Use]] = {name: [] for name in names}
    try:
        for use in uses(module, packages, frozenset(keys), names, is_test=_is_test(module.source.path)):
            found[keys[use.of]].append(use)
    except RecursionError:
        return dict.fromkeys(names, ())  # reported by the analysis itself
    return {name: tuple(some) for name, some in found.items()}


def sharded(items: Sequence[T], sizes: Sequence[int]) -> list[Sequence[T]]:
    """`items` in order, cut into shards by the sum of `sizes`, in bytes: the last ones are smaller.

    So nobody waits for long at the end (Polychronopoulos and Kuck, Guided Self-Scheduling, 1987).
    """
    least, most = _SHARD
    shards: list[list[T]] = []
    room, left = 0, sum(sizes)
    for item, size in zip(items, sizes, strict=True):
        if room <= 0:
            shards.append([])
            room = min(most, max(least, left // _SHARDS))
        shards[-1].append(item)
        room -= size
        left -= size
    return [*shards]


def _facts(source: SourceFile, around: Surroundings, packages: frozenset[str]) -> Facts | None:
    try:
        return facts_of(Module.parse(source, around), packages)
    except (DepthError, RecursionError):
        return anything(source.path, around)
    except SourceError:
        return None  # reported by the analysis itself


def _name(path: str, around: Surroundings) -> str:
    return around.name if around.name is not None else f"<{path.replace('.', ' ')}>"


def tells(text: bytes, packages: frozenset[str]) -> bool:
    """Whether a file may have anything to tell: it imports from another one, jits, wraps, stores or calls."""
    if any(match[1].decode() in packages for match in _IMPORTED.finditer(text)):
        return True
    if (
        _HIDING.search(text)
        or may_hold_odd_keys(text)
        or any(match[1].decode() not in LEAVES_ONLY for match in _IMPORTED.finditer(text))
    ):
        return True  # objects that are not plain trees
    if b"def " in text or b"cache" in text:
        return True  # functions, which may do more than compute, or give the same again
    if b"jit" in text or b"pmap" in text or b"wraps(" in text or _RELATIVE.search(text) or _STORE.search(text):
        return True
    if any(package.encode() in text for package in packages) or any(how in text for how in COMPUTES):
        return True
    return _PRIVATE.search(text) is not None


def _is_test(path: str) -> bool:
    folders = os.path.dirname(path).replace(os.sep, "/").split("/")
    return "tests" in folders or "test" in folders or is_named_as_test(path)
