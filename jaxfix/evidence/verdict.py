"""The law: what two runs that differ by one fix say of it. Pure; counts decide, times never."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from math import inf

from jaxfix.evidence.dispatching import dispatched, fewer_dispatches, is_slight
from jaxfix.evidence.donating import donates, shows
from jaxfix.evidence.effects import likeness
from jaxfix.evidence.levels import is_same, level, same_program
from jaxfix.evidence.outputs import (
    FUSING,
    JIT_TOLERANCE,
    MOVING,
    SILENCE,
    Allowed,
    Likeness,
    Noise,
    allowed,
    beside_alike,
    cure_alike,
    is_driven,
    is_jitted,
    joined,
    outputs_alike,
    raises_curable,
    rounded,
    steps_alike,
)
from jaxfix.evidence.reading import are_fewer, reads
from jaxfix.evidence.slower import Times, dearer, limit_of, saved
from jaxfix.evidence.smaller import (
    constant_bytes,
    flops,
    is_lighter,
    is_smaller,
    is_thinner,
    sizes,
    temporary_bytes,
)
from jaxfix.report.evidence import DATA, READS, SIZE, TEMPORARY, Comparison, Counts, Course, Verdict
from jaxfix.report.finding import Equality, Proves
from jaxfix.report.measurement import Measurement, Traced
from jaxfix.source.frozen import frozen

ONE_DEVICE = (
    "it ran on one device, where a mesh axis has size 1 and mistakes do not show: set "
    "`XLA_FLAGS=--xla_force_host_platform_device_count=8`"
)
_NAMED_LEAVES = 2
BY_ROUNDING = "a discrete result depends on rounding"
_OF_VALUES = (" of the largest value", ": values differ", "printed line ")
_POINTS = 120
"""Of a chart of the steps, at most."""
# The smallest drop of the peak of memory that counts: of a process, allocators and threads move it by some megabytes.
_NOTICEABLE_BYTES, _NOTICEABLE_PART, _NOISES = 8_000_000, 0.02, 3
_KEPT_PART = 0.1
"""Of the peak of memory, what numbers that wait to be read may take: some kilobytes each."""
_WAITING = 32
"""Computations that the CPU of jax lets wait at most, each with what it works on; other devices free in order."""
_PARTS = {Proves.LESS_WORK: _NOTICEABLE_PART, Proves.LESS_MEMORY: _NOTICEABLE_PART, Proves.FEWER_READS: _KEPT_PART}
"""Of the peak of memory, by which it may rise with a fix that claims another gain."""
_CLEAR = 2
"""A drop that is this many times what is needed is believed at once; a smaller one is measured again."""


@frozen
class Plain:
    """The runs of a pair with the `jit` that fixes have added taken out: every operation is dispatched by itself.

    Attributes:
      names: of what only the second run has under an added `jit`; single steps of it were compared.
    """

    before: Measurement
    after: Measurement
    names: frozenset[str]


@frozen
class Pair:
    """Two runs of one case, which differ by one fix.

    Attributes:
      jitted: the run without the fix of the same data under jit, for a case that runs eagerly; None if there is none.
      noise: what differs between two equal runs of the case.
      times: seconds of a warm step of both, in several runs, where one says that it takes longer.
      donating: functions whose fixes let a program overwrite their arguments.
      passing: functions whose fixes put what they call under `jit` in their place.
      plain: both without the `jit` that fixes have added, by which values are compared; None where none has.
      sides: the run whose calls beside the originals count; None where these are calls of `compared`.
    """

    before: Measurement
    after: Measurement
    jitted: Measurement | None = None
    noise: Noise = SILENCE
    plain: Plain | None = None
    sides: Measurement | None = None
    times: tuple[Times, ...] = ()
    donating: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()

    @classmethod
    def of(cls, before: Measurement, after: Measurement, jitted: Measurement | None, noise: Noise) -> "Pair":
        """The pair; of runs that were stopped, as far as both came."""
        if before.stopped or after.stopped:
            steps = min(len(before.steps), len(after.steps))
            before, after = _until(before, steps), _until(after, steps)
        return cls(before, after, jitted, noise)

    @property
    def compared(self) -> Measurement:
        """The run with the fix by which values are compared."""
        return self.after if self.plain is None else self.plain.after

    @property
    def called_beside(self) -> Measurement:
        """The run by which functions are compared with their originals beside them."""
        return self.compared if self.sides is None else self.sides

    @property
    def fails_alike(self) -> bool:
        """Whether both runs fail in the same way, which says nothing of the fix."""
        return self.before.failure is not None and self.before.failure == self.after.failure

    def tells_nothing(self, proves: Proves) -> bool:
        """Whether both runs fail so that nothing follows for a fix of that claim."""
        both = proves.cures and raises_curable(self.before) and raises_curable(self.after)
        return both or self.fails_alike

    def is_cured(self, proves: Proves) -> bool:
        """Whether only the run without the fix raises what a fix of that claim cures."""
        return proves.cures and raises_curable(self.before) and self.after.failure is None


def compare(
    before: Measurement,
    after: Measurement,
    equality: Equality,
    function: str,
    proves: Proves = Proves.FEWER_COMPILES,
) -> Comparison:
    """Judges a fix by a run without it and a run with it.

    Args:
      function: the rewritten one, as measurements name it (`path:qualified name`).

    Returns:
      `PROVEN` only if the function ran, the results are equal as `equality` demands, and the runs show what the fix
      `proves`.
    """
    return judge(Pair(before, after), equality, function, proves=proves)


def judge(
    pair: Pair,
    equality: Equality,
    function: str,
    proves: Proves = Proves.FEWER_COMPILES,
    raises: Collection[str] = (),
) -> Comparison:
    """As `compare`, with noise and the jitted original taken into account.

    Args:
      raises: as of `Fix`.
    """
    may, cured = _allowed(pair, equality, function, raises), pair.is_cured(proves)
    found = runs_alike(pair, equality, function, proves, raises)
    if found.difference is None and not cured:
        found = joined(found, sides_agree(pair, may, {function}))
    verdict, reason = _verdict(pair, found, function, proves)
    if verdict is Verdict.PROVEN and is_of_eager(equality, proves) and is_slight(pair.before, pair.after):
        verdict, reason = Verdict.NO_EFFECT, f"{reason}, but hardly fewer dispatches ({_dispatches(pair)})"
    if verdict is Verdict.PROVEN and _is_alone(pair, found, equality):
        verdict, reason = Verdict.NOT_COMPARED, _uncompared(pair, function)
    words = "not equal"
    if found.difference is None:
        words = "; ".join(_equality(pair, found, equality, proves, same_program(_traced(pair, function))))
    reached = level(found, equality, _traced(pair, function)) if verdict is Verdict.PROVEN else None
    before, after = counts(pair.before), counts(pair.after)
    figures = (found.max_delta, found.max_ulp, found.beside, pair.compared.alone.get(function))
    courses = course(pair.before), course(pair.after)
    untried = pair.compared.untried.get(function, ())
    return Comparison(
        pair.before.case, verdict, reason, before, after, words, *figures, False, cured, *courses, untried, reached
    )


def runs_alike(pair: Pair, equality: Equality, function: str, proves: Proves, raises: Collection[str] = ()) -> Likeness:
    """How alike the two runs are, as far as the fix may change them, whatever it returns beside its original."""
    may = _allowed(pair, equality, function, raises)
    return runs_agree(pair, may, as_jitted=equality in FUSING, cured=pair.is_cured(proves))


def _allowed(pair: Pair, equality: Equality, function: str, raises: Collection[str]) -> Allowed:
    is_plain = pair.plain is not None
    return replace(allowed(equality, pair.before.case, function, is_plain=is_plain), raises=frozenset(raises))


def _traced(pair: Pair, function: str) -> list[Traced]:
    return [entry for entry in pair.called_beside.programs if entry.function == function]


def is_of_eager(equality: Equality, proves: Proves) -> bool:
    """Whether a fix puts work that runs eagerly into one program."""
    return equality is Equality.ROUNDING and proves is Proves.FEWER_COMPILES


def _dispatches(pair: Pair) -> str:
    return f"{dispatched(pair.before):,} -> {dispatched(pair.after):,}"


def sides_agree(pair: Pair, may: Allowed, functions: Collection[str]) -> Likeness:
    """Whether the originals of `functions` agree with the rewritten ones that were called beside them."""
    mine = (entry for entry in pair.called_beside.beside if entry.function in functions)
    may = replace(may, moored=pair.called_beside.has_one_device)
    return beside_alike((replace(e, deleted=()) if e.function in pair.donating else e for e in mine), may)


def runs_agree(pair: Pair, may: Allowed, *, as_jitted: bool, cured: bool = False) -> Likeness:
    """Whether the two runs agree as far as they must; with `cured`, as far as the first one came.

    With `as_jitted` it is enough that the fix moves an eager result onto that of the original under jit: the eager
    original may be far from its own jitted self where differences of nearly equal numbers are taken.
    """
    may = replace(may, moored=pair.before.has_one_device and pair.after.has_one_device)
    if cured:
        return cure_alike(pair.before, pair.after, may, pair.noise)
    if pair.plain is not None:
        return _agree_without_jit(pair, pair.plain, may)
    noise = replace(pair.noise, labels=pair.noise.labels | _out_of_jit(pair))
    noise = replace(noise, labels=noise.labels | _under_jit(pair)) if as_jitted else noise
    found = likeness(pair.before, pair.after, may, noise)
    if found.difference is None or not as_jitted or pair.jitted is None:
        return found
    shaped = likeness(pair.before, pair.after, replace(may, tolerance=inf), noise)
    near = outputs_alike(pair.jitted.outputs, pair.after.outputs, Allowed(tolerance=JIT_TOLERANCE, untyped=True))
    return shaped if shaped.difference is None and near.difference is None and near.compared else found


def _agree_without_jit(pair: Pair, plain: Plain, may: Allowed) -> Likeness:
    """Values by the runs without the added `jit`, single steps with it, and what may not drift by those with it."""
    made = frozenset(plain.after.functions) - frozenset(plain.before.functions)  # by the fix, and traced with it
    noise = replace(pair.noise, labels=pair.noise.labels | of_calls(plain.after, made))
    values = likeness(plain.before, plain.after, may, noise)
    if values.difference is not None:
        return replace(values, difference=f"even without the added `jit`, {values.difference}")
    steps = steps_alike(plain.after.razor, plain.names)
    if steps.difference is not None:
        return replace(values, difference=steps.difference, is_open=steps.is_open)
    noise = replace(pair.noise, labels=pair.noise.labels | _under_jit(pair))
    drifted = likeness(pair.before, pair.after, replace(may, drifts=True, counted=True), noise)
    moored = (*values.moored, *drifted.moored)
    far = drifted.farthest
    return replace(
        values, difference=_hanging(drifted.difference), drift=drifted.max_delta, moored=moored, farthest=far
    )


def _hanging(difference: str | None) -> str | None:
    """What differs in the run with the added `jit` alone; of a value or a text, why."""
    is_value = difference is not None and any(words in difference for words in _OF_VALUES)
    return f"{difference}: with the added `jit`, {BY_ROUNDING}" if is_value else difference


def _under_jit(pair: Pair) -> frozenset[str]:
    """The outputs of functions that run eagerly without the fix, and with it under a trace alone."""
    moved = [name for name in pair.before.calls if name in pair.after.functions and name not in pair.after.calls]
    return of_calls(pair.before, moved)


def _out_of_jit(pair: Pair) -> frozenset[str]:
    """The outputs of functions that run under a trace alone without their fix, and call what does with it."""
    moved = [name for name in pair.before.functions if name in pair.passing and name not in pair.before.calls]
    return of_calls(pair.after, moved)


def of_calls(run: Measurement, functions: Collection[str]) -> frozenset[str]:
    """The outputs of these functions."""
    beginnings = tuple(f"{name.rpartition('/')[2]} call " for name in functions)
    return frozenset(output.label for output in run.outputs if output.label.startswith(beginnings))


def _until(measurement: Measurement, steps: int) -> Measurement:
    kept = tuple(entry for entry in measurement.compiles if entry.step is None or entry.step <= steps)
    return replace(measurement, steps=measurement.steps[:steps], compiles=kept)


def counts(measurement: Measurement) -> Counts:
    """The figures of a receipt."""
    return Counts(
        len(measurement.compiles),
        measurement.steady_compiles,
        measurement.traces,
        measurement.steady_rss_bytes,
        measurement.peak_bytes,
        sum(entry.seconds for entry in measurement.compiles),
    )


def course(measurement: Measurement) -> Course | None:
    """The steps of a run in as many points as a chart can show; neighbours become one."""
    found = list(zip(measurement.step_numbers, measurement.steps, strict=True))
    if len(found) < 2:
        return None
    size = -(-len(found) // _POINTS)
    groups = [found[start : start + size] for start in range(0, len(found), size)]
    return Course(
        tuple(group[-1][0] for group in groups),
        tuple(max(step.compiles for _, step in group) for group in groups),
        tuple(group[-1][1].rss_bytes for group in groups),
    )


def summary(comparisons: Sequence[Comparison]) -> tuple[Verdict, str]:
    """What all cases together say of a fix: one that speaks against it outweighs all that speak for it."""
    for verdict in (Verdict.DIFFERENT, Verdict.FAILED, Verdict.SLOWER):
        for entry in comparisons:
            if entry.verdict is verdict:
                return verdict, f"{entry.case}: {entry.reason}"
    for entry in comparisons:
        if entry.after.steady_compiles > entry.before.steady_compiles and not entry.cured:
            return Verdict.NO_EFFECT, f"{entry.case}: {entry.reason}"
    for entry in comparisons:
        if entry.cured and entry.verdict is Verdict.PROVEN:
            return Verdict.PROVEN, entry.reason
    proven = [entry for entry in comparisons if entry.verdict is Verdict.PROVEN]
    if proven:
        return _weighed(max(proven, key=drop), comparisons)
    for verdict in (Verdict.NO_EFFECT, Verdict.NOT_COMPARED, Verdict.NOT_REACHED):
        for entry in comparisons:
            if entry.verdict is verdict:
                return verdict, entry.reason
    return Verdict.NOT_REACHED, "nothing that was run calls it"


def drop(comparison: Comparison) -> tuple[int, int]:
    """How telling a comparison is: compiles per step saved, then compiles saved."""
    before, after = comparison.before, comparison.after
    return before.steady_compiles - after.steady_compiles, before.compiles - after.compiles


def _weighed(best: Comparison, comparisons: Sequence[Comparison]) -> tuple[Verdict, str]:
    """A fix may cost compiles at the start of one case if it saves as many in another, or some at every step.

    Who runs eagerly and who runs under jit are two users: the start of the one is not weighed against the other's.
    """
    steady, total = drop(best)
    costs = [(-drop(entry)[1], entry) for entry in comparisons if drop(entry)[1] < 0 and entry is not best]
    worst = max((cost for cost, entry in costs if is_jitted(entry.case) == is_jitted(best.case)), default=0)
    if worst > max(total, 0) and not steady:
        return Verdict.NO_EFFECT, f"saves {total} compiles in one case and costs {worst} in another"
    most = max((cost for cost, _ in costs), default=0)
    warming = f"; {most} more at the start of {len(costs)} other cases" if costs else ""
    return Verdict.PROVEN, best.reason + warming


def _verdict(pair: Pair, found: Likeness, function: str, proves: Proves) -> tuple[Verdict, str]:
    before, after = pair.before, pair.after
    if before.failure is not None and pair.tells_nothing(proves):
        return Verdict.FAILED, f"fails with and without the change: {before.failure}"
    if found.is_open:
        plain = pair.plain.after if pair.plain is not None else after
        return Verdict.NOT_COMPARED, f"{found.difference}{unfinished(plain)}"
    if found.difference is not None:
        only_after = before.failure is None and after.failure is not None
        return (Verdict.FAILED if only_after else Verdict.DIFFERENT), found.difference
    path, _, qualname = function.rpartition(":")
    if function not in before.functions and function not in after.functions:
        return Verdict.NOT_REACHED, f"`{qualname}` was never called{unfinished(before)}"
    if path not in after.loaded:
        return Verdict.NOT_REACHED, f"the patched {path} was never loaded{unfinished(after)}"
    if not found.compared and not is_same(_traced(pair, function)):
        return Verdict.NOT_COMPARED, _uncompared(pair, function)
    if proves is Proves.CURED_ON_DEVICES and after.devices < 2:
        return Verdict.NOT_COMPARED, ONE_DEVICE
    if pair.is_cured(proves):
        return Verdict.PROVEN, f"raises only without the change: {before.failure}"
    work = [entry for entry in pair.called_beside.work if entry.function == function]
    slower = dearer(before, after, work, pair.times, limit_of({proves}))
    if slower is not None:
        return Verdict.SLOWER, slower
    if proves is Proves.LESS_MEMORY:
        return memory_effect(before, after, pair.noise)
    if proves is Proves.LESS_WORK:
        verdict, words = no_cost(before, after, pair.noise)
        return verdict, f"{words}{saved(work)}" if verdict is Verdict.PROVEN else words
    if proves is Proves.FEWER_READS:
        return reads_effect(before, after, pair.noise)
    if proves in _FIGURES:
        return program_effect(_FIGURES[proves], before, after, pair.noise)
    if proves is Proves.SAME_ON_DEVICES and min(before.devices, after.devices) < 2:
        return Verdict.NOT_COMPARED, ONE_DEVICE
    if proves in (Proves.SAME_RESULTS, Proves.SAME_ON_DEVICES):
        return same_results(counts(before), counts(after), pair.noise)
    verdict, words = effect(counts(before), counts(after), pair.noise)
    fewer = fewer_dispatches(before, after, pair.noise.dispatches) if verdict is Verdict.NO_EFFECT else None
    return (verdict, words) if fewer is None else (Verdict.PROVEN, fewer)


def _is_alone(pair: Pair, found: Likeness, equality: Equality) -> bool:
    """Whether nothing but a run that may drift was compared."""
    is_exact = equality is Equality.ROUNDING and pair.plain is not None
    return equality in MOVING and not is_exact and not is_driven(pair.before.case) and not found.beside


def _uncompared(pair: Pair, function: str) -> str:
    qualname = function.rpartition(":")[2]
    if pair.noise.labels:
        return "its results differ between two equal runs: random without a seed, or dependent on a clock"
    alone = pair.compared.alone.get(function)
    words = f"`{qualname}` returned no values that can be compared{unfinished(pair.after)}"
    return words if alone is None else f"{words}; beside the original: {alone}"


def stopping(run: Measurement) -> str:
    """That the run was stopped, to follow what is said of it; nothing if it was not."""
    return f" before the run was stopped {run.stopped}" if run.stopped else ""


def unfinished(run: Measurement) -> str:
    """As `stopping`, with what helps."""
    if not run.stopped:
        return ""
    return f"{stopping(run)}: raise `{'--steps' if run.stopped.endswith(('step', 'steps')) else '--timeout'}`"


def memory_effect(before: Measurement, after: Measurement, noise: Noise = SILENCE) -> tuple[Verdict, str]:
    """What two runs with equal results say of a donation: what XLA overwrites, or else the peak of memory.

    A drop of the peak is none that two equal runs come near to.
    """
    rises = _rises(counts(before), counts(after), noise)
    if rises is not None:
        return Verdict.NO_EFFECT, rises
    old, new = before.memory_bytes, after.memory_bytes
    where = "process" if before.device_peak_bytes is None else "device"
    words = f"peak memory of the {where} {old / 1e6:.0f} -> {new / 1e6:.0f} MB"
    given = donates(before, after)
    if given is not None and not _peak_rises(before, after, noise, _NOTICEABLE_PART):
        return Verdict.PROVEN, f"{given}, as XLA reports; {words}"
    least = max(_NOTICEABLE_BYTES, _NOTICEABLE_PART * old, _NOISES * noise.peak)
    if (before.device_peak_bytes is None) is not (after.device_peak_bytes is None):
        return Verdict.NOT_COMPARED, "only one of the runs reports the memory of its device"
    if old - new >= least:
        return Verdict.PROVEN, words
    return Verdict.NO_EFFECT, f"equal results, but {words}: a drop of less than {least / 1e6:.0f} MB is noise here"


def too_small(before: Measurement, function: str) -> str | None:
    """Why no run can tell that a donation to this function saves memory, in words; None if one may.

    A buffer that is donated serves for one that is returned. As many steps as a device lets wait can each hold one.
    Where XLA reports what it overwrites, that tells it of less.
    """
    size = before.staged_bytes.get(function)
    least = max(_NOTICEABLE_BYTES, _NOTICEABLE_PART * before.memory_bytes)
    if size is None or size * _WAITING >= least or before.calls.get(function) or shows(before, size):
        return None
    return f"what it returns takes {size / 1e6:.2g} MB: a drop of less than {least / 1e6:.0f} MB is noise here"


def no_cost(
    before: Measurement, after: Measurement, noise: Noise = SILENCE, part: float = _NOTICEABLE_PART
) -> tuple[Verdict, str]:
    """What two runs with equal results say of a fix that saves what nothing counts: that it costs nothing else.

    Args:
      part: of the peak of memory, by which it may rise.
    """
    rises = _rises(counts(before), counts(after), noise)
    if rises is not None:
        return Verdict.NO_EFFECT, rises
    if _peak_rises(before, after, noise, part):
        old, new = before.memory_bytes, after.memory_bytes
        return Verdict.NO_EFFECT, f"peak memory {old / 1e6:.0f} -> {new / 1e6:.0f} MB: it rises"
    return Verdict.PROVEN, "equal results, and neither compiles nor memory rise"


def _peak_rises(before: Measurement, after: Measurement, noise: Noise, part: float) -> bool:
    old, new = before.memory_bytes, after.memory_bytes
    are_alike = (before.device_peak_bytes is None) is (after.device_peak_bytes is None)
    return are_alike and new - old >= max(_NOTICEABLE_BYTES, part * old, _NOISES * noise.peak)


def is_held_by_memory(pair: Pair, proves: Proves) -> bool:
    """Whether more runs may tell another thing of a fix that memory speaks against: one busy moment adds to a peak."""
    is_one_process = pair.before.device_peak_bytes is None
    part = _PARTS.get(proves)
    rises = part is not None and _peak_rises(pair.before, pair.after, pair.noise, part)
    return rises and is_one_process and not pair.fails_alike


def reads_effect(before: Measurement, after: Measurement, noise: Noise = SILENCE) -> tuple[Verdict, str]:
    """What two runs with equal results say of the host's blocking reads."""
    verdict, words = no_cost(before, after, noise, _KEPT_PART)
    if verdict is not Verdict.PROVEN:
        return verdict, words
    if not before.spent:
        return Verdict.NOT_COMPARED, "this run does not report what the host reads"
    old, new = reads(before), reads(after)
    words = f"{READS} {old} -> {new}"
    return (Verdict.PROVEN if are_fewer(old, new) else Verdict.NO_EFFECT), words


