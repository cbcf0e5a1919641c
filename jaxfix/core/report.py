"""What crosses process boundaries: findings, patches, measurements, evidence. JSON, versioned."""

from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate

from jaxfix.core.cause import Cause
from jaxfix.core.finding import Confidence, Fix, Safety

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Seen:
    """What a traced run compiled because of a finding: how often, and the seconds that it took."""

    compiles: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a finding stands, whatever is written above it and however it is laid out.

    Attributes:
      function: as `Module.path`.
      text: the first line of its statement, for a person.
      digest: of its statement, without the blocks that it has.
    """

    function: str
    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class Related:
    """A place that a finding has to do with, such as the loop that makes it repeat; counted as in `Diagnostic`.

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


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding as it is told: lines and columns from 1, columns in code points, the end exclusive.

    Attributes:
      key: the key of its fix; also names a finding without one. It outlives other fixes of its file.
      anchor: what a baseline knows it by. It outlives other words of its message, and other code around it.
      fixable: whether a recipe made edits that may be written.
      declined: why it is not fixable; None if it is.
      seen: what a trace has seen of it; None where no trace was read, or none reached it.
      cell: of a notebook, from 1, within which lines count; None elsewhere.
      related: where it is run again and again: the calls that lead to it, then the loop; in the same file where there
        is one, else in others.
      deprecated: whether what it uses is deprecated.
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
    declined: str | None
    key: str
    anchor: Anchor
    seen: Seen | None = None
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place as it is shown."""
        return shown_place(self.path, self.cell, self.line)

    related: tuple[Related, ...] = ()
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """A fix that was not taken, and why, lower case."""

    fix: Fix
    reason: str


@dataclass(frozen=True, slots=True)
class Patch:
    """One file before and after, as raw bytes; `applied` in the order in which they were made."""

    path: str
    before: bytes
    after: bytes
    applied: tuple[Fix, ...]
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A helper file that fixes call functions of.

    Attributes:
      before: its bytes until now; None where there is no such file.
      functions: those that are called.
    """

    path: str
    before: bytes | None
    after: bytes
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compile:
    """One program that XLA compiled, at the innermost line of the user's that asked for it.

    Attributes:
      chain: the user's lines from that one outwards, as `file:line in function`.
      program: what was compiled, such as `scan` or `jit(step)`.
      cause: why it was not found in a cache; None where nothing is known.
      seconds: of tracing, lowering and compiling together.
      at_s: when it ended, in seconds since its process began.
      cached: whether it came from the persistent compilation cache.
      step: the number of the step, from 1, in which it happened; None outside of steps.
      cell: of a notebook, from 1, within which `line` counts; None elsewhere.
      of: the user's function that was compiled, as `file:line in function`; None for a primitive or a library's.
      instance: tells apart the functions that a process has made of that definition.
      process: the number, from 0, of the process that compiled it.
    """

    path: str
    line: int
    function: str
    chain: tuple[str, ...]
    program: str
    cause: Cause | None
    seconds: float
    tracing_s: float = 0.0
    lowering_s: float = 0.0
    compiling_s: float = 0.0
    at_s: float = 0.0
    cached: bool = False
    step: int | None = None
    cell: int | None = None
    of: str | None = None
    instance: str | None = None
    process: int = 0

    @property
    def where(self) -> str:
        """The place as it is shown."""
        return shown_place(self.path, self.cell, self.line)


def shown_place(path: str, cell: int | None, line: int) -> str:
    """A line as it is shown: `train.py:3`, or `train.ipynb:cell 2:3`."""
    return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:{line}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array, or Python value, of an output.

    Attributes:
      path: in its pytree, such as `[1].count`.
      dtype: of an array; the type's name in brackets, such as `<int>`, of anything else.
      digest: of dtype, shape and bytes, NaNs included; None for a traced value.
      sample: up to 4096 values, evenly spaced, of an array of numbers (real parts, then imaginary ones).
    """

    path: str
    dtype: str
    shape: tuple[int, ...]
    weak_type: bool
    digest: str | None
    sample: tuple[float, ...]
    nans: int


@dataclass(frozen=True, slots=True)
class Output:
    """What one call returned. `label` says which call: `update 3` or `train.py:step call 2`."""

    label: str
    treedef: str
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What happened during one update, one iteration of the training loop, or one call of a rewritten function.

    Attributes:
      rss_bytes: resident at its end.
      live_arrays: at its end; None where they were not counted.
      at_s: when it ended, in seconds since its process began.
      iterations: how many steps it stands for, where there are too many to record each: the counts are those of the
        busiest of them, the time is their mean, the memory is at the end of the last.
      together: the compiles of all the steps that it stands for; None where it stands for one.
    """

    compiles: int
    traces: int
    rss_bytes: int
    seconds: float
    live_arrays: int | None = None
    at_s: float = 0.0
    iterations: int = 1
    together: int | None = None

    @property
    def compiled(self) -> int:
        """How often anything compiled in all the steps that it stands for."""
        return self.compiles if self.together is None else self.together


