"""What a run of a program showed: compiles, outputs, steps, environment. JSON, versioned."""

from dataclasses import field
from enum import Enum
from itertools import accumulate

from jaxfix.report.trace.cause import Cause
from jaxfix.report.trace.noted import Noted
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen


@frozen
class Compile:
    """One program compiled by XLA, at the innermost user line that requested it.

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
      instance: numbers the functions that a process has made of that definition.
      process: the number, from 0, of the process that compiled it.
      operations: of the lowered program; None where that was not asked for.
      digest: of the lowered program without its larger constants; None where that was not asked for.
      temporary_bytes: that it needs while it runs; None also where the device does not tell.
      donated_bytes: of its arguments, that it writes its results to; None also where the device does not tell.
      constant_bytes: of the data in it; None where that was not asked for.
      flops: floating-point operations of one run, a loop as the compiler counts it; None where it does not tell.
      noted: what it holds that no source shows.
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
    operations: int | None = None
    digest: str | None = None
    temporary_bytes: int | None = None
    donated_bytes: int | None = None
    constant_bytes: int | None = None
    flops: float | None = None
    noted: tuple[Noted, ...] = ()

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)


@frozen
class Leaf:
    """One array, or Python value, of an output.

    Attributes:
      path: in its pytree, such as `[1].count`.
      dtype: of an array; the type's name in brackets, such as `<int>`, of anything else.
      digest: of dtype, shape and bytes, NaNs included; None for a traced value.
      placed: the devices that it is committed to, with the part of the array on each; None where jax chose.
      sample: up to 4096 values, evenly spaced, of an array of numbers (real parts, then imaginary ones).
    """

    path: str
    dtype: str
    shape: tuple[int, ...]
    weak_type: bool
    digest: str | None
    sample: tuple[float, ...]
    nans: int
    placed: str | None = None


@frozen
class Output:
    """What one call returned. `label` names the call: `update 3` or `train.py:step call 2`."""

    label: str
    treedef: str
    leaves: tuple[Leaf, ...]


@frozen
class Step:
    """One update, one iteration of the training loop, or one call of a rewritten function.

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
        """The compiles of all the steps that it stands for."""
        return self.compiles if self.together is None else self.together


@frozen
class Beside:
    """A call of the original and one of the rewritten function, in one process, with the same arguments.

    Attributes:
      function: as `path:qualified name`.
      how: `as called`, `perturbed`, ``rebound `scale` `` or `gradient`.
      before: what the original returned.
      double: of results whose bits differ, how far apart they are in double precision, relative to the scale of what
        they were computed from; None where that is not known.
      is_widened: whether that is of their jaxprs with every float widened, as their code asks for dtypes of its own.
      lost: how far they are apart as the program runs them, where less than half of their digits agree.
      deleted: arguments that the rewritten function deletes, as by donation, and the original does not.
      foreign: whether the arguments are of a dtype that the program, whose own code the function is, never passes.
    """

    function: str
    how: str
    before: Output
    after: Output
    double: float | None = None
    is_widened: bool = False
    lost: float = 0.0
    foreign: bool = False
    deleted: tuple[str, ...] = ()


@frozen
class Traced:
    """An original and its rewritten function, traced with arrays like those of one call.

    Attributes:
      function: as `path:qualified name`.
      arrays: the types of the arrays, such as `float32[32]`.
      is_same: whether both are the same program: the same operations on the same values, wherever `jit` begins.
      any_size: whether they are that also of arrays of all other sizes from 2 on, equal ones staying equal.
      besides: what might make them another one: arguments that are not arrays, and what may be rebound.
      computes: whether jax computes anything there of arrays; what Python does with texts, numbers and containers, no
        trace shows.
    """

    function: str
    arrays: tuple[str, ...]
    is_same: bool
    any_size: bool
    besides: tuple[str, ...] = ()
    computes: bool = True


@frozen
class Worked:
    """The operations of one call of a function, and of one of its original, by their programs.

    Attributes:
      function: as `path:qualified name`.
      operations_before: that the original runs, each iteration of a loop counted.
      values_before: the numbers that these make.
      freed: expensive operations that always run, and in the original only where a branch is taken.
      paced: seconds of a warm call of the original and of the function under `jit`, several times; where asked for.
    """

    function: str
    operations_before: int
    operations_after: int
    values_before: int
    values_after: int
    freed: tuple[str, ...] = ()
    paced: tuple[tuple[float, float], ...] = ()


@frozen
class Razor:
    """The results of single steps of a function, eagerly and under the `jit` that a fix has added.

    Attributes:
      function: what is under `jit`, as `path:qualified name`.
      calls: of the program, and how many of them are `steps` that were compared.
      single: the largest difference as the program runs it, relative to the largest value of its leaf.
      double: the same in double precision, relative to the scale of what the leaf was computed from.
      doubled: the steps that were compared in double precision; of those `traced` the operations that `jit` compiles
        were run one by one instead, and returned every bit.
      widened: the steps of which both jaxprs were run with every float widened.
      difference: the first one that may not be, in words.
      seconds: that this took.
      counted: attributes of what it returns that are Python numbers, and arrays of the same value under `jit`.
      unlike: other arguments of the host on which `jit` is not what the function is without it, in words.
    """

    function: str
    calls: int
    steps: int
    leaves: int
    doubled: int
    traced: int
    single: float
    double: float
    difference: str | None
    seconds: float
    widened: int = 0
    counted: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


