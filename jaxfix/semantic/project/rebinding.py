"""What files of a project outside of the analysis may rebind, or change, in those inside."""

from collections.abc import Collection, Sequence
from typing import Protocol

from jaxfix.semantic.project.summary_types import (
    ANY_NAME,
    HANDS_MODULES_ON,
    LISTS_NAMES,
    RUNS_APART,
    SETS_ANY_NAME,
    Facts,
)


class Around(Protocol):
    """The files of a project that are not analysed. They are read for what they change alone."""

    def rebinding(self, qualname: str) -> Sequence[Facts]:
        """Of the files that may bind this dotted name, or change its object; `ANY_NAME` at its end stands for all."""
        ...

    def storing(self, attribute: str) -> Sequence[Facts]:
        """Of the files that may store an attribute of this name."""
        ...

    def filling(self, name: str) -> Sequence[Facts]:
        """Of the files that may change what an attribute or a variable of this name holds."""
        ...

    def mentioning(self, name: str) -> Sequence[Facts]:
        """Of the files with this name in their text."""
        ...

    def names(self, qualname: str) -> bool:
        """Whether one of the files may use the object of this dotted name."""
        ...

    def spells(self, qualname: str) -> bool:
        """Whether one of the files may use the function of a library that has this dotted name."""
        ...

    def takes(self, qualname: str) -> bool:
        """Whether one of the files takes all names of a module, and has this one too."""
        ...

    def hides(self) -> bool:
        """Whether one of the files makes trees that may hold more than leaves."""
        ...


def reaches_anything(names: Collection[str]) -> bool:
    """Whether who binds all these may bind any name of any module."""
    return ANY_NAME in names or (HANDS_MODULES_ON in names and SETS_ANY_NAME in names)


def opens_anything(names: Collection[str]) -> bool:
    """Whether who does all these may bind, list or leave out any name of any module."""
    is_listing = HANDS_MODULES_ON in names and LISTS_NAMES in names
    return RUNS_APART in names or is_listing or reaches_anything(names)


def may_rebind(name: str, qualname: str) -> bool:
    """Whether who binds `name` may mean `qualname`, each as its file is imported by whom knows it.

    Two names for one module end alike, whatever folder its imports start from; a package may pass on what is in it.
    """
    owner, _, last = name.rpartition(".")
    wanted, _, wanted_last = qualname.rpartition(".")
    if last != wanted_last:
        return False
    is_package = f".{wanted}".endswith(f".{owner}") or f".{wanted}.".find(f".{owner}.") >= 0
    return is_package or owner.rpartition(".")[2] == wanted.rpartition(".")[2]