@dataclass(frozen=True, slots=True)
class Beside:
    """A call of the original and one of the rewritten function, side by side in one process, of the same arguments.

    Attributes:
      function: as `path:qualified name`.
      how: `as called`, `perturbed`, ``rebound `scale` ``, `gradient` or `jaxpr`.
      before: what the original returned.
    """

    function: str
    how: str
    before: Output
    after: Output


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a measurement was made; evidence holds for this alone."""

    python: str
    jax: str
    jaxlib: str
    device: str
    platform: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run of one case.

    Attributes:
      case: such as `optax.radam, eager, float32` or the command.
      failure: why the run did not end well, in one line; None if it did.
      steps: in order; empty where the program has none.
      functions: the rewritten functions that were called, each as `path:qualified name`.
      loaded: sha256 of each patched source that a process of the run loaded, by path.
      calls: of each rewritten function, outside of any trace; `outputs` may hold only the first of them.
      beside: calls of originals and rewritten functions side by side; only a run with patched sources has them.
      alone: why the original of a function could not be called beside it, by function.
      stopped: why the run was ended before its end, such as `after 20 steps`; None if it was not.
      where_steps: what the steps are, such as `train.py:30`; None where the caller knows.
      steps_from: the first step, from 1, that is steady; those before it warm up.
      device_peak_bytes: the most memory that was in use on any device; None where devices do not tell.
      has_jax: whether a process that was watched imported jax.
    """

    case: str
    failure: str | None
    compiles: tuple[Compile, ...]
    traces: int
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    stdout: str
    functions: tuple[str, ...]
    loaded: dict[str, str]
    peak_bytes: int
    environment: Environment | None
    calls: dict[str, int] = field(default_factory=dict)
    beside: tuple[Beside, ...] = ()
    alone: dict[str, str] = field(default_factory=dict)
    stopped: str | None = None
    where_steps: str | None = None
    steps_from: int = 3
    device_peak_bytes: int | None = None
    has_jax: bool = False

    @property
    def memory_bytes(self) -> int:
        """The most memory in use: on the device where it tells, else of the process."""
        return self.peak_bytes if self.device_peak_bytes is None else self.device_peak_bytes

    @property
    def step_numbers(self) -> tuple[int, ...]:
        """For each of `steps` the number, from 1, of the last step that it stands for."""
        return tuple(accumulate(step.iterations for step in self.steps))

    @property
    def steady_steps(self) -> tuple[Step, ...]:
        """Those of `steps` that stand for steps from `steps_from` on, and for none before it."""
        numbered = zip(self.steps, self.step_numbers, strict=True)
        return tuple(step for step, number in numbered if number - step.iterations + 1 >= self.steps_from)

    @property
    def steady_compiles(self) -> int:
        """The most compiles of any step from `steps_from` on; 0 if there are fewer."""
        return max((step.compiles for step in self.steady_steps), default=0)

    @property
    def steady_rss_bytes(self) -> float:
        """The growth of resident memory per step from `steps_from` on, in bytes; 0 if there are fewer than two."""
        steady = self.steady_steps
        passed = sum(step.iterations for step in steady[1:])
        return (steady[-1].rss_bytes - steady[0].rss_bytes) / passed if passed else 0.0


class Verdict(Enum):
    """What two runs say of the one fix in which they differ."""

    PROVEN = "proven"
    NO_EFFECT = "no effect"
    DIFFERENT = "different"
    FAILED = "failed"
    NOT_COMPARED = "not compared"
    NOT_REACHED = "not reached"

    @property
    def is_refuted(self) -> bool:
        """Whether the fix was seen to change results, or to break a run."""
        return self in (Verdict.DIFFERENT, Verdict.FAILED)


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of one run that a receipt shows; `rss_bytes` per steady step, `seconds` of compilation."""

    compiles: int
    steady_compiles: int
    traces: int
    rss_bytes: float
    peak_bytes: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Course:
    """What the steps of one run did, for a chart: one entry for each point, in order.

    Attributes:
      steps: the number, from 1, of the last step that the point stands for.
      compiles: of the busiest of its steps.
      rss_bytes: resident at its end.
    """

    steps: tuple[int, ...]
    compiles: tuple[int, ...]
    rss_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One case with and without a fix.

    Attributes:
      equality: what was shown of the results, in words.
      max_delta: the largest difference of floats, relative to the largest value of their array.
      max_ulp: the same in units in the last place.
      beside: calls of the original beside the rewritten function whose results were equal.
      alone: why the original could not be called beside it; None if it was, or if nobody tried.
      narrow: whether the counts are those of the function's own lines, as other fixes save compiles in the same run.
      cured: whether the run without the fix raised, and the one with it did not; their counts do not compare.
      course_before: the steps without the fix; None where there are none, and in older receipts.
      course_after: those with it.
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


@dataclass(frozen=True, slots=True)
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
        """The place as it is shown."""
        return shown_place(self.path, self.cell, self.line)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a run has to say. `errors` are sentences that name their path.

    Attributes:
      together: the cases that were rerun, without any fix and with all that are proven.
      generated: the helper files that the fixes need.
    """

    findings: tuple[Diagnostic, ...] = ()
    errors: tuple[str, ...] = ()
    patches: tuple[Patch, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    together: tuple[Comparison, ...] = ()
    generated: tuple[Generated, ...] = ()
    schema: int = field(default=SCHEMA)
