"""Answers from a table, and a record of every query."""

from typing import TypeVar, cast

from jaxfix.semantic.project.query import Answers, Asked, Query

A = TypeVar("A")


class RecordingProject:
    """Stands for the project while a file is looked at.

    Answers as a project without files does, but for the answers it got.

    Attributes:
      asked: every query so far.
    """

    def __init__(self, told: Answers | None = None) -> None:
        self._told = told or {}
        self.asked: set[Asked] = set()

    def ask(self, query: Query[A], about: str) -> A:
        """The answer it got, or that of a project without files."""
        asked = query.name, about
        self.asked.add(asked)
        # each answer has the type that its query declares
        return cast(A, self._told[asked]) if asked in self._told else query.default
