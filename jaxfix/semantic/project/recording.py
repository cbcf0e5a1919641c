"""Answers from a table, and a record of every query."""

from collections.abc import Iterable
from typing import TypeVar, cast

from jaxfix.semantic.project.query import QUERIES, Answers, Asked, Query

A = TypeVar("A")


class RecordingProject:
    """Stands for the project while a file is analysed.

    Answers as a project without files does, except the answers that it has.

    Args:
      answers: the first that has one for a query gives it.

    Attributes:
      asked: every query so far.
      told: the answers that it gave.
      turns: by whose turn it was, what was asked for the first time.
    """

    def __init__(self, *answers: Answers) -> None:
        self._answers = answers
        self.asked: set[Asked] = set()
        self.told: Answers = {}
        self.turns: dict[str, set[Asked]] = {}
        self._turn: set[Asked] = set()

    def begin(self, turn: str) -> None:
        """What is asked from here on is asked by `turn`."""
        self._turn = self.turns.setdefault(turn, set())

    def recall(self, turn: str, asked: Iterable[Asked]) -> None:
        """Takes it that `turn` has asked that."""
        self.begin(turn)
        for query, about in asked:
            self.ask(QUERIES[query], about)

    def ask(self, query: Query[A], about: str) -> A:
        """The answer that it has, or that of a project without files."""
        asked = query.name, about
        if asked not in self.asked:
            self.asked.add(asked)
            self._turn.add(asked)
            known = next((some for some in self._answers if asked in some), None)
            if known is not None:
                self.told[asked] = known[asked]
        # each answer has the type that its query declares
        return cast(A, self.told[asked]) if asked in self.told else query.default