@frozen
class Figure:
    """What a run tells of all programs that it compiles, and a fix may make less of.

    Attributes:
      of: the figure; None where jax does not tell.
      is_less: whether the drop is worth a change.
      untold: why nothing is compared without it.
      words: both figures, and what the drop costs or is part of.
    """

    of: Callable[[Measurement], int | None]
    is_less: Callable[[int, int], bool]
    untold: str
    words: Callable[[Measurement, Measurement, int, int], str]


def program_effect(
    figure: Figure, before: Measurement, after: Measurement, noise: Noise = SILENCE
) -> tuple[Verdict, str]:
    """What two runs with equal results say of the programs that they compile."""
    rises = _rises(counts(before), counts(after), noise)
    if rises is not None:
        return Verdict.NO_EFFECT, rises
    old, new = figure.of(before), figure.of(after)
    if old is None or new is None:
        return Verdict.NOT_COMPARED, figure.untold
    words = figure.words(before, after, old, new)
    return (Verdict.PROVEN if figure.is_less(old, new) else Verdict.NO_EFFECT), words


def _size(before: Measurement, after: Measurement, old: int, new: int) -> str:
    return f"{SIZE} {old} -> {new}, in {_seconds(before, after)} s"


def _data(before: Measurement, after: Measurement, old: int, new: int) -> str:
    return f"{DATA} {old / 1e6:.1f} -> {new / 1e6:.1f} MB, compiled in {_seconds(before, after)} s"


