"""Interrupts third-party code that may never return, and names the call in progress."""

from contextvars import ContextVar


class Overtime(BaseException):
    """Raised in the midst of a stranger's code that does not come to an end; says how long it has had.

    No `Exception`: packs catch those.
    """


class Ended(SystemExit):
    """Raised in the midst of whatever jaxfix does, by who was asked to end it: no stranger's code exits."""


turn: ContextVar[object] = ContextVar("turn", default=None)
"""Another object for each call of a stranger's code; None between two of them."""
