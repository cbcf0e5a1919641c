"""Many files through the codemods: each is parsed once, and again only where the others make a difference.

What is known of a file, from a moment ago or from another run, is its `Record`. A survey that remembers looks
only at the files whose text is new, and at those that the others now give another answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from jaxfix.engine.expected import Expected
from jaxfix.engine.look import first_record, look_at, unaffected
from jaxfix.engine.memory import Forgetful, Memory, Shared
from jaxfix.engine.order import import_order
from jaxfix.engine.project import (
    Crew,
    Reading,
    anything,
    packages_of,
    project_of,
    sharded,
)
from jaxfix.engine.questions import Questions
from jaxfix.engine.unit import Former, Look, Recalled, Record, Unit
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.query import Answers, Asked
from jaxfix.semantic.project.rebinding import Around
from jaxfix.source.frozen import frozen
from jaxfix.syntax.kept import KEPT

_New = Sequence[tuple[Unit, frozenset[str], frozenset[str], tuple[Answers, ...]]]
"""Units, each with the names that it is asked about, those that are followed, and answers that it may ask for."""
_Again = tuple[Unit, Answers, Mapping[str, frozenset[Asked]]]
"""A unit to look at again, the answers that it gets, and codemods that need not run again, with what they ask."""


@frozen
class Survey:
    """The findings of the units, in order, and the summaries of their files."""

    looks: tuple[Look, ...]
    project: Project


def survey(
    units: Sequence[Unit],
    advance: Callable[[str], None],
    crew: Crew = map,
    *,
    is_complete: bool = True,
    memory: Memory | None = None,
    around: Around | None = None,
) -> Survey:
    """Looks at every unit without a known result.

    First at each as if it were alone, remembering what it asks of the others. Then again at those that get another
    answer than before: most do not, and are parsed once.

    Args:
      advance: is called with the path of each unit that was analysed.
      crew: who looks, shard by shard; what is found does not depend on it.
      is_complete: whether these are all files of the project: one that could not be read may do anything.
      memory: what is known from before, and where it is kept; what is found does not depend on it.
      around: the files of the project that are not units.
    """
    files = [(unit.source, unit.surroundings) for unit in units]
    packages = packages_of(files)
    memory = memory or Forgetful()
    before = memory.recall(units, packages)
    found: dict[int, Record] = {}
    try:
        for index, record in _first_records(units, before, packages, crew):
            found[index] = record
            advance(units[index].source.path)
        records = [found[index] for index in range(len(units))]
        reading = Reading(files, crew, [record.uses for record in records])
        unread = not is_complete or any(map(_is_unread, units, records))
        facts = [record.facts for record in records]
        project = project_of(files, facts, unread=unread, read=reading, around=around)
        asked = [each.asked if isinstance(each, Former) else frozenset() for each in before]
        for index, look in _second_looks(units, records, asked, project, packages, crew):
            found[index] = records[index] = replace(records[index], look=look)
        for index, told in reading.later.items():
            found[index] = records[index] = _with_later(records[index], told)
    finally:  # also of a survey that is interrupted
        KEPT.clear()
        memory.keep(units, packages, [found.get(index) for index in range(len(units))])
    reading.alone()
    return Survey(tuple(record.look for record in records), project)


def _first_records(
    units: Sequence[Unit], before: Sequence[Recalled], packages: frozenset[str], crew: Crew
) -> Iterator[tuple[int, Record]]:
    """What is known of each unit, by its index, then what a first look at the others shows, in the order of imports."""
    questions, new, shared = Questions(), dict[int, Former | None](), Shared()
    expected = Expected({unit.surroundings.name for unit in units})
    for index, known in enumerate(before):
        if isinstance(known, Record):
            _note(questions, known)
            expected.add(known.facts)
            yield index, known
        else:
            new[index] = known
    order = [index for index in import_order([(unit.source, unit.surroundings) for unit in units]) if index in new]
    pairs = [(units[index], each.names if (each := new[index]) is not None else frozenset()) for index in order]
    shards = _Asked(sharded(pairs, [unit.source.size for unit, _ in pairs]), questions, expected)
    looked = (shared.record(record) for some in crew(partial(_first, packages), shards) for record in some)
    for index, record in zip(order, looked, strict=True):
        _note(questions, record)
        expected.add(record.facts)
        yield index, record


def _note(questions: Questions, record: Record) -> None:
    questions.add(record.look.asked, record.facts, chain.from_iterable(record.uses.values()))


def _second_looks(
    units: Sequence[Unit],
    records: Sequence[Record],
    likely: Sequence[frozenset[Asked]],
    project: Project,
    packages: frozenset[str],
    crew: Crew,
) -> Iterator[tuple[int, Look]]:
    """Repeats the looks whose answers have changed, until none does.

    An answer may make a look ask for more. All questions about users are put together: that costs little more
    than one.

    Args:
      records: which the looks that come out of here replace at once.
      likely: what each unit may ask for once it is given something.
    """
    pending = list(range(len(units)))
    while pending:
        looks = [records[index].look for index in pending]
        project.look_up({each for i, look in zip(pending, looks, strict=True) for each in (*look.asked, *likely[i])})
        told = [project.answers(look.asked) for look in looks]
        again = [(i, answers) for i, look, answers in zip(pending, looks, told, strict=True) if answers != look.told]
        shards = sharded(again, [units[index].source.size for index, _ in again])
        told_more = partial(_told, units, records, likely, project)
        work = [[told_more(index, answers) for index, answers in shard] for shard in shards]
        for shard, some in zip(shards, crew(partial(_again, packages), work), strict=True):
            yield from ((index, look) for (index, _), look in zip(shard, some, strict=True))
        pending = [index for index, _ in again]


def _told(
    units: Sequence[Unit],
    records: Sequence[Record],
    likely: Sequence[frozenset[Asked]],
    project: Project,
    index: int,
    answers: Answers,
) -> _Again:
    """A unit, with the answers to its present questions and to those it will probably ask next."""
    told = project.with_what_follows(answers | project.answers(likely[index]))
    return units[index], told, unaffected(units[index], records[index].look, answers)


@frozen
class _Asked:
    """Units to look at for the first time, with what those before them ask, and tell, once their turn comes.

    Attributes:
      shards: the units, each with names that it was asked about in another survey.
    """

    shards: Sequence[Sequence[tuple[Unit, frozenset[str]]]]
    questions: Questions
    expected: Expected

    def __len__(self) -> int:
        return len(self.shards)

    def __iter__(self) -> Iterator[_New]:
        for shard in self.shards:
            asked, followed = self.questions.names, self.questions.followed
            of_any, of = self.expected.of_any(), self.expected.of
            yield [
                (unit, names | asked, followed, (of_any, of(unit.source, unit.surroundings))) for unit, names in shard
            ]


def _first(packages: frozenset[str], shard: _New) -> list[Record]:
    """Looks at the units of a shard: each gets the questions of those before it, and expects their summaries."""
    found = []
    questions, nearby = Questions(shard[0][2]), Expected()
    for unit, names, _, expected in shard:
        known = nearby.of(unit.source, unit.surroundings)
        record = first_record(unit, packages, names | questions.names, (*expected, known))
        _note(questions, record)
        nearby.add(record.facts)
        found.append(record)
    return found


def _again(packages: frozenset[str], shard: Sequence[_Again]) -> list[Look]:
    return [look_at(unit, packages, told, before) for unit, told, before in shard]


def _with_later(record: Record, told: Mapping[str, tuple[str, ...]]) -> Record:
    facts = record.facts
    if facts is not None:
        remembers, fills = told.get("remembers", facts.remembers), told.get("fills", facts.fills)
        facts = replace(facts, remembers=remembers, fills=fills)
    return replace(record, facts=facts)


def _is_unread(unit: Unit, record: Record) -> bool:
    return record.look.error is not None or record.facts == anything(unit.source.path, unit.surroundings)