def _temporary(before: Measurement, after: Measurement, old: int, new: int) -> str:
    cost = f"flops {flops(before):.3g} -> {flops(after):.3g}"
    return f"{TEMPORARY} {old / 1e6:.1f} -> {new / 1e6:.1f} MB, {cost}"


def _seconds(before: Measurement, after: Measurement) -> str:
    return " -> ".join(f"{sum(entry.seconds for entry in run.compiles):.1f}" for run in (before, after))


_FIGURES = {
    Proves.SMALLER_PROGRAM: Figure(sizes, is_smaller, "jax does not report the size of its programs", _size),
    Proves.LESS_DATA: Figure(constant_bytes, is_lighter, "jax does not report the data in its programs", _data),
    Proves.LESS_TEMPORARY: Figure(
        temporary_bytes, is_thinner, "jax does not report the temporary memory of programs", _temporary
    ),
}


def same_results(before: Counts, after: Counts, noise: Noise = SILENCE) -> tuple[Verdict, str]:
    """What two runs with equal results say of a change that need not gain anything: no step may get slower."""
    if after.steady_compiles > before.steady_compiles + noise.steady:
        return Verdict.NO_EFFECT, f"compiles per step {before.steady_compiles} -> {after.steady_compiles}: they rise"
    return Verdict.PROVEN, f"equal results, compiles {before.compiles} -> {after.compiles}"


