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
    """

    name: str
    dtype: str
    is_here: bool

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


def drift(cause: Cause | None, *, is_here: bool) -> Drift | None:
    """What a cause tells of a part; None of any other cause than a weak type that is lost."""
    if cause is None or cause.why is not Why.WEAK_TYPE or cause.name is None:
        return None
    strength, _, dtype = (cause.before or "").partition(" ")
    return Drift(cause.name, dtype, is_here) if strength == "weak" else None
