"""The files that a run looks at: what they answer to the queries of each other."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from jaxfix.semantic.project.callers import Along
from jaxfix.semantic.project.joined import Joined
from jaxfix.semantic.project.query import QUERIES, Answers, Asked, Query, Reads
from jaxfix.semantic.project.rebinding import Around
from jaxfix.semantic.project.summary_types import Facts
from jaxfix.semantic.project.users import Reader

A = TypeVar("A")


@dataclass(frozen=True)
class Project:
    """The facts of all files that a run looks at. A name that two files have means nothing.

    Attributes:
      unread: whether one of them cannot be read, and may do anything.
      read: reads a file for what it does with functions of others, on demand.
      around: the files of the project that it does not look at.
      kept: the packages that are not built, so that no other project imports them.
    """

    files: tuple[Facts, ...] = ()
    unread: bool = False
    read: Reader | None = field(default=None, compare=False)
    around: Around | None = field(default=None, compare=False)
    kept: frozenset[str] = frozenset()

    def __reduce__(self) -> tuple[object, ...]:
        """Travels without its answers."""
        return Project, (self.files, self.unread, self.read, self.around, self.kept)

    def ask(self, query: Query[A], about: str) -> A:
        """The known files."""
        return query.answer(self._joined, about)

    def answers(self, queries: Iterable[Asked]) -> Answers:
        """The answers that are other than those of a project without files."""
        known = self._answered
        known.update((each, self.ask(QUERIES[each[0]], each[1])) for each in queries if each not in known)
        return {each: known[each] for each in queries if known[each] != QUERIES[each[0]].default}

    def with_what_follows(self, answers: Answers) -> Answers:
        """The answers, with those to what is asked next by a file that gets them, as far as one can tell."""
        found = dict(answers)
        pending = list(answers)
        for name, about in pending:
            following = [*QUERIES[name].follows(self._joined, about)]
            new = self.answers([asked for asked in following if asked not in found])
            found |= new
            pending += new
        return found

    def look_up(self, asked: Collection[Asked]) -> None:
        """Reads what these queries are answered from: many at once cost little more than one."""
        every = [(QUERIES[name], QUERIES[name].function(about)) for name, about in asked]
        used = {of for query, of in every if query.reads is Reads.USES}
        passed = {of for query, of in every if query.passed}
        callers = [(query.along, of) for query, of in every if query.reads is Reads.CALLERS]
        followed = {along: {of for each, of in callers if each is along} for along in Along}
        self._joined.look_up(used, followed, passed)

    @property
    def steps(self) -> int:
        """The evaluations that the answers about callers have cost."""
        return self._joined.steps

    @cached_property
    def _joined(self) -> Joined:
        return Joined(self.files, self.read, unread=self.unread, around=self.around, kept=self.kept)

    @cached_property
    def _answered(self) -> Answers:
        return {}
