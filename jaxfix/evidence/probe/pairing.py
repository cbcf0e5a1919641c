"""Who calls an original and its rewritten function, as those see it who say with what."""

from collections.abc import Callable
from typing import Any, Protocol

from .record import Record
from .samples import Sample
from .sides import Sides
from .supplied import Change, Supplied

Leaves = list[Any]
Call = Callable[[Leaves], Any]


class Pairing(Protocol):
    """Calls both sides of one call of the program.

    Attributes:
      name: of the rewritten function.
      sample: the arguments; others may take their place for a while.
      returns_functions: whether a call of one of both has returned a function.
    """

    name: str
    sample: Sample
    sides: Sides
    record: Record
    returns_functions: bool

    def callers(self, change: Callable[[], Change] | None = None) -> tuple[Call, Call]:
        """The original and the rewritten function, of the leaves of their arguments, which each call changes so."""
        ...

    def supplied(self, arguments: dict[str, Any]) -> Supplied:
        """What the caller supplies among these arguments."""
        ...

    def pair(self, how: str, leaves: Leaves) -> bool:
        """Calls both with these leaves; whether the original returned."""
        ...

    def has_tried(self, leaves: Leaves, others: Leaves) -> None:
        """Notes that both returned, or are one program, for what these others are instead of the leaves."""

    def compare(self, how: str, leaves: Leaves, before: Call, after: Call) -> bool:
        """Adds what both return; whether the original returned."""
        ...

    def ask(self, how: str, leaves: Leaves) -> None:
        """Notes whether the original alone raises on these leaves."""

    def tell(self, how: str, before: str, after: str) -> None:
        """Adds the observations on both besides their results."""

    def is_steady(self, leaves: Leaves, one: Call, other: Call) -> bool:
        """Whether two ways of calling the same function return the same."""
        ...
