"""Why something is declined: a code that can be counted, and words for a person."""

import re
from dataclasses import replace
from enum import StrEnum
from typing import Self

from jaxfix.source.frozen import frozen

_CODE = re.compile(r"[a-z]+(-[a-z0-9]+)*")


class Code(StrEnum):
    """What kind of reason it is, each with what it `means`. A pack may have codes of its own, spelled alike."""

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
    UNSTABLE = "unstable", "it can be another one at another call"
    ESCAPES = "escapes", "it is handed to code that was not read, which may change it or keep it"
    LIVE = "live", "what would be given up may be read after the call"

    # --- what else happens
    SIDE_EFFECT = "side-effect", "it does something besides computing its result, which a trace does once"
    IMPURE = "impure", "it answers differently for equal arguments"
    SEES_SCOPE = "sees-scope", "it depends on where it stands: `super`, `locals`, a name that its class mangles, itself"
    COROUTINE = "coroutine", "it is a generator or a coroutine"
    MAY_FAIL = "may-fail", "it would run where it does not run now, and may fail there"

    # --- what a trace cannot do
    NEEDS_VALUE = (
        "needs-value",
        "it asks for a value that a trace does not know: a condition, a shape, an index, an exponent",
    )
    NO_ARRAY = "no-array", "it is no array, or stands where an array is not accepted"
    CAPTURED_DATA = "captured-data", "it reads data from around it, which would become a constant of the program"
    STATIC_ARGUMENT = (
        "static-argument",
        "an argument would have to be static, or is, and its values cannot be distinguished",
    )
    MANY_OBJECTS = "many-objects", "there may be many objects, each of which would be compiled for and kept alive"
    RECOMPILES = "recompiles", "it would be compiled again all the same"

    # --- what the code looks like
    FORMAT_STRING = "format-string", "it stands inside a format string"
    MULTILINE_STRING = "multiline-string", "it holds a string of several lines, whose text cannot be moved"
    LAYOUT = "layout", "the lines, the block or the comments around it cannot be rewritten"
    NO_PLACE = "no-place", "there is no place where the new code can stand, such as one below all that it reads"
    NAME_CLASH = "name-clash", "a name means another thing at the place where it would be read"
    CONDITIONAL = "conditional", "whether it is defined, or what it is, depends on a condition"
    SIGNATURE = "signature", "its parameters cannot take what they would have to"
    STAR_ARGUMENTS = "star-arguments", "`*` or `**` hides its arguments"
    DECORATED = "decorated", "it has a decorator, or a base, that may change what it is"
    OTHER_USES = "other-uses", "it has a use besides the one that is rewritten"
    ON_PURPOSE = "on-purpose", "it looks as if it were meant to be so"

    # --- what a library has become
    BY_HAND = "by-hand", "what takes its place is called in another way, and no rule says how"
    OLDER_VERSION = "older-version", "the project says that it runs with a version that lacks what takes its place"

    # --- what is not known
    UNREAD = "unread", "what it is, or who uses it, was not read"
    SEEN_ONLY = "seen-only", "only a run has shown it: the line to change is not known"

    # --- what the numbers would be
    OVERFLOW = "overflow", "a number may not fit into 32 bits"
    ROUNDING = "rounding", "the result may be rounded otherwise"
    GRADIENT = "gradient", "the gradient would be another one"
    OTHER_NUMBERS = "other-numbers", "random numbers would be other ones, which a person decides"
    DTYPE = "dtype", "the type of a result would change, or cannot be determined"
    STRUCTURE = "structure", "the structure of a result would change, or cannot be determined"
    COST = "cost", "it would cost more time or memory than it saves"
    NOT_ELEMENTWISE = "not-elementwise", "it is no choice between elementwise values"

    # --- why a fix that is there is not made
    NOT_WRITABLE = (
        "not-writable",
        "it cannot be written: the file would not parse, would lose a comment, or stay unchanged",
    )
    HINT = "hint", "there is nothing that is sure enough to be written"
    NO_EVIDENCE = "no-evidence", "no rerun has shown what it is worth"
    NOT_PROVEN = "not-proven", "a rerun has not shown it to be right"
    LEFT_OUT = "left-out", "it was not asked for, or a person has not accepted it"
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
        """The same reason in other words, such as those of a function that uses the one it was found in."""
        return replace(self, text=text)


class Declined(Exception):
    """Raised where something cannot be done; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def is_code(text: str) -> bool:
    """Whether it is spelled as a code: words of lower case, joined by hyphens."""
    return _CODE.fullmatch(text) is not None
