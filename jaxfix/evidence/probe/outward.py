"""What jax functions that wait for an answer hold in their variables."""

from collections.abc import Iterator
from types import FrameType
from typing import Any


def holding(frame: FrameType | None, *names: str) -> Iterator[dict[str, Any]]:
    """The variables of each function from `frame` outwards whose code has all of `names`.

    No other is asked: until Python 3.13, to read the variables of a frame keeps alive what they hold, while it runs.
    """
    while frame is not None:
        code = frame.f_code
        if {*code.co_varnames, *code.co_cellvars, *code.co_freevars}.issuperset(names):
            yield frame.f_locals
        frame = frame.f_back
