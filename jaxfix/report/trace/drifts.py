"""Parts of states that a run has seen to start weakly typed, and to come back strongly typed."""

import re

from jaxfix.report.trace.cause import Cause, Why
from jaxfix.source.frozen import frozen

_STEP = re.compile(r"\.(?P<field>[^\W\d]\w*)|\[(?P<index>\d+)\]|\[(?P<quote>['\"])(?P<key>[^'\"]+)(?P=quote)\]")
_NAME = re.compile(r"[^\W\d]\w*")


@frozen
class Drift:
    """One part.

    Attributes:
      name: as the run names it: a parameter, and the way to the part: `state['best']`, `opt_state[0].count`.
      dtype: that it has had from the start.
      is_here: whether a line of the file at hand asked for what compiled again.
      beside: the name of the first part that was lost at the same compile: those are parts of one state.
    """

    name: str
    dtype: str
    is_here: bool
    beside: str = ""

    @property
    def parameter(self) -> str:
        """What the jitted function calls the whole."""
        found = _NAME.match(self.name)
        return found[0] if found is not None else ""

    @property
    def path(self) -> tuple[str | int, ...] | None:
        """The way from the whole to the part; None where the name tells another one."""
        rest, found = self.name[len(self.parameter) :], list[str | int]()
        while rest:
            step = _STEP.match(rest)
            if step is None:
                return None
            found.append(int(step["index"]) if step["index"] else step["field"] or step["key"])
            rest = rest[step.end() :]
        return tuple(found)


ANY_PART = Drift("*", "", is_here=False)
"""Stands for whatever a run may show of parts, where it is asked whether one can tell anything."""


def drifts(cause: Cause | None, *, is_here: bool) -> tuple[Drift, ...]:
    """What a cause tells of parts; nothing of any other cause than a weak type that is lost."""
    every = () if cause is None or cause.name is None else (cause, *cause.others)
    beside = cause.name or "" if cause is not None else ""
    found = ((each.name, *_type(each)) for each in every if each.why is Why.WEAK_TYPE)
    return tuple(Drift(name, dtype, is_here, beside) for name, is_weak, dtype in found if name is not None and is_weak)


def _type(cause: Cause) -> tuple[bool, str]:
    """Whether it was weak, and its dtype."""
    strength, _, dtype = (cause.before or "").partition(" ")
    return strength == "weak", dtype
