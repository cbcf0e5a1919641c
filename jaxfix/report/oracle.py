"""What an environment of its period says of a program that was brought to another one."""

from enum import Enum

from jaxfix.source.frozen import frozen


class Answer(Enum):
    """What the two runs say of each other."""

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
    """The answer with its reason: how much was compared, or where the two differ."""

    answer: Answer
    reason: str