def is_blurred(pair: Pair) -> bool:
    """Whether more runs may tell another thing of the peaks: what drops is hidden by what two equal runs differ by, or
    is so little above it that one busy moment can have made it up. A device counts its bytes, and is sure of them.

    Where nothing drops that would be worth telling, and two equal runs are alike, more runs would tell the same.
    What XLA overwrites is exact: then only a peak that rises is measured again.
    """
    if donates(pair.before, pair.after) is not None:
        return is_held_by_memory(pair, Proves.LESS_MEMORY)
    drop, noise = pair.before.memory_bytes - pair.after.memory_bytes, pair.noise.peak
    least = max(_NOTICEABLE_BYTES, _NOTICEABLE_PART * pair.before.memory_bytes)
    bar = max(least, _NOISES * noise)
    is_hidden = drop < bar and drop + _NOISES * noise >= least
    is_narrow = bar <= drop < _CLEAR * bar and (pair.before.device_peak_bytes is None or noise > 0)
    return not pair.fails_alike and (is_hidden or is_narrow)


def with_peak(run: Measurement, peak: int) -> Measurement:
    """The same with another peak of memory, of its device where that tells."""
    return replace(run, peak_bytes=peak) if run.device_peak_bytes is None else replace(run, device_peak_bytes=peak)


