"""Which call of a stranger's code goes on, for who watches the time: what a pack brings along may never return."""

from contextvars import ContextVar


class Overtime(BaseException):
    """Raised in the midst of a stranger's code that does not come to an end; says how long it has had.

    No `Exception`: packs catch those.
    """


turn: ContextVar[object] = ContextVar("turn", default=None)
"""Another object for each call of a stranger's code; None between two of them."""
