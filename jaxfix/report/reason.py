"""Why something is declined: a code that can be counted, and words for a person."""

import re
from dataclasses import replace
from enum import StrEnum
from typing import Self

from jaxfix.source.frozen import frozen

_CODE = re.compile(r"[a-z]+(-[a-z0-9]+)*")


class Code(StrEnum):
    """The kinds of reasons, each with its meaning in `means`. A pack may have codes of its own, spelled alike."""

    means: str

    def __new__(cls, value: str, means: str) -> Self:
        member = str.__new__(cls, value)
        member._value_, member.means = value, means
        return member

    # --- what changes
    REBOUND = "rebound", "a name or an attribute is bound more than once, or in each iteration of a loop"
    MUTATED = "mutated", "an object is changed in place"
    CHANGED_ELSEWHERE = "changed-elsewhere", "another file changes it"
    CELL_RERUN = "cell-rerun", "another cell of the notebook changes it, or a cell reloads it"
    UNSTABLE = "unstable", "it can differ between calls"
    ESCAPES = "escapes", "it is passed to unknown code, which may change it or keep it"
    LIVE = "live", "what would be donated may be read after the call"

    # --- what else happens
    SIDE_EFFECT = "side-effect", "it has a side effect, which happens only at trace time"
    IMPURE = "impure", "it returns different values for equal arguments"
    SEES_SCOPE = "sees-scope", "it depends on where it is: `super`, `locals`, a name that its class mangles, itself"
    COROUTINE = "coroutine", "it is a generator or a coroutine"
    MAY_FAIL = "may-fail", "it would run where it does not run now, and may fail there"

    # --- what a trace cannot do
    NEEDS_VALUE = (
        "needs-value",
        "it needs a concrete value, which a tracer does not have: a condition, a shape, an index, an exponent",
    )
    NO_ARRAY = "no-array", "it is not an array, or is used where an array is not accepted"
    CAPTURED_DATA = "captured-data", "it captures data, which would become a constant of the compiled program"
    STATIC_ARGUMENT = (
        "static-argument",
        "an argument would have to be static, or is, and its values cannot be distinguished",
    )
    MANY_OBJECTS = "many-objects", "there may be many objects: each would compile, and be kept alive"
    RECOMPILES = "recompiles", "it would still compile again"

    # --- what the code looks like
    FORMAT_STRING = "format-string", "it is inside an f-string"
    MULTILINE_STRING = "multiline-string", "it holds a multi-line string, which would change if it moved"
    LAYOUT = "layout", "the lines, the block or the comments around it cannot be rewritten"
    NO_PLACE = "no-place", "there is no place for the new code, below all that it reads"
    NAME_CLASH = "name-clash", "a name means something else where it would be read"
    CONDITIONAL = "conditional", "its definition depends on a condition"
    SIGNATURE = "signature", "its signature cannot take the arguments that it needs"
    STAR_ARGUMENTS = "star-arguments", "`*` or `**` hides its arguments"
    DECORATED = "decorated", "it has a decorator, or a base class, that may replace it"
    OTHER_USES = "other-uses", "it is also used elsewhere"
    ON_PURPOSE = "on-purpose", "it looks intentional"

    # --- what a library has become
    BY_HAND = "by-hand", "its replacement takes other arguments, and no rule maps them"
    OLDER_VERSION = "older-version", "the project supports a version without the replacement"

    # --- what is not known
    UNREAD = "unread", "its definition, or where it is used, is unknown"
    SEEN_ONLY = "seen-only", "only a run has shown it: the line to change is not known"

    # --- what the numbers would be
    OVERFLOW = "overflow", "a number may not fit into 32 bits"
    ROUNDING = "rounding", "the result may be rounded differently"
    GRADIENT = "gradient", "the gradient would change"
    ON_REQUEST = "on-request", "it changes results as an option of `jaxfix apply` asks, which is not given"
    OTHER_NUMBERS = "other-numbers", "the random numbers would change: a person decides that"
    DTYPE = "dtype", "the type of a result would change, or cannot be determined"
    STRUCTURE = "structure", "the structure of a result would change, or cannot be determined"
    COST = "cost", "it would cost more time or memory than it saves"
    NOT_ELEMENTWISE = "not-elementwise", "it does not choose between elementwise values"

    # --- why a fix that is there is not made
    NOT_WRITABLE = (
        "not-writable",
        "it cannot be written: the file would not parse, would lose a comment, or stay unchanged",
    )
    HINT = "hint", "no rewrite is certain enough to write"
    NO_EVIDENCE = "no-evidence", "no rerun has measured its gain"
    NOT_PROVEN = "not-proven", "a rerun has not shown it to be right"
    LEFT_OUT = "left-out", "not requested, or not accepted in a review"
    WAITS = "waits", "another fix has to be made first"
    OVERLAPS = "overlaps", "another fix changes the same text"


@frozen
class Reason:
    """Why something is declined.

    Attributes:
      code: a `Code`, or a pack's own.
      text: lower case, no full stop, code in backticks; a clause that others embed in theirs.
      at: the line of the file, from 1, that it is about, where that is one of the same file.
    """

    code: str
    text: str
    at: int | None = None

    def __str__(self) -> str:
        return self.text

    def restated(self, text: str) -> "Reason":
        """The same reason in other words, such as for a caller of the function that it is about."""
        return replace(self, text=text)


class Declined(Exception):
    """Raised where a fix or an analysis is impossible, for `reason`."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def is_code(text: str) -> bool:
    """Whether it is a code: lower-case words joined by hyphens."""
    return _CODE.fullmatch(text) is not None
