"""Whether a function is meant for unknown code."""

from collections.abc import Sequence
from functools import cached_property

from jaxfix.dataflow.budget import MOST_READERS
from jaxfix.semantic.project.naming import Naming
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.summary_types import RETURNED, Facts


class Offered:
    """What names and attributes say of it, in the files of a run and in those around."""

    def __init__(self, files: Sequence[Facts], naming: Naming, around: Around | None, kept: frozenset[str]) -> None:
        self._files, self._naming, self._around, self._kept = files, naming, around, kept

    def __call__(self, qualname: str) -> bool:
        qualname = qualname.removesuffix(RETURNED)
        if not qualname.startswith("."):
            is_offered = self._naming.is_offered(qualname) and self._is_distributed(qualname)
            return is_offered or self.is_named_around(qualname)
        name, _, owner = qualname[1:].partition("@")  # a method, of whatever object
        is_read = any(module != owner for module in self._reading.get(name, ()))
        return (is_read and self._is_distributed(f"{owner}.{name}")) or self.is_named_around(f".{name}")

    def is_open(self, name: str) -> bool:
        """Whether it is a method that unknown code may call, or too many files: how it runs is unknown.

        A private one of few files is followed: its class knows who else would call it.
        """
        if not name.startswith("."):
            return False
        is_private = name.startswith("._") and not name.startswith(".__")
        return self.is_common(name) or (not is_private and self(name))

    def is_common(self, method: str) -> bool:
        """Whether so many files read an attribute of this name that following it shows nothing."""
        return len(self._reading.get(method[1:].partition("@")[0], ())) > MOST_READERS

    def _is_distributed(self, qualname: str) -> bool:
        return qualname.partition(".")[0] not in self._kept

    @cached_property
    def _reading(self) -> dict[str, set[str]]:
        """Of each attribute the modules that read it, tests left out."""
        found: dict[str, set[str]] = {}
        for facts in self._files:
            for name in () if facts.is_test else facts.attributes:
                found.setdefault(name, set()).add(facts.name)
        return found

    def is_named_around(self, qualname: str) -> bool:
        """Whether a file outside the analysis may use the object of this dotted name."""
        return self._around is not None and self._around.names(qualname)
