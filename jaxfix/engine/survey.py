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
from jaxfix.engine.analyze import analyze, are_mentioned
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
from jaxfix.semantic.module import parsed
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
_New = Sequence[tuple[Unit, frozenset[str]]]


class Memory(Protocol):
    """Keeps the records of units, from one survey to the next."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        """What is known of each unit: all, if its text, its surroundings, its codemods and `packages` are the same."""
        ...

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record]) -> None:
        """Takes down what is new of these units."""


class Forgetful:
    """Remembers nothing."""

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> Sequence[Recalled]:
        return [None] * len(units)

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record]) -> None:
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

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record]) -> None:
        before, self._packages = self._records, packages
        self._records = {unit.source.path: (unit, record) for unit, record in zip(units, records, strict=True)}
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
    records: list[Record] = []
    try:
        for record in _first_records(units, before, packages, advance, crew):
            records.append(record)
        reading = Reading(files, crew, [record.uses for record in records])
        unread = not is_complete or any(map(_is_unread, units, records))
        facts = [record.facts for record in records]
        project = project_of(files, facts, unread=unread, read=reading, around=around)
        asked = [each.asked if isinstance(each, Former) else frozenset() for each in before]
        _look_again(units, records, asked, project, packages, crew)
    finally:  # also of a survey that is interrupted
        KEPT.clear()
        memory.keep(units[: len(records)], packages, records)
    reading.alone()
    return Survey(tuple(record.look for record in records), project)


def _first_records(
    units: Sequence[Unit],
    before: Sequence[Recalled],
    packages: frozenset[str],
    advance: Callable[[str], None],
    crew: Crew,
) -> Iterator[Record]:
    """What is known of each unit, or what a first look at it shows."""
    pairs = [(unit, each) for unit, each in zip(units, before, strict=True) if not isinstance(each, Record)]
    new = [(unit, each.names if each is not None else frozenset()) for unit, each in pairs]
    questions = Questions()
    shards = _Asked(sharded(new, [unit.source.size for unit, _ in new]), questions)
    shared = Shared()
    looked = (shared.record(record) for some in crew(partial(_first, packages), shards) for record in some)
    for unit, known in zip(units, before, strict=True):
        record = known if isinstance(known, Record) else next(looked)
        questions.add(record.look.asked, record.facts, chain.from_iterable(record.uses.values()))
        yield record
        advance(unit.source.path)


def _look_again(
    units: Sequence[Unit],
    records: list[Record],
    likely: Sequence[frozenset[Asked]],
    project: Project,
    packages: frozenset[str],
    crew: Crew,
) -> None:
    """Replaces the looks that were given something else than what the others tell, until there are none.

    An answer may make a look ask for more. All questions about users are put together: that costs little more
    than one.

    Args:
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
            for (index, _), look in zip(shard, some, strict=True):
                records[index] = replace(records[index], look=look)
        pending = [index for index, _ in again]


def _told(
    units: Sequence[Unit], likely: Sequence[frozenset[Asked]], project: Project, index: int, answers: Answers
) -> tuple[Unit, Answers]:
    """A unit, with the answers to what it asks, and to what it will ask then as far as one can tell."""
    return units[index], project.with_what_follows(answers | project.answers(likely[index]))


@frozen
class _Asked:
    """Units to look at for the first time, with what those before them ask once their turn comes.

    Attributes:
      shards: the units, each with names that it was asked about in another survey.
    """

    shards: Sequence[_New]
    questions: Questions

    def __len__(self) -> int:
        return len(self.shards)

    def __iter__(self) -> Iterator[_New]:
        for shard in self.shards:
            asked = self.questions.names
            yield [(unit, names | asked if names else asked) for unit, names in shard]


def _first(packages: frozenset[str], shard: _New) -> list[Record]:
    return [first_record(unit, packages, names) for unit, names in shard]


def _again(packages: frozenset[str], shard: Sequence[tuple[Unit, Answers]]) -> list[Look]:
    return [look_at(unit, packages, told) for unit, told in shard]


def first_record(unit: Unit, packages: frozenset[str], names: frozenset[str] = frozenset()) -> Record:
    """What the unit shows alone, what it asks, and what it tells: also what it does with functions of `names`."""
    try:
        source = unit.source.loaded()
        is_looked_at = are_mentioned(unit.codemods, source.text)
        if not is_looked_at and not tells(source.text, packages):
            parsed(source)
            return Record(Look())
        guess = RecordingProject()
        found = analyze(source, unit.codemods, surroundings=replace(unit.surroundings, project=guess))
        look = Look(found.diagnostics, None, found.bugs, _about(guess.asked, packages))
        facts = facts_of(found.module, packages)
        uses = wanted(names, facts.mentions)
        record = Record(look, facts, uses_of(found.module, packages, uses) if uses else {})
        if look.asked or facts.mentions:
            found.module.keep()
        found.module.forget()
    except (DepthError, RecursionError) as error:
        told = anything(unit.source.path, unit.surroundings) if tells(unit.source.loaded().text, packages) else None
        return Record(_unread(unit, error), told)
    except SourceError as error:
        return Record(_unread(unit, error))
    return record


def look_at(unit: Unit, packages: frozenset[str], told: Answers) -> Look:
    """What the unit shows that is given these answers."""
    guess = RecordingProject(told)
    try:
        found = analyze(unit.source.loaded(), unit.codemods, surroundings=replace(unit.surroundings, project=guess))
        diagnostics = found.diagnostics
    except (SourceError, RecursionError) as error:
        return _unread(unit, error)
    asked = _about(guess.asked, packages)
    look = Look(diagnostics, None, found.bugs, asked, {key: told[key] for key in asked if key in told})
    found.module.forget()
    return look


def _unread(unit: Unit, error: SourceError | RecursionError) -> Look:
    """What is reported then: a fault of the file, or a bug of ours if nothing in it is that deep."""
    if isinstance(error, SourceError):
        return Look(error=str(error))
    if not plugins.is_deep(parsed(unit.source.loaded())):
        return Look(bugs=(plugins.endless(unit.source.path),))
    return Look(error=str(DepthError(unit.source.path, "nested too deeply to be analysed")))


def _is_unread(unit: Unit, record: Record) -> bool:
    return record.look.error is not None or record.facts == anything(unit.source.path, unit.surroundings)


def _about(asked: set[Asked], packages: frozenset[str]) -> frozenset[Asked]:
    """The queries that the files of `packages` may have an answer to."""
    return frozenset(
        (query, about)
        for query, about in asked
        if QUERIES[query].reads is Reads.ANY_FILE or about.startswith(".") or about.partition(".")[0] in packages
    )
