"""What a survey keeps of one source: its findings, its questions and what can be reused."""

from collections.abc import Mapping
from dataclasses import field

from jaxfix.engine.project import Uses
from jaxfix.report.report import Diagnostic
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.project.query import Answers, Asked
from jaxfix.semantic.project.summary_types import Facts
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile


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
      turns: what each codemod was the first to ask, by its id; nothing of a look that is remembered.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None
    bugs: tuple[str, ...] = ()
    asked: frozenset[Asked] = frozenset()
    told: Answers = field(default_factory=dict)
    turns: Mapping[str, frozenset[Asked]] = field(default_factory=dict, compare=False)


@frozen
class Record:
    """All that a survey needs to know of a unit whose text has not changed.

    Attributes:
      look: the last one.
      facts: what the file tells the others; None if it tells nothing.
      uses: what it does with functions of the others, as far as was asked.
    """

    look: Look
    facts: Facts | None = None
    uses: Uses = field(default_factory=dict)


@frozen
class Former:
    """The result of a look at an earlier text of a unit, reused where it still holds; it decides nothing.

    Attributes:
      asked: what it wanted to know of the others.
      names: what the others wanted to know of it.
    """

    asked: frozenset[Asked] = frozenset()
    names: frozenset[str] = frozenset()


Recalled = Record | Former | None


def former(record: Record) -> Former:
    """The reusable part of the record of another text."""
    return Former(record.look.asked, frozenset(record.uses))
