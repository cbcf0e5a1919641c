"""The evidence of two runs for a fix: the verdict, and its grounds. JSON, versioned."""

from enum import Enum

from jaxfix.report.measurement import Environment
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen

SIZE = "compiled operations"
DATA = "constants in programs"
"""How a reason begins that tells how large programs are."""
READS = "blocking reads"
"""The beginning of a reason about the host's blocking reads."""
DISPATCHES = "dispatches per run"
"""The beginning of a reason about the programs that jax runs one by one."""
TEMPORARY = "temporaries of programs"
"""How a reason begins that tells how much memory programs need while they run."""
DONATED = "donated buffers"
"""How a reason begins that tells what compiled programs overwrite."""
KEYS = "the key checker of jax"
"""How a reason begins that tells whether a random key is used twice."""


class Verdict(Enum):
    """The result of two runs that differ by one fix."""

    PROVEN = "proven"
    NO_EFFECT = "no effect"
    DIFFERENT = "different"
    FAILED = "failed"
    SLOWER = "slower"
    NOT_COMPARED = "not compared"
    NOT_REACHED = "not reached"

    @property
    def is_refuted(self) -> bool:
        """Whether the fix was seen to change results, to break a run, or to slow its steps down much."""
        return self in (Verdict.DIFFERENT, Verdict.FAILED, Verdict.SLOWER)


class Level(Enum):
    """How equal the results of a proven fix are, the strongest first."""

    PROGRAM_OF_ANY_SIZE = "the same program, for every size"
    PROGRAM = "the same program"
    """For every value of the shapes and dtypes of the calls; with an added `jit`, up to what XLA rounds."""
    BITWISE = "bitwise on the run"
    ROUNDING = "equal up to rounding"


@frozen
class Counts:
    """The figures of one run that a receipt shows; `rss_bytes` per steady step, `seconds` of compilation."""

    compiles: int
    steady_compiles: int
    traces: int
    rss_bytes: float
    peak_bytes: int
    seconds: float = 0.0


@frozen
class Course:
    """The steps of one run, for a chart: one entry for each point, in order.

    Attributes:
      steps: the number, from 1, of the last step that the point stands for.
      compiles: of the busiest of its steps.
      rss_bytes: resident at its end.
    """

    steps: tuple[int, ...]
    compiles: tuple[int, ...]
    rss_bytes: tuple[int, ...]


@frozen
class Comparison:
    """One case with and without a fix.

    Attributes:
      equality: what was shown of the results, in words.
      max_delta: the largest difference of floats, relative to the largest value of their array.
      max_ulp: the same in units in the last place.
      beside: calls of the original beside the rewritten function whose results were equal.
      alone: why the original could not be called beside it; None if it was, or was not tried.
      narrow: whether the counts are those of the function's own lines, as other fixes save compiles in the same run.
      cured: whether the run without the change raised, and the one with it did not; their counts do not compare.
      course_before: the steps without the change; None where there are none, and in older receipts.
      course_after: those with it.
      untried: what was not tried of the rewritten function, in words.
      level: how much is known of the results, of what is proven; None of anything else.
    """

    case: str
    verdict: Verdict
    reason: str
    before: Counts
    after: Counts
    equality: str
    max_delta: float
    max_ulp: float = 0.0
    beside: int = 0
    alone: str | None = None
    narrow: bool = False
    cured: bool = False
    course_before: Course | None = None
    course_after: Course | None = None
    untried: tuple[str, ...] = ()
    level: Level | None = None


@frozen
class Evidence:
    """The receipt of one fix. `reason` is one line for a person; `line` counts within `cell` of a notebook."""

    path: str
    key: str
    codemod: str
    title: str
    line: int
    verdict: Verdict
    reason: str
    comparisons: tuple[Comparison, ...]
    environment: Environment | None
    command: str
    source_sha256: str
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)