class Kind(Enum):
    """What the time of a line is spent on.

    Attributes:
      EAGER: jax runs programs one by one, outside of compiled functions.
      READ: the host reads an array, and waits until it is computed.
      PUT: a host array is put on a device.
      WAIT: `block_until_ready`.
      TRACING: jax traces or compiles; what it compiled is reported exactly elsewhere.
      OWN: everything else: Python, and calls of compiled functions.
    """

    EAGER = "eager"
    READ = "read"
    PUT = "put"
    WAIT = "wait"
    TRACING = "tracing"
    OWN = "own"


@frozen
class Spent:
    """The time that one line of the user's spent on one kind of work.

    Attributes:
      chain: the user's lines from that one outwards, as `file:line in function`.
      names: of the programs that it ran, or of the ways in which it read; the first few.
      count: how often it did that, in all threads; 0 where that is not counted.
      in_steps: of `count`, those within the loop, or the function, that makes the steps; None of a line outside.
      seconds: of reads, puts and waits as the clock says; else estimated by looks at the main thread.
      waited_s: of `seconds`, those until the device was ready.
      process: the number, from 0, of the process.
    """

    kind: Kind
    path: str
    line: int
    function: str
    chain: tuple[str, ...]
    names: tuple[str, ...]
    count: int
    in_steps: int | None
    seconds: float
    waited_s: float = 0.0
    cell: int | None = None
    process: int = 0

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)


@frozen
class Environment:
    """Python, jax and device of a measurement; evidence holds for these alone.

    Attributes:
      interpreter: the executable that answered; None where an older receipt does not say.
    """

    python: str
    jax: str
    jaxlib: str
    device: str
    platform: str
    interpreter: str | None = None


@frozen
class Measurement:
    """One run of one case.

    Attributes:
      case: such as `optax.radam, eager, float32` or the command.
      failure: why the run failed, in one line; None if it did not.
      steps: in order; empty where the program has none.
      functions: the rewritten functions that were called, each as `path:qualified name`.
      loaded: sha256 of each patched source that a process of the run loaded, by path.
      calls: of each rewritten function, outside of any trace; `outputs` may hold only the first of them.
      staged_bytes: what the arrays take that a rewritten function returned while `jit` alone traced it, at most; None
        where their shapes do not tell.
      beside: calls of originals and rewritten functions side by side; only a run with patched sources has them.
      programs: originals and rewritten functions that were traced, of the calls beside each other.
      work: of functions that are not the same program as their original.
      razor: single steps of functions whose added `jit` was taken out; only a run of such sources has them.
      alone: why the original of a function could not be called beside it, by function.
      logged: what the user's code logged, in order, as `LEVEL logger: message`.
      warned: each warning that was shown, once, as `Category: text`.
      stderr: of all its processes.
      left: what the program left in each variable of its modules when it ended.
      untried: what was not tried of a function beside its original, in words, by function.
      stopped: why the run was ended before its end, such as `after 20 steps`; None if it was not.
      where_steps: what the steps are, such as `train.py:30`; None where the caller knows.
      steps_from: the first step, from 1, that is steady; those before it warm up.
      device_peak_bytes: the most memory that was in use on any device; None where devices do not tell.
      devices: how many jax had, of all platforms; 0 where it does not tell.
      has_one_device: whether jax had a single device in all, and no source of the program's cares for devices.
      spent: what lines did beside compiling, by process; only a trace has it.
      seconds: that its processes with jax ran, together; 0 where that is not known.
      has_jax: whether a process that was watched imported jax.
      reads: the files and folders that it has read, with the state that each was in; None where that is not known.
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
    staged_bytes: dict[str, int | None] = field(default_factory=dict)
    beside: tuple[Beside, ...] = ()
    programs: tuple[Traced, ...] = ()
    work: tuple[Worked, ...] = ()
    razor: tuple[Razor, ...] = ()
    alone: dict[str, str] = field(default_factory=dict)
    untried: dict[str, tuple[str, ...]] = field(default_factory=dict)
    left: tuple[Output, ...] = ()
    logged: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    stderr: str = ""
    stopped: str | None = None
    where_steps: str | None = None
    steps_from: int = 3
    device_peak_bytes: int | None = None
    devices: int = 0
    has_one_device: bool = False
    has_jax: bool = False
    spent: tuple[Spent, ...] = ()
    seconds: float = 0.0
    reads: dict[str, str] | None = None

    @property
    def memory_bytes(self) -> int:
        """The peak memory in bytes: of the device where it reports it, else of the process."""
        return self.peak_bytes if self.device_peak_bytes is None else self.device_peak_bytes

    @property
    def step_numbers(self) -> tuple[int, ...]:
        """For each of `steps` the number, from 1, of its last step."""
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