def _rises(before: Counts, after: Counts, noise: Noise) -> str | None:
    if after.steady_compiles > before.steady_compiles + noise.steady:
        return f"compiles per step {before.steady_compiles} -> {after.steady_compiles}: they rise"
    if after.compiles > before.compiles + noise.total:
        return f"compiles {before.compiles} -> {after.compiles}: they rise"
    return None


def effect(before: Counts, after: Counts, noise: Noise = SILENCE) -> tuple[Verdict, str]:
    """What the counts of two runs with equal results say; what two equal runs differ by is not an effect."""
    steady = f"compiles per step {before.steady_compiles} -> {after.steady_compiles}"
    total = f"compiles {before.compiles} -> {after.compiles}"
    rises = _rises(before, after, noise)
    if rises is not None:
        return Verdict.NO_EFFECT, rises
    if after.steady_compiles < before.steady_compiles - noise.steady:
        return Verdict.PROVEN, f"{steady}, {total}"
    if after.compiles < before.compiles - noise.total:
        return Verdict.PROVEN, total
    if noise.steady or noise.total:
        return Verdict.NO_EFFECT, f"{total}: two equal runs differ by as much"
    return (
        Verdict.NO_EFFECT,
        f"equal results, but no fewer compiles ({before.compiles}, {before.steady_compiles} per step)",
    )


