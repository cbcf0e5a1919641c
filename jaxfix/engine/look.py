"""One look at a unit: its findings given certain answers, its questions, and its summary for others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jaxfix.engine import plugins
from jaxfix.engine.analyze import Analysis, analyze, are_mentioned
from jaxfix.engine.project import anything, facts_of, tells, uses_of
from jaxfix.engine.questions import wanted
from jaxfix.engine.unit import Look, Record, Unit
from jaxfix.semantic.module import Module, parsed
from jaxfix.semantic.project.query import QUERIES, Answers, Asked, Reads
from jaxfix.semantic.project.recording import RecordingProject
from jaxfix.source.errors import DepthError, SourceError


def first_record(
    unit: Unit, packages: frozenset[str], names: frozenset[str] = frozenset(), expected: Sequence[Answers] = ()
) -> Record:
    """The findings of the unit under the expected answers, its questions, and its summary, which depends on no answers.

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
        found = analyze(source, unit.codemods, (), (), replace(unit.surroundings, project=guess), guess.begin)
        look = _look(found, guess, packages)
        module = _alone(found.module) if look.told else found.module
        facts = facts_of(module, packages)
        uses = wanted(names, facts)
        record = Record(look, facts, uses_of(module, packages, uses) if uses else {})
        if any(QUERIES[query].reads is not Reads.DEFINITION for query, _ in look.asked):
            module.keep()  # it may be analysed again: what others define it knows already
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


def look_at(unit: Unit, packages: frozenset[str], told: Answers, before: Mapping[str, frozenset[Asked]] = {}) -> Look:
    """The findings of the unit under these answers.

    Args:
      before: the first of its codemods that would find nothing, with what they ask: as after `unaffected`.
    """
    guess = RecordingProject(told)
    for codemod, questions in before.items():
        guess.recall(codemod, questions)
    left = tuple(codemod for codemod in unit.codemods if codemod.id not in before)
    try:
        around = replace(unit.surroundings, project=guess)
        found = analyze(unit.source.loaded(), left, (), (), around, guess.begin)
        look = _look(found, guess, packages)
    except (SourceError, RecursionError) as error:
        return _unread(unit, error)
    found.module.forget()
    return look


def _look(found: Analysis, guess: RecordingProject, packages: frozenset[str]) -> Look:
    diagnostics = found.diagnostics  # which ask, too
    asked = _about(guess.asked, packages)
    told = {key: answer for key, answer in guess.told.items() if key in asked}
    turns = {codemod: asked & questions for codemod, questions in guess.turns.items() if questions}
    return Look(diagnostics, None, found.bugs, asked, told, turns)


def _unread(unit: Unit, error: SourceError | RecursionError) -> Look:
    """What is reported then: a fault of the file, or a bug of ours if nothing in it is that deep."""
    if isinstance(error, SourceError):
        return Look(error=str(error))
    if not plugins.is_deep(parsed(unit.source.loaded())):
        return Look(bugs=(plugins.endless(unit.source.path),))
    return Look(error=str(DepthError(unit.source.path, "nested too deeply to be analysed")))


def unaffected(unit: Unit, look: Look, answers: Answers) -> Mapping[str, frozenset[Asked]]:
    """The codemods that would again find nothing, with the questions that each was the first to ask.

    Those that ran before one asked what is answered otherwise now. Of findings nothing is kept: what is reported with
    one may depend on what others ask.
    """
    changed = {asked for asked in {*look.told, *answers} if look.told.get(asked) != answers.get(asked)}
    found: dict[str, frozenset[Asked]] = {}
    for codemod in unit.codemods if not unit.surroundings.is_seen and not look.bugs else ():
        asked = look.turns.get(codemod.id, frozenset())
        if not asked.isdisjoint(changed):
            return found
        if any(each.id == codemod.id for each in look.diagnostics):
            break
        found[codemod.id] = asked
    return {}


def _about(asked: set[Asked], packages: frozenset[str]) -> frozenset[Asked]:
    """The queries that the files of `packages` may have an answer to."""
    return frozenset(
        (query, about)
        for query, about in asked
        if QUERIES[query].reads is Reads.ANY_FILE or about.startswith(".") or about.partition(".")[0] in packages
    )
