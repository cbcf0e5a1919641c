"""Many files through the codemods: each is parsed once, and again only where the others make a difference.

What is known of a file, be it from a moment ago or from another run, is its `Record`. A survey that remembers looks
only at the files whose text is new, and at those that the others now give another answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import Protocol

from jaxfix.engine import plugins
from jaxfix.engine.analyze import Analysis, analyze, are_mentioned
from jaxfix.engine.expected import Expected
from jaxfix.engine.order import import_order
from jaxfix.engine.project import (
    Crew,
    Reading,
    Uses,
    anything,
    facts_of,
    packages_of,
    project_of,
    sharded,
    tells,
    uses_of,
)
from jaxfix.engine.questions import Questions, wanted
from jaxfix.report.report import Diagnostic
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module, parsed
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.query import QUERIES, Answers, Asked, Reads
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.recording import RecordingProject
from jaxfix.semantic.project.summary_types import Facts
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import DepthError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile
from jaxfix.syntax.kept import KEPT


@frozen
class Unit:
    """One source, and what is looked for in it; `surroundings` without a project."""

    source: SourceFile
    codemods: tuple[Codemod, ...]
    surroundings: Surroundings


@frozen
class Look:
    """What one unit shows. Holds no tree; `error` and `bugs` are sentences.

    Attributes:
      asked: what it wanted to know of the others.
      told: the answers it got, where they differ from those without other files.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None
    bugs: tuple[str, ...] = ()
    asked: frozenset[Asked] = frozenset()
    told: Answers = field(default_factory=dict)


@frozen
class Record:
    """All that a survey needs to know of a unit whose text has not changed.

    Attributes:
      look: the last one.
      facts: what the file tells the others; None if it tells nothing.
      uses: what it does with functions of the others, as far as somebody wanted to know.
    """

    look: Look
    facts: Facts | None = None
    uses: Uses = field(default_factory=dict)


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


@frozen
class Former:
    """What a look at another text of a unit came to. It saves looks where it still holds, and decides nothing.

    Attributes:
      asked: what it wanted to know of the others.
      names: what the others wanted to know of it.
    """

    asked: frozenset[Asked] = frozenset()
    names: frozenset[str] = frozenset()


Recalled = Record | Former | None
_New = Sequence[tuple[Unit, frozenset[str], frozenset[str], tuple[Answers, ...]]]
"""Units, each with the names that it is asked about, those that are followed, and answers that it may ask for."""


class Memory(Protocol):
    """Keeps the records of units, from one survey to the next."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        """What is known of each unit: all, if its text, its surroundings, its codemods and `packages` are the same."""
        ...

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        """Takes down what is new of these units, those of the last `recall`; None of one that was not looked at."""


class Forgetful:
    """Remembers nothing."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        return [None] * len(units)

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        pass


