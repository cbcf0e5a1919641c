"""Why a program was not found in a cache of JAX."""

from enum import Enum

from jaxfix.source.frozen import frozen


class Why(Enum):
    """What differs from an earlier compile of the same line."""

    FIRST = "first compile"
    FUNCTION = "function object"
    STATIC = "static argument"
    PARAMETER = "parameter of a primitive"
    WEAK_TYPE = "weak type"
    DTYPE = "dtype"
    SHAPE = "shape"
    SHARDING = "sharding"
    STRUCTURE = "structure"
    CONSTANT = "constant"
    CONTEXT = "configuration or context"
    UNKNOWN = "unknown"


@frozen
class Cause:
    """Why a program was not found in a cache.

    Attributes:
      words: all of it in one line, such as `weak_type of leaf `opt_state[0].count` differs`.
      name: of the argument, leaf, parameter or function that differs; None where it has none.
      before: what it was, in words; None where that is not known.
      others: what else was of another type, each as the cause that it would be alone.
    """

    why: Why
    words: str
    name: str | None = None
    before: str | None = None
    after: str | None = None
    others: "tuple[Cause, ...]" = ()