def _equality(pair: Pair, found: Likeness, equality: Equality, proves: Proves, same: str | None) -> Iterator[str]:
    """What was shown of the results, part by part."""
    if found.compared or same is None:
        yield _values(pair, found, equality, proves)
    if same is not None:
        yield same
    if found.strengthened:
        change = "types became those of an update" if equality is Equality.CONVERGED else "weak type became strong"
        yield f"{change} in {_some(found.strengthened)}"
    if found.beside:
        yield f"as the original in {found.beside} {'call' if found.beside == 1 else 'calls'} beside it"
    if found.moored:
        yield f"committed to the one device there is, or no longer, in {_some(found.moored)}: not tried with several"
    if found.limits:
        yield f"rounds differently {' and '.join(found.limits)}, which the program never passes"
    if found.raises:
        yield f"raises where the original does not, {_some(found.raises)}, which the program never passes"
    if found.runs:
        yield f"runs where the original raises, {_some(found.runs)}, which the program never passes"
    if pair.noise:
        yield "except what differs between two equal runs"
    stops = dict.fromkeys(run.stopped for run in (pair.before, pair.after) if run.stopped)
    yield from (f"stopped {reason}" for reason in stops)
    capped = sorted(name for name, calls in pair.before.calls.items() if calls > _digested(pair.before, name))
    yield from (f"of {name.rpartition(':')[2]} the first {_digested(pair.before, name)} calls" for name in capped)


