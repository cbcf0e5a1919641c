"""What is kept of units from one survey to the next."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from jaxfix.engine.unit import Recalled, Record, Unit, former
from jaxfix.semantic.project.query import Asked
from jaxfix.semantic.project.summary_types import Facts


class Memory(Protocol):
    """Keeps the records of units, from one survey to the next."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        """What is known of each unit: all, if its text, its surroundings, its codemods and `packages` are the same."""
        ...

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        """Records the new results of these units, those of the last `recall`; None for one that was not analysed."""


class Forgetful:
    """Remembers nothing."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        return [None] * len(units)

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        pass


class Recent:
    """Remembers the units of the last survey: for repeated surveys of the same files.

    Attributes:
      changed: the paths of the units whose findings differ from those of the survey before, and of new units.
    """

    def __init__(self) -> None:
        self._packages: frozenset[str] = frozenset()
        self._records: dict[str, tuple[Unit, Record]] = {}
        self.changed: tuple[str, ...] = ()

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        return [self._recalled(unit) if packages == self._packages else None for unit in units]

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        before, self._packages = self._records, packages
        known = ((unit, record) for unit, record in zip(units, records, strict=True) if record is not None)
        self._records = {unit.source.path: (unit, record) for unit, record in known}
        self.changed = tuple(
            path
            for path, (_, record) in self._records.items()
            if path not in before or before[path][1].look.diagnostics != record.look.diagnostics
        )

    def _recalled(self, unit: Unit) -> Recalled:
        known, record = self._records.get(unit.source.path, (None, None))
        return record if record is None or known == unit else former(record)


class Shared:
    """Lets records that come from elsewhere share what they have in common: many files speak of the same names."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._asked: dict[Asked, Asked] = {}

    def record(self, record: Record) -> Record:
        look, facts = record.look, record.facts
        asked = frozenset(self._asked.setdefault(each, each) for each in look.asked)
        return replace(record, look=replace(look, asked=asked), facts=facts and self._facts(facts))

    def _facts(self, facts: Facts) -> Facts:
        names = self._names
        return replace(
            facts,
            aliases={names.setdefault(name, name): names.setdefault(of, of) for name, of in facts.aliases.items()},
            rebinds=tuple(names.setdefault(name, name) for name in facts.rebinds),
            mentions=tuple(names.setdefault(name, name) for name in facts.mentions),
        )
