"""An abstract number: a Python number, or an array that is weakly or strongly typed."""

from enum import Enum

from jaxfix.source.frozen import frozen


class Form(Enum):
    """What holds the number."""

    PYTHON = "Python"
    NUMPY = "NumPy"
    WEAK = "weakly typed array"
    STRONG = "strongly typed array"
    ARRAY = "array"
    """An array of which it is not known whether its type is weak."""
    UNKNOWN = "unknown"


class Kind(Enum):
    """The kind of number, in the order of promotion."""

    BOOL = 0
    INT = 1
    FLOAT = 2
    UNKNOWN = 3
    NUMBER = 4
    """One of the three first: a step of the inference, never an answer."""


@frozen
class Value:
    """An abstract value.

    Attributes:
      scalar: it is known to have no dimensions.
      varies: it can differ between runs of the line.
      assumed: it is what a default or an annotation says, and a caller may pass something else.
    """

    form: Form = Form.UNKNOWN
    kind: Kind = Kind.UNKNOWN
    scalar: bool = False
    varies: bool = False
    assumed: bool = False

    @property
    def is_array(self) -> bool:
        """Whether it is an array of any type."""
        return self.form in (Form.WEAK, Form.STRONG, Form.ARRAY)


UNKNOWN = Value()