class Recent:
    """Remembers the units of the last survey: for who surveys the same files again and again.

    Attributes:
      changed: the paths of the units whose findings are others than in the survey before, and of new units.
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


def former(record: Record) -> Former:
    """What the record of another text tells."""
    return Former(record.look.asked, frozenset(record.uses))


@frozen
class Survey:
    """What the units show, in their order, and what their files tell one another."""

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
    """Looks at every unit of which nothing is known yet.

    First at each as if it were alone, remembering what it asks of the others. Then again at those that get another
    answer than before: most do not, and are parsed once.

    Args:
      advance: is called with the path of each unit that was looked at.
      crew: who looks, shard by shard; what is found does not depend on it.
      is_complete: whether these are all files of the project: one that could not be read may do anything.
      memory: what is known from before, and where it is kept; what is found does not depend on it.
      around: the files of the project that are no units.
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
        for index, names in reading.remembered.items():
            found[index] = records[index] = _with_remembered(records[index], names)
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
    """Looks again at what was given something else than what the others tell, until there is nothing such.

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
        told_more = partial(_told, units, likely, project)
        work = [[told_more(index, answers) for index, answers in shard] for shard in shards]
        for shard, some in zip(shards, crew(partial(_again, packages), work), strict=True):
            yield from ((index, look) for (index, _), look in zip(shard, some, strict=True))
        pending = [index for index, _ in again]


def _told(
    units: Sequence[Unit], likely: Sequence[frozenset[Asked]], project: Project, index: int, answers: Answers
) -> tuple[Unit, Answers]:
    """A unit, with the answers to what it asks, and to what it will ask then as far as one can tell."""
    return units[index], project.with_what_follows(answers | project.answers(likely[index]))


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
    """Looks at the units of a shard: each is asked what those before it ask, and expects what they tell."""
    found = []
    questions, nearby = Questions(shard[0][2]), Expected()
    for unit, names, _, expected in shard:
        known = nearby.of(unit.source, unit.surroundings)
        record = first_record(unit, packages, names | questions.names, (*expected, known))
        _note(questions, record)
        nearby.add(record.facts)
        found.append(record)
    return found


def _again(packages: frozenset[str], shard: Sequence[tuple[Unit, Answers]]) -> list[Look]:
    return [look_at(unit, packages, told) for unit, told in shard]


def first_record(
    unit: Unit, packages: frozenset[str], names: frozenset[str] = frozenset(), expected: Sequence[Answers] = ()
) -> Record:
    """What the unit shows with the answers that are expected, what it asks, and what it tells, whatever they are.

    Args:
      names: of these functions the record has the uses.
    """
    try:
        source = unit.source.loaded()
        is_looked_at = are_mentioned(unit.codemods, source.text)
        if not is_looked_at and not tells(source.text, packages):
            parsed(source)
            return Record(Look())
        guess = RecordingProject(*expected)
        found = analyze(source, unit.codemods, surroundings=replace(unit.surroundings, project=guess))
        look = _look(found, guess, packages)
        module = _alone(found.module) if look.told else found.module
        facts = facts_of(module, packages)
        uses = wanted(names, facts.mentions)
        record = Record(look, facts, uses_of(module, packages, uses) if uses else {})
        if any(QUERIES[query].reads is not Reads.DEFINITION for query, _ in look.asked):
            module.keep()  # it may be looked at again: what others define it knows already
        module.forget()
        found.module.forget()
    except (DepthError, RecursionError) as error:
        told = anything(unit.source.path, unit.surroundings) if tells(unit.source.loaded().text, packages) else None
        return Record(_unread(unit, error), told)
    except SourceError as error:
        return Record(_unread(unit, error))
    return record


def _alone(module: Module) -> Module:
    """The same tree, as if there were no other files: nothing that was found in it is known."""
    return Module(module.source, module.tree, replace(module.surroundings, project=RecordingProject()), module.index)


def look_at(unit: Unit, packages: frozenset[str], told: Answers) -> Look:
    """What the unit shows that is given these answers."""
    guess = RecordingProject(told)
    try:
        found = analyze(unit.source.loaded(), unit.codemods, surroundings=replace(unit.surroundings, project=guess))
        look = _look(found, guess, packages)
    except (SourceError, RecursionError) as error:
        return _unread(unit, error)
    found.module.forget()
    return look


def _look(found: Analysis, guess: RecordingProject, packages: frozenset[str]) -> Look:
    diagnostics = found.diagnostics  # which ask, too
    asked = _about(guess.asked, packages)
    told = {key: answer for key, answer in guess.told.items() if key in asked}
    return Look(diagnostics, None, found.bugs, asked, told)


def _unread(unit: Unit, error: SourceError | RecursionError) -> Look:
    """What is reported then: a fault of the file, or a bug of ours if nothing in it is that deep."""
    if isinstance(error, SourceError):
        return Look(error=str(error))
    if not plugins.is_deep(parsed(unit.source.loaded())):
        return Look(bugs=(plugins.endless(unit.source.path),))
    return Look(error=str(DepthError(unit.source.path, "nested too deeply to be analysed")))


def _with_remembered(record: Record, names: tuple[str, ...]) -> Record:
    return replace(record, facts=record.facts and replace(record.facts, remembers=names))


def _is_unread(unit: Unit, record: Record) -> bool:
    return record.look.error is not None or record.facts == anything(unit.source.path, unit.surroundings)


def _about(asked: set[Asked], packages: frozenset[str]) -> frozenset[Asked]:
    """The queries that the files of `packages` may have an answer to."""
    return frozenset(
        (query, about)
        for query, about in asked
        if QUERIES[query].reads is Reads.ANY_FILE or about.startswith(".") or about.partition(".")[0] in packages
    )
