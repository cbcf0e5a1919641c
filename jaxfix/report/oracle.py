"""The comparison of an upgraded program with the untouched one in an environment with the old jax."""

from enum import Enum

from jaxfix.source.frozen import frozen


class Answer(Enum):
    """The result of comparing the two runs."""

    BITWISE = "equal"
    ROUNDED = "equal up to rounding"
    DIFFERENT = "different"
    FAILED = "failed"

    @property
    def agrees(self) -> bool:
        """Whether the fixed program does what the old one did."""
        return self in (Answer.BITWISE, Answer.ROUNDED)


@frozen
class Oracle:
    """The answer with its reason: what was compared, or where the two differ."""

    answer: Answer
    reason: str