def _some(leaves: Sequence[str]) -> str:
    named, more = ", ".join(f"`{leaf}`" for leaf in leaves[:_NAMED_LEAVES]), len(leaves) - _NAMED_LEAVES
    return f"{named}{f' and {more} more' if more > 0 else ''}"


def _digested(measurement: Measurement, function: str) -> int:
    ending = f"{function.rpartition('/')[2]} call "
    return sum(ending in output.label for output in measurement.outputs)


def _values(pair: Pair, found: Likeness, equality: Equality, proves: Proves) -> str:
    if not found.compared:
        return "nothing compared"
    if pair.is_cured(proves):
        return "bitwise equal until the original raises"
    if pair.plain is not None and equality is Equality.ROUNDING:
        return rounded(pair.plain.after.razor, pair.plain.names, found, (pair.before.stdout, pair.after.stdout))
    exact = found.max_ulp == 0 and found.max_delta == 0
    if equality in MOVING and not is_driven(pair.before.case) and not exact:
        how = f", {found.widened} of them by jaxprs with every float widened" if found.widened else ""
        words = f"calls beside the original within {found.double:.1e} in double precision{how}"
        return f"{words}; the whole run differs by {found.max_delta:.1e}"
    if equality not in FUSING or pair.plain is not None:
        return "bitwise equal"
    if is_jitted(pair.before.case):
        return "bitwise equal under jit"
    words = "bitwise equal" if exact else f"eager within {found.max_delta:.1e} of the largest value"
    if pair.jitted is None:
        return words
    near = outputs_alike(pair.jitted.outputs, pair.after.outputs, Allowed(tolerance=JIT_TOLERANCE, untyped=True))
    if near.difference is not None:
        return words
    if near.max_ulp == 0:
        return f"bitwise the original under jit; {words}"
    return f"{near.max_delta:.1e} of the largest value ({near.max_ulp:.0f} ulp) from the original under jit; {words}"
