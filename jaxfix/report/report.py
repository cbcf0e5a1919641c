"""What crosses process boundaries: findings, patches, measurements, evidence. JSON, versioned."""

from collections.abc import Mapping
from dataclasses import field

from jaxfix.report.evidence import Comparison, Evidence
from jaxfix.report.finding import Confidence, Cost, Fate, Fix, Safety
from jaxfix.report.reason import Reason
from jaxfix.report.seal import Seal
from jaxfix.report.trace.gains import Went
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen

SCHEMA = 1


@frozen
class Seen:
    """The cost of a finding, as a traced run measured it.

    Attributes:
      seconds: of the compiles, and of what follows.
      programs: that ran one by one; `moves` values between host and device.
      per_step: programs and moves in each step; None outside of steps.
      share: of the run that `seconds` are, from 0 to 1; None where its length is unknown.
    """

    compiles: int
    seconds: float
    programs: int = 0
    moves: int = 0
    per_step: float | None = None
    share: float | None = None


@frozen
class Anchor:
    """The place of a finding, independent of line numbers and layout.

    Attributes:
      function: as `Module.path`.
      text: the first line of its statement, for a person.
      digest: of its statement, without the blocks that it has.
    """

    function: str
    text: str
    digest: str


@frozen
class Related:
    """A place related to a finding, such as the loop that repeats it; counted as in `Diagnostic`.

    Attributes:
      path: of another file, of which the line alone is known: it begins and ends at its start; None for the same one.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    cell: int | None = None
    path: str | None = None


@frozen
class Diagnostic:
    """A finding, as reported: lines and columns from 1, columns in code points, the end exclusive.

    Attributes:
      key: the key of its fix; also names a finding without one. It outlives other fixes of its file.
      anchor: what a baseline knows it by. It outlives other words of its message, and other code around it.
      fixable: whether a recipe made edits that may be written.
      declined: why it is not fixable, its line counted as in `line`; None if it is.
      seen: what a trace has seen of it; None where no trace was read, or none reached it.
      cell: of a notebook, from 1, within which lines count; None elsewhere.
      related: where it is run repeatedly: the calls that lead to it, then the loop; in the same file where there
        is one, else in others.
      deprecated: whether what it uses is deprecated.
      fate: as the finding's own.
      renames: as the finding's own.
      certain_if: what would make it certain, where it is only possible; None where that is not known.
      cost: the kind of cost that its codemod finds; None where that is not known.
      loops: how many nested loops repeat it, as far as the code shows.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    id: str
    message: str
    confidence: Confidence
    safety: Safety
    title: str
    fixable: bool
    declined: Reason | None
    key: str
    anchor: Anchor
    seen: Seen | None = None
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)

    related: tuple[Related, ...] = ()
    deprecated: bool = False
    fate: Fate | None = None
    renames: bool = False
    certain_if: str | None = None
    cost: Cost | None = None
    loops: int = 0


@frozen
class Held:
    """A fix that was not taken, and why, lower case."""

    fix: Fix
    reason: Reason


@frozen
class Patch:
    """One file before and after, as raw bytes; `applied` in the order in which they were made."""

    path: str
    before: bytes
    after: bytes
    applied: tuple[Fix, ...]
    held: tuple[Held, ...]


@frozen
class Generated:
    """A helper file whose functions fixes call.

    Attributes:
      before: its present bytes; None for a new file.
      functions: those that are called.
    """

    path: str
    before: bytes | None
    after: bytes
    functions: tuple[str, ...]


@frozen
class Report:
    """The result of one command. `errors` are sentences that name their path.

    Attributes:
      together: the cases that were rerun, without any fix and with all that are proven.
      generated: the helper files that the fixes need.
      went: where a program that was rerun spent its time, before and now.
      seen: what its first run has seen of findings, by path and key.
      seal: the sources that the evidence is about; None where there is none.
    """

    findings: tuple[Diagnostic, ...] = ()
    errors: tuple[str, ...] = ()
    patches: tuple[Patch, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    together: tuple[Comparison, ...] = ()
    generated: tuple[Generated, ...] = ()
    went: Went | None = None
    seen: Mapping[tuple[str, str], Seen] = field(default_factory=dict)
    seal: Seal | None = None
    schema: int = field(default=SCHEMA)
