"""What files do with the functions of others: read on demand."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol

from jaxfix.semantic.project.naming import Naming
from jaxfix.semantic.project.summary_types import PASSED, RETURNED, Facts, Use, key_for

Wanted = tuple[int, frozenset[str]]
"""The index of a file, and those of its mentions that are asked for, with `PASSED` after some."""


class Reader(Protocol):
    """Reads the files once more, by their index."""

    def __call__(self, wanted: Sequence[Wanted], /) -> Iterable[Sequence[Use]]:
        """What each of some files does with the functions that are wanted of it."""
        ...

    def remembers(self, index: int) -> tuple[str, ...]:
        """The functions of a file that may give the same at the next call."""
        ...

    def fills(self, index: int) -> tuple[str, ...]:
        """The attributes and the variables of other files whose object a file may change in place."""
        ...


class Users:
    """The uses of each function in the files that mention it.

    Args:
      read: how a file is read for that; None where the facts have all uses.
    """

    def __init__(self, files: Sequence[Facts], naming: Naming, read: Reader | None) -> None:
        self._files, self._naming, self._read = files, naming, read
        self._known: dict[str, list[Use]] = {}

    def users(self, qualname: str, *, passed: bool = False) -> tuple[Use, ...]:
        """How other files, tests included, use the function defined as `qualname`.

        Of a module, what those do that are passed it as a whole.

        Args:
          passed: whether it matters what calls pass.

        Returns:
          By file and line, in whatever order the files are given.
        """
        names = self._naming.spellings(qualname)
        missing = [*self._missing(names, names if passed else ())]
        if missing:
            self._read_for(missing, missing if passed else ())
        return tuple(sorted((use for name in names for use in self._of(name)), key=_place))

    def uses(self, qualname: str) -> tuple[Use, ...]:
        """As `users`, without tests: what they call does not show how a program runs."""
        return tuple(use for use in self.users(qualname) if not use.is_test)

    def read(self, qualnames: Iterable[str], passed: Collection[str]) -> None:
        """Reads how the files use these functions.

        Each file is read once for all that it is asked for: many functions at once cost little more than one.

        Args:
          passed: those of which it matters what calls pass.
        """
        told = {name for qualname in passed for name in self._naming.spellings(qualname)}
        names = {name for qualname in qualnames for name in self._naming.spellings(qualname)}
        missing = [*self._missing(names, told)]
        if missing:
            self._read_for(missing, told)

    def _missing(self, names: Iterable[str], passed: Collection[str]) -> Iterator[str]:
        """The functions still unknown; for some, the passed arguments."""
        return (name for name in names if key_for(name + PASSED if name in passed else name, self._known) is None)

    def _of(self, name: str) -> list[Use]:
        key = key_for(name, self._known)
        return self._known[key] if key is not None else []

    def _read_for(self, names: Iterable[str], passed: Collection[str]) -> None:
        """Reads the files for what they do with functions of these canonical names; of some, what calls pass."""
        found: dict[str, list[Use]] = {name: [] for name in names}
        methods: dict[str, list[str]] = {}
        for name in found:
            if name.startswith(".") and "@" in name:
                methods.setdefault(name.partition("@")[0], []).append(name)
        mentioned: dict[int, set[str]] = {i: set() for i, facts in enumerate(self._files) if facts.uses}
        told = {*passed, *(name.partition("@")[0] for name in passed if _is_of_program(name))}
        for index, spelled in self._mentions(found):
            is_passed = self._naming.canonical(spelled) in told
            mentioned.setdefault(index, set()).add(spelled + PASSED if is_passed else spelled)
        wanted = [(index, frozenset(mentioned[index])) for index in sorted(mentioned)]
        for (index, _), uses in zip(wanted, self._in(wanted), strict=True):
            is_test = self._files[index].is_test
            for use in uses:
                seen = replace(use, is_test=True) if is_test else use
                for name in (self._naming.canonical(use.of), *methods.get(use.of, ())):
                    if name in found and not name.endswith(f"@{self._files[index].name}"):
                        found[name].append(seen)
        self._known |= {name + PASSED if name in passed else name: uses for name, uses in found.items()}

    def _in(self, wanted: Sequence[Wanted]) -> Iterable[Sequence[Use]]:
        return [self._files[index].uses for index, _ in wanted] if self._read is None else self._read(wanted)

    def _mentions(self, names: Collection[str]) -> Iterator[tuple[int, str]]:
        """The files that mention one of some canonical names, each with how it is spelled there."""
        methods = {name[1:].partition("@")[0] for name in names if name.startswith(".") and "@" in name}
        for index, facts in enumerate(self._files) if methods else ():
            yield from ((index, f".{name}") for name in methods.intersection(facts.attributes))
        for word in {name.removesuffix(RETURNED).rpartition(".")[2] for name in names} | self._naming.renamed:
            for spelled in self._by_word.get(word, ()):
                canonical = self._naming.canonical(spelled)
                for told in {canonical, canonical + RETURNED}.intersection(names):
                    end = RETURNED if told != canonical else ""
                    yield from ((index, spelled + end) for index in self._mentioning[spelled])

    @cached_property
    def _mentioning(self) -> dict[str, list[int]]:
        """Of each mention the files that have it."""
        found: dict[str, list[int]] = {}
        for index, facts in enumerate(self._files):
            for spelled in facts.mentions:
                found.setdefault(spelled, []).append(index)
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        """The mentions, by their last part."""
        found: dict[str, list[str]] = {}
        for spelled in self._mentioning:
            found.setdefault(spelled.rpartition(".")[2], []).append(spelled)
        return found


def _place(use: Use) -> tuple[str, int]:
    file, _, line = use.at.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def _is_of_program(name: str) -> bool:
    """Whether it is a method of a class in no package: those of a package have too many readers to be followed."""
    return name.startswith(".") and "." not in name.partition("@")[2]
