"""Parts of states that started weakly typed in a run and came back strongly typed."""

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
      dtype: of the part, from the start.
      is_here: whether a line of the file at hand asked for what compiled again.
      beside: the name of the first part that was lost at the same compile: those are parts of one state.
    """

    name: str
    dtype: str
    is_here: bool
    beside: str = ""

    @property
    def parameter(self) -> str:
        """The parameter of the jitted function that holds the part."""
        found = _NAME.match(self.name)
        return found[0] if found is not None else ""

    @property
    def path(self) -> tuple[str | int, ...] | None:
        """The path from the parameter to the part; None where the name has another form."""
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
    """The drifting parts that a cause names; empty for any cause but a lost weak type."""
    every = () if cause is None or cause.name is None else (cause, *cause.others)
    beside = cause.name or "" if cause is not None else ""
    found = ((each.name, *_type(each)) for each in every if each.why is Why.WEAK_TYPE)
    return tuple(Drift(name, dtype, is_here, beside) for name, is_weak, dtype in found if name is not None and is_weak)


def _type(cause: Cause) -> tuple[bool, str]:
    """Whether it was weak, and its dtype."""
    strength, _, dtype = (cause.before or "").partition(" ")
    return strength == "weak", dtype
