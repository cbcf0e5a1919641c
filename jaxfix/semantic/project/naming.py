"""The dotted names of a project: which file defines one, and what else leads to it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from jaxfix.dataflow.budget import MOST_HOPS
from jaxfix.semantic.project.summary_types import RETURNED, Facts

T = TypeVar("T")


class Naming:
    """Follows the imports of `files`. A name that two of them have means nothing."""

    def __init__(self, files: Sequence[Facts] = ()) -> None:
        self._files = files
        times = Counter(facts.name for facts in files)
        self.by_name = {facts.name: facts for facts in files if times[facts.name] == 1}
        self._canonical: dict[str, str] = {}

    def add(self, facts: Facts) -> None:
        """Takes one more file into account, for questions about definitions alone; of two with one name the last."""
        self.by_name[facts.name] = facts
        self._canonical.clear()

    def canonical(self, qualname: str) -> str:
        """The dotted name under which `qualname` is defined: re-exports are followed."""
        if qualname.endswith(RETURNED):
            return self.canonical(qualname.removesuffix(RETURNED)) + RETURNED
        if qualname not in self._canonical:
            *_, self._canonical[qualname] = self.hops(qualname)
        return self._canonical[qualname]

    def hops(self, qualname: str) -> Iterator[str]:
        """The dotted names that lead from `qualname` to the one that it is defined under, with both."""
        yield qualname
        for _ in range(MOST_HOPS):
            found = self._one_hop(qualname) or qualname
            if found == qualname:
                break
            yield (qualname := found)

    def bound(self, qualname: str) -> str:
        """The name that code binds as `qualname`: one of the module that its owner is, whatever it stands for there."""
        owner, _, last = qualname.rpartition(".")
        return f"{self.canonical(owner)}.{last}" if owner else qualname

    def defined(self, qualname: str, table: Callable[[Facts], Mapping[str, T]]) -> T | None:
        """What the file that defines `qualname` tells of it in one of its tables."""
        owners = self.owners(self.canonical(qualname))
        return next((table(facts)[rest] for facts, rest in owners if rest in table(facts)), None)

    def is_bound(self, qualname: str) -> bool:
        """Whether the module that `qualname` is a name of binds it."""
        owner, _, last = qualname.rpartition(".")
        return owner in self.by_name and last in self._defined(owner)

    def spellings(self, qualname: str) -> tuple[str, ...]:
        """The dotted names that lead to `qualname`, whose module other modules may take all names of."""
        if qualname.endswith(RETURNED):
            return tuple(name + RETURNED for name in self.spellings(qualname.removesuffix(RETURNED)))
        found = [qualname]
        for name in found:
            owner, _, last = name.rpartition(".")
            around = (f for f in self.starring(owner) if last not in f.own and last not in f.aliases)
            found += [new for f in around if (new := f"{f.name}.{last}") not in found]
        return tuple(found)

    def starring(self, owner: str) -> list[Facts]:
        """The files that take all names of a module."""
        return [*self._starring.get(owner, ())]

    def is_offered(self, qualname: str) -> bool:
        """Whether a package above the module of `qualname` names it, for those who import the package."""
        return qualname in self._offered

    @cached_property
    def _offered(self) -> frozenset[str]:
        pairs = ((facts.name, of) for facts in self._files for of in facts.aliases.values())
        return frozenset(self.canonical(of) for package, of in pairs if of.startswith(f"{package}."))

    @cached_property
    def renamed(self) -> frozenset[str]:
        """The last parts of names that may be those of something whose own name ends otherwise."""
        pairs = ((name, of) for facts in self._files for name, of in facts.aliases.items())
        return frozenset(name for name, of in pairs if of.rpartition(".")[2] != name)

    def _one_hop(self, qualname: str) -> str | None:
        owners = tuple(self.owners(qualname))
        for facts, rest in owners:
            first, _, tail = rest.partition(".")
            if first in facts.aliases:
                return ".".join(part for part in (facts.aliases[first], tail) if part)
        for facts, rest in owners:
            if not facts.stars:
                continue
            if f"{facts.name}.{rest.partition('.')[0]}" in self.by_name:
                continue  # a module below it
            if rest.partition(".")[0] in facts.own:
                continue
            for star in reversed(facts.stars):
                if star in self.by_name and rest.partition(".")[0] in self._defined(star):
                    return f"{star}.{rest}"
        return None

    def owners(self, qualname: str) -> Iterator[tuple[Facts, str]]:
        """The files whose name begins `qualname`, the longest first, with what follows."""
        end = qualname.rfind(".")
        while end > 0:
            facts = self.by_name.get(qualname[:end])
            if facts is not None:
                yield facts, qualname[end + 1 :]
            end = qualname.rfind(".", 0, end)

    def _defined(self, name: str) -> frozenset[str]:
        facts = self.by_name[name]
        return frozenset((*facts.own, *facts.aliases, *facts.jits))

    @cached_property
    def _starring(self) -> dict[str, list[Facts]]:
        found: dict[str, list[Facts]] = {}
        for facts in self._files:
            for star in facts.stars:
                found.setdefault(star, []).append(facts)
        return found
