"""The answers that a file will likely get: those of the files that were analysed before it.

They save a second look where they turn out to be the answers of all files, and decide nothing: a file that was given
another answer is analysed again.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

from jaxfix.semantic.project import summary_types
from jaxfix.semantic.project.naming import Naming
from jaxfix.semantic.project.query import (
    ASKS_PROCESS,
    CALLS_BACK,
    CHANGES_OWN,
    FACTORY,
    FIELDS,
    FILLS,
    HIDES,
    IS_READ,
    JIT,
    MAKES_RULES,
    REBINDS,
    STORES,
    WRAPPING,
    Answers,
    Asked,
)
from jaxfix.semantic.project.summary_types import Facts
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile

_TABLES: Final[Mapping[str, Callable[[Facts], Mapping[str, object]]]] = {
    JIT.name: lambda facts: facts.jits,
    WRAPPING.name: lambda facts: facts.wraps,
    FACTORY.name: lambda facts: facts.factories,
    FIELDS.name: lambda facts: {name: fields for name, fields in facts.records.items() if fields},
}
"""Of each query that the file answers which defines a name, the answers that it has."""

_DONE_APART: Final[Mapping[str, str]] = {
    summary_types.MAKES_RULES: MAKES_RULES.name,
    summary_types.ASKS_PROCESS: ASKS_PROCESS.name,
    summary_types.CALLS_BACK: CALLS_BACK.name,
}
"""What a file does that no name tells, and the query whether any file does."""


class Expected:
    """The answers so far.

    Args:
      modules: the dotted names of all files: what is bound in another one counts, and what is bound to one does not.
    """

    def __init__(self, modules: Container[str | None] = ()) -> None:
        self._modules, self._naming = modules, Naming()
        self._by_module: dict[str, Answers] = {}
        self._by_name: dict[str, Answers] = {}
        self._of_any: Answers = {(IS_READ.name, ""): True}

    def add(self, facts: Facts | None) -> None:
        """Adds the summary of one more file."""
        if facts is None:
            return
        self._naming.add(facts)
        self._by_module[facts.name] = dict(self._defined(facts))
        self._of_any.update(((STORES.name, attribute), True) for attribute in facts.stored)
        self._of_any.update(((REBINDS.name, name), True) for name in facts.rebinds if name not in self._modules)
        self._of_any.update(((query, ""), True) for done, query in _DONE_APART.items() if done in facts.rebinds)
        taken = (name for name in facts.rebinds if name.startswith(summary_types.FILLS))
        filled = (*(name.removeprefix(summary_types.FILLS) for name in taken), *(facts.fills or ()))
        self._of_any.update(((FILLS.name, name), True) for name in filled)
        own = (name for name in facts.rebinds if name.startswith(summary_types.CHANGES_OWN))
        self._of_any.update(((CHANGES_OWN.name, name.removeprefix(summary_types.CHANGES_OWN)), True) for name in own)
        if facts.hides:
            self._of_any[HIDES.name, ""] = True

    def of_any(self) -> Answers:
        """Those that any file may ask for."""
        return dict(self._of_any)

    def of(self, source: SourceFile, around: Surroundings) -> Answers:
        """Those about what a file imports."""
        found: Answers = {}
        for target in source.imports:
            name = around.absolute(target) if target[:1] == "." else target
            known = self._by_module[name] if name in self._by_module else self._of_name(name)
            if known:
                found.update(known)
        return found

    def _defined(self, facts: Facts) -> Iterator[tuple[Asked, object]]:
        """What the names of a module stand for; of a package those too that it takes from the modules in it."""
        for query, table in _TABLES.items():
            yield from (((query, f"{facts.name}.{name}"), answer) for name, answer in table(facts).items())
        for name, of in facts.aliases.items():
            if of.startswith(f"{facts.name}."):
                yield from self._of_name(f"{facts.name}.{name}").items()

    def _of_name(self, name: str) -> Answers:
        if name not in self._by_name:
            owner, _, last = name.rpartition(".")
            facts = self._naming.by_name.get(owner)
            if facts is None:
                return {}  # it may be known later
            if last in facts.aliases or any(last in table(facts) for table in _TABLES.values()):
                self._by_name[name] = dict(self._found(name))
            else:
                self._by_name[name] = {}
        return self._by_name[name]

    def _found(self, name: str) -> Iterator[tuple[Asked, object]]:
        for facts, rest in self._naming.owners(self._naming.canonical(name)):
            found = ((query, table(facts)) for query, table in _TABLES.items())
            yield from (((query, name), answers[rest]) for query, answers in found if rest in answers)
