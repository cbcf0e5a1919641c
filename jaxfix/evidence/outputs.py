"""Whether two runs had the same results, and where they first did not."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from math import isnan, log2, nan, prod

from jaxfix.evidence.probe.precision import IN_SINGLE
from jaxfix.report.finding import Equality
from jaxfix.report.measurement import Beside, Leaf, Measurement, Output, Razor
from jaxfix.source.frozen import frozen

# How what is said of a call begins that was made under a transformation, and how it ends where a number is large.
UNDER, BEYOND = "under ", "an integer beyond single precision"
# How it begins where arguments are of kinds that the program does not pass.
GIVEN = "given "
UPDATED = ", updated once"
"""How it ends where what a call has returned was updated."""
# How the labels of files begin that a run wrote.
FILE = "file "
# What a driven algorithm starts with.
INIT = "init"
# In the labels of what a function that returns nothing leaves in its variables: a rewrite may have others.
VARIABLE = " left `"
# In the labels of what a generator yields.
YIELDED = " yield "
_UNFORGIVING = ("not finite", "in bfloat16", "too large to square", "too small to square")
# Of an optimizer that runs eagerly, whose jitted self is compared bit by bit.
TOLERANCE = 1e-3
# Of a leaf, in a whole run: so far away it is named.
_FAR = 1e-2
# Of the scale of a leaf, in double precision.
ROUNDED = 1e-10
# The same of whole numbers in the place of floats, whose means stay in single precision: four units in the last place.
SINGLE = 2.0**-21
FUSING = (Equality.AS_JITTED, Equality.ROUNDING)
"""The promises of fixes that let XLA fuse."""
MOVING = (*FUSING, Equality.NUMBERS, Equality.FUSED)
"""The promises of fixes that move results by rounding."""
# Of the jitted original: what fusing multiplications with additions does to a few steps of float32.
JIT_TOLERANCE = 1e-5
# Bits of the significand that are stored.
_MANTISSA = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52, "complex64": 23, "complex128": 52}
_WIDE = tuple(name for name, bits in _MANTISSA.items() if bits == _MANTISSA["float64"])
_DRIFTING = (*_MANTISSA, "<float>", "<complex>")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_DURATION = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?\s*(?:[mµun]?s|sec(?:ond)?s?|min(?:ute)?s?|it/s|steps/s)\b")
_CURABLE = re.compile(r"(?:exit status \d+: )?(?:AttributeError|ImportError|ModuleNotFoundError|TypeError)\b")
RAISED = "raised"
"""The structure of the result of a call that ended with an exception."""
_OF_LIBRARIES = (f"{RAISED} TypeError", f"{RAISED} ValueError")
"""The same, of errors that no `raise` of the user states: those have their words."""
_OF_LENGTHS = f"{RAISED} ValueError"
"""The one of them that jax raises where lengths do not fit."""
_SHORT = frozenset({"one row less", "one row"})
"""The kinds of data that differ in their lengths alone: a fix may raise there, for that reason alone."""
_PADDED = re.compile(r" *# *")
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")


@frozen
class Allowed:
    """What two equal results may differ in.

    Attributes:
      stronger: weak types may become strong.
      tolerance: of floats, relative to the largest value of their array; 0 is bitwise.
      untyped: weak types do not matter at all.
      first: how the labels of first states begin, whose floats may have other dtypes at the same values.
      drifts: floats may have any values, which are compared elsewhere.
      moored: arrays may be committed to the one device that there is, or no longer be.
      counted: an integer of Python that is an attribute may be an array of the same value.
      raises: the kinds of arguments on which the rewritten function may raise, beside its original, where that runs,
        or run where that raises.
    """

    stronger: bool = False
    tolerance: float = 0.0
    untyped: bool = False
    first: frozenset[str] = frozenset()
    drifts: bool = False
    moored: bool = False
    counted: bool = False
    raises: frozenset[str] = frozenset()

    def __or__(self, other: "Allowed") -> "Allowed":
        tolerance = max(self.tolerance, other.tolerance)
        untyped, first = self.untyped or other.untyped, self.first | other.first
        drifts, moored = self.drifts or other.drifts, self.moored or other.moored
        counted, raises = self.counted or other.counted, self.raises | other.raises
        return Allowed(self.stronger or other.stronger, tolerance, untyped, first, drifts, moored, counted, raises)

    def lets_retype(self, label: str) -> bool:
        """Whether the output of that label is a first state."""
        return any(label == start or label.startswith(f"{start} call ") for start in self.first)


@frozen
class Noise:
    """What differs between two equal runs: labels of outputs, and lines of the standard output from 0.

    Attributes:
      steady: by how much the compiles per step differ.
      total: by how much the compiles in all differ.
      peak: by how many bytes the peaks of memory differ.
      left: variables of modules that end with other values, and kinds of messages.
      held: by how many arrays per step what stays alive differs.
      dispatches: by how many the dispatches in all differ.
    """

    labels: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()
    ragged: bool = False
    steady: int = 0
    total: int = 0
    peak: int = 0
    left: frozenset[str] = frozenset()
    held: float = 0.0
    dispatches: int = 0

    def __bool__(self) -> bool:
        return bool(self.labels or self.lines or self.ragged)

    def is_within(self, other: "Noise") -> bool:
        """Whether all that differs here differs there too; peaks of memory apart."""
        sets = (self.labels <= other.labels, self.lines <= other.lines, self.left <= other.left)
        mine = (self.ragged, self.steady, self.total, self.held, self.dispatches)
        theirs = (other.ragged, other.steady, other.total, other.held, other.dispatches)
        return all(sets) and all(a <= b for a, b in zip(mine, theirs, strict=True))


SILENCE = Noise()


@frozen
class Likeness:
    """How alike two runs are.

    Attributes:
      difference: the first thing that may not differ, in words; None if the runs agree.
      compared: how many leaves have the digests that make this more than a guess.
      max_delta: the largest difference of floats, relative to the largest value of their array.
      max_ulp: the same in units of the last place of each value.
      max_wide: the largest difference of floats that are double precision in the program itself.
      strengthened: the leaves whose weak type became strong.
      beside: how many calls of the original beside the rewritten function had equal results, with values to compare.
      drift: the largest difference of floats that nothing is decided by.
      double: the largest difference in double precision, of calls whose bits differ.
      widened: how many of those were compared by their jaxprs with every float widened.
      limits: on which data, of dtypes that the program never passes, results round differently.
      is_open: whether the difference is that nothing could be compared.
      moored: the leaves that only one of both has committed to the one device that there is.
      raises: on which data, of kinds that the program never passes, the rewritten function alone raises, as it may.
      runs: the same where the original alone raises.
      farthest: the leaf with the largest difference of floats, and its largest value, in words.
    """

    difference: str | None
    compared: int = 0
    max_delta: float = 0.0
    max_ulp: float = 0.0
    strengthened: tuple[str, ...] = ()
    beside: int = 0
    drift: float = 0.0
    double: float = 0.0
    widened: int = 0
    limits: tuple[str, ...] = ()
    is_open: bool = False
    moored: tuple[str, ...] = ()
    max_wide: float = 0.0
    raises: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    farthest: str = ""


def allowed(equality: Equality, case: str, function: str = "", *, is_plain: bool = False) -> Allowed:
    """What `equality` lets the results of `case` differ in, and those of the rewritten function.

    Args:
      is_plain: whether the `jit` that fixes have added is taken out of what is compared.
    """
    is_exact = is_plain and equality is Equality.ROUNDING
    if equality in MOVING and not is_driven(case) and not is_exact:
        return Allowed(drifts=True)
    if equality in FUSING and not is_jitted(case) and not is_exact:
        return Allowed(tolerance=TOLERANCE)
    if equality is Equality.CONVERGED:
        return Allowed(stronger=True, first=frozenset({INIT, function} - {""}))
    return Allowed(stronger=equality is Equality.STRONGER_TYPES)


def is_driven(case: str) -> bool:
    """Whether it is an algorithm that a runner drives, and not a program."""
    return is_jitted(case) or ", eager, " in case


def is_jitted(case: str) -> bool:
    return ", jit, " in case or ", loop, " in case


def raises_curable(run: Measurement) -> bool:
    """Whether an error ended the run that the text of a program decides: a carry of another type, a removed name."""
    return run.failure is not None and _CURABLE.match(run.failure) is not None


def cure_alike(before: Measurement, after: Measurement, may: Allowed, noise: Noise = SILENCE) -> Likeness:
    """Compares a run that raised with one that did not: what the first had returned and printed until then."""
    raised = {output.label for output in before.outputs if output.treedef == RAISED}
    known = _labels(before) - raised - noise.labels
    kept = [[output for output in run.outputs if output.label in known] for run in (before, after)]
    found = outputs_alike(kept[0], kept[1], may)
    if found.difference:
        return found
    lines = _lines(before.stdout, may), _lines(after.stdout, may)
    printed = _printed_difference(lines[0], lines[1][: len(lines[0])], may, noise)
    # What comes after the point where the first run ended has nothing to be compared with.
    return replace(found, difference=printed, compared=max(found.compared, len(after.outputs)))


def likeness(before: Measurement, after: Measurement, may: Allowed, noise: Noise = SILENCE) -> Likeness:
    """Compares how two runs ended, their results and their output; of stopped runs, their common part."""
    if before.failure != after.failure:
        return Likeness(_ending(before.failure, after.failure))
    stopped = bool(before.stopped or after.stopped)
    skipped = noise.labels | (_labels(before) ^ _labels(after) if stopped else frozenset())
    skipped |= _unsteady_files(before, after, noise, stopped=stopped)
    if stopped:  # at another iteration each
        skipped |= frozenset(label for label in _labels(before) if VARIABLE in label)
        skipped |= frozenset(label for run in (before, after) for label in _interrupted(run))
    found = outputs_alike(before.outputs, after.outputs, may, skipped)
    if found.difference:
        return found
    lines = _lines(before.stdout, may), _lines(after.stdout, may)
    if stopped:  # the last line of either may be half a line
        common = max(min(map(len, lines)) - 1, 0)
        lines = lines[0][:common], lines[1][:common]
    return replace(found, difference=_printed_difference(*lines, may, noise))


def beside_alike(pairs: Iterable[Beside], may: Allowed) -> Likeness:
    """Compares what originals and rewritten functions returned side by side."""
    whole = Likeness(None)
    for pair in pairs:
        if (may.tolerance or may.stronger or may.drifts) and pair.how.endswith(_UNFORGIVING):
            continue  # on such data only the same operations on the same types agree
        label = f"{pair.function.rpartition(':')[2]} beside the original, {pair.how}"
        if pair.deleted:
            return replace(whole, difference=f"`{label}`: it deletes its argument `{pair.deleted[0]}`")
        old, new = replace(pair.before, label=label), replace(pair.after, label=label)
        fuses = pair.how.startswith(UNDER) and not may.tolerance  # as a whole, which XLA compiles differently
        retyped = frozenset({label} if may.first and not label.endswith(UPDATED) else ())
        mine = replace(may, first=retyped, drifts=may.drifts or fuses)
        found = replace(outputs_alike((old,), (new,), mine), beside=0)
        if _is_apart(found, may, fuses=fuses) and found.difference is None:
            found = replace(_in_double(found, label, pair), widened=int(pair.is_widened))
        if may.drifts and pair.how.endswith(BEYOND) and found.difference is None and found.max_delta > TOLERANCE:
            found = replace(found, difference=f"`{label}`: {found.max_delta:.1e} of the largest value apart")
        if found.difference is not None and _may_raise(pair, may):
            whole = replace(whole, raises=tuple(dict.fromkeys((*whole.raises, pair.how))))
            continue
        if found.difference is not None and _may_run(pair, may):
            whole = replace(whole, runs=tuple(dict.fromkeys((*whole.runs, pair.how))))
            continue
        if found.difference is not None and pair.foreign and _rounds(pair, may):
            whole = replace(whole, limits=tuple(dict.fromkeys((*whole.limits, _kind(pair.how)))))
            continue
        whole = joined(whole, found)
        if whole.difference:
            return whole
        known = any(leaf.digest is not None for leaf in pair.after.leaves)
        whole = replace(whole, beside=whole.beside + (known and not pair.after.treedef.startswith(RAISED)))
    return whole


def _is_apart(found: Likeness, may: Allowed, *, fuses: bool) -> bool:
    """Whether double precision has to tell: results of a transformation as a whole may drift a little without it."""
    if fuses:
        return found.max_delta > JIT_TOLERANCE or found.max_wide > ROUNDED
    return may.drifts and bool(found.max_delta or found.max_ulp)


def _rounds(pair: Beside, may: Allowed) -> bool:
    """Whether the two differ by rounding alone, and not in their types.

    Whole numbers stay what they are in double precision, and their mean is taken in single precision there too.
    """
    limit = SINGLE if may.drifts and pair.how.startswith(GIVEN) else ROUNDED
    if pair.double is None or pair.double > limit:
        return False
    return outputs_alike((pair.before,), (pair.after,), replace(may, drifts=True)).difference is None


def _may_raise(pair: Beside, may: Allowed) -> bool:
    """Whether the rewritten function raises on data of a kind of which its fix says so; none that a `raise` states."""
    if pair.before.treedef.startswith(RAISED):
        return False
    if _is_told(pair, may):
        return pair.after.treedef in _OF_LIBRARIES
    return _is_short(pair, may) and pair.after.treedef == _OF_LENGTHS


def _may_run(pair: Beside, may: Allowed) -> bool:
    """The same of an original that raises there."""
    return _is_told(pair, may) and not pair.after.treedef.startswith(RAISED) and pair.before.treedef in _OF_LIBRARIES


def _is_told(pair: Beside, may: Allowed) -> bool:
    return any(pair.how.startswith(f"{GIVEN}{kind}") for kind in may.raises - _SHORT)


def _is_short(pair: Beside, may: Allowed) -> bool:
    """Whether the data are as short as its fix says, whatever transformation is around the call."""
    kinds = may.raises & _SHORT
    return any(pair.how.endswith(f", {kind}") or pair.how.startswith(f"{GIVEN}{kind}") for kind in kinds)


def _kind(how: str) -> str:
    """The difference in kind of data, such as `in bfloat16`."""
    return how.rpartition(", ")[2]


def _in_double(found: Likeness, label: str, pair: Beside) -> Likeness:
    """The single-precision differences, explained by those in double precision."""
    double = pair.double
    if double is not None and double <= ROUNDED and pair.lost:
        return replace(found, difference=f"`{label}`: {pair.lost:.1e} {IN_SINGLE}")
    if double is None:
        return replace(found, difference=f"`{label}`: values differ, and cannot be compared in double precision")
    if double > ROUNDED:
        return replace(found, difference=f"`{label}`: {double:.1e} of the largest value apart in double precision")
    return replace(found, double=double)


def joined(one: Likeness, other: Likeness) -> Likeness:
    """What two comparisons say together."""
    return Likeness(
        one.difference or other.difference,
        one.compared + other.compared,
        max(one.max_delta, other.max_delta),
        max(one.max_ulp, other.max_ulp),
        (*one.strengthened, *(leaf for leaf in other.strengthened if leaf not in one.strengthened)),
        one.beside + other.beside,
        max(one.drift, other.drift),
        max(one.double, other.double),
        one.widened + other.widened,
        tuple(dict.fromkeys((*one.limits, *other.limits))),
        one.is_open or other.is_open,
        tuple(dict.fromkeys((*one.moored, *other.moored))),
        raises=tuple(dict.fromkeys((*one.raises, *other.raises))),
        runs=tuple(dict.fromkeys((*one.runs, *other.runs))),
        farthest=(one if one.drift >= other.drift else other).farthest,
    )


def _unsteady_files(before: Measurement, after: Measurement, noise: Noise, *, stopped: bool) -> frozenset[str]:
    """Files that say nothing: all of a run that was stopped, and names that change from run to run."""
    files = frozenset(label for label in _labels(before) | _labels(after) if label.startswith(FILE))
    if stopped:
        return files
    renamed = any(label.startswith(FILE) for label in noise.labels)
    return files & (_labels(before) ^ _labels(after)) if renamed else frozenset()


def _interrupted(run: Measurement) -> Iterator[str]:
    """The calls that were under way when the run was stopped, which left all of them."""
    last = takewhile(lambda output: output.treedef == RAISED, reversed(run.outputs))
    yield from (output.label for output in last if run.stopped)


def _labels(run: Measurement) -> frozenset[str]:
    return frozenset(output.label for output in run.outputs)


def outputs_alike(
    before: Iterable[Output], after: Iterable[Output], may: Allowed, skipped: frozenset[str] = frozenset()
) -> Likeness:
    """Compares outputs label by label; structure and types first, then values."""
    before = tuple(before)
    idle = _idle(before, skipped)
    old = {output.label: output for output in before if output.label not in skipped}
    new = {output.label: output for output in after if output.label not in skipped}
    for label in [*old, *new]:
        if VARIABLE in label and (label not in old or label not in new):
            old.pop(label, None)
        elif label not in old or label not in new:
            return Likeness(f"`{label}` happened only {'with' if label in new else 'without'} the change")
    compared, delta, ulp, wide, stronger, moored = 0, 0.0, 0.0, 0.0, list[str](), list[str]()
    farthest = ""
    for label, output in old.items():
        for leaf in _leaves(output, new[label], may, retyped=may.lets_retype(label)):
            if isinstance(leaf, str):
                return Likeness(f"`{label}`{leaf}", compared, delta, ulp)
            compared += (
                leaf.digested and not label.startswith(FILE) and not is_plain_variable(output) and label not in idle
            )
            farthest = f"`{label}`{leaf.path}, of values up to {leaf.scale:.1e}" if leaf.delta > delta else farthest
            delta, ulp = max(delta, leaf.delta), max(ulp, leaf.ulp)
            wide = max(wide, leaf.delta) if leaf.is_wide else wide
            stronger += [f"{label}{leaf.path}"] if leaf.strengthened else []
            moored += [f"{label}{leaf.path}"] if leaf.moored else []
    return Likeness(None, compared, delta, ulp, tuple(stronger), moored=tuple(moored), max_wide=wide, farthest=farthest)


def is_plain_variable(output: Output) -> bool:
    """Whether it is a variable that a function leaves behind, with Python numbers alone, or None.

    Those can only speak against a change: that a setting stays shows nothing of what is computed.
    """
    return VARIABLE in output.label and all(leaf.dtype.startswith("<") for leaf in output.leaves)


def _idle(outputs: Sequence[Output], skipped: frozenset[str]) -> frozenset[str]:
    """The variables of calls that leave arrays in attributes, all of which differ between two equal runs.

    Those are what such a call is for: what it was given, or goes over, is the same whatever it computes.
    """
    left = [output.label for output in outputs if VARIABLE in output.label and not is_plain_variable(output)]
    attributes = [label for label in left if "." in label.partition(VARIABLE)[2]]
    random, steady = (
        {_call(label) for label in attributes if (label in skipped) is is_noise} for is_noise in (True, False)
    )
    return frozenset(label for label in left if _call(label) in random - steady)


def _call(label: str) -> str:
    return label.partition(VARIABLE)[0]


def noise(first: Measurement, second: Measurement) -> Noise:
    """What differs between two runs of the same program."""
    old, new = ({output.label: output for output in run.outputs} for run in (first, second))
    missing = frozenset() if first.stopped or second.stopped else _labels(first) ^ _labels(second)
    differing = {label for label in old if label in new and not _is_same(old[label], new[label])}
    steady = abs(first.steady_compiles - second.steady_compiles)
    total = abs(len(first.compiles) - len(second.compiles))
    peak = abs(first.memory_bytes - second.memory_bytes)
    lines, others = (_lines(run.stdout, Allowed()) for run in (first, second))
    if len(lines) != len(others):
        return Noise(missing | differing, frozenset(), True, steady, total, peak)
    changing = {number for number, (a, b) in enumerate(zip(lines, others, strict=True)) if a != b}
    return Noise(missing | differing, frozenset(changing), False, steady, total, peak)


def _is_same(old: Output, new: Output) -> bool:
    return outputs_alike((old,), (new,), Allowed()).difference is None


@frozen
class _Alike:
    path: str
    digested: bool
    strengthened: bool = False
    delta: float = 0.0
    ulp: float = 0.0
    moored: bool = False
    is_wide: bool = False
    scale: float = 0.0


def _ending(before: str | None, after: str | None) -> str:
    if before is None:
        return f"fails with the change: {after}"
    if after is None:
        return f"fails only without the change: {before}"
    return f"fails with the change in another way: {after}, before: {before}"


def _leaves(before: Output, after: Output, may: Allowed, *, retyped: bool) -> Iterator[_Alike | str]:
    if before.treedef != after.treedef or len(before.leaves) != len(after.leaves):
        yield _restructured(before, after)
        return
    for old, new in zip(before.leaves, after.leaves, strict=True):
        found = _retyped(old, new) if retyped and _are_floats(old, new) else _leaf(old, new, may)
        is_moored = may.moored and old.placed != new.placed
        yield found if isinstance(found, str) else replace(found, moored=is_moored, is_wide=old.dtype in _WIDE)


def _restructured(before: Output, after: Output) -> str:
    """How two structures differ; of objects, which are leaves and may hold others, their types or what they hold."""
    if before.treedef != after.treedef:
        return f": structure {_structure(before)} became {_structure(after)}"
    old, new = ({leaf.path: _typed(leaf) for leaf in output.leaves} for output in (before, after))
    for path in [path for path in old if path in new and old[path] != new[path]]:
        return f"{path}: {old[path]} became {new[path]}"
    for path in [path for path in (*old, *new) if path not in old or path not in new]:
        return f"{path}: {old.get(path, 'nothing')} became {new.get(path, 'nothing')}"
    return f": {len(before.leaves)} values became {len(after.leaves)}"


def _structure(output: Output) -> str:
    """The structure of an output; the type where it is a single value."""
    is_single = output.treedef in ("*", "PyTreeDef(*)") and output.leaves
    return _typed(output.leaves[0]) if is_single else _shorten(output.treedef)


def _are_floats(old: Leaf, new: Leaf) -> bool:
    """Whether the two have different floating dtypes, and the same shape."""
    are_floats = all("float" in leaf.dtype and leaf.dtype in _MANTISSA for leaf in (old, new))
    return are_floats and old.dtype != new.dtype and old.shape == new.shape


def _retyped(old: Leaf, new: Leaf) -> _Alike | str:
    """The two as values, of which all have to be known."""
    known = len(old.sample) == len(new.sample) == prod(old.shape) and old.digest is not None
    same = all(a == b or (isnan(a) and isnan(b)) for a, b in zip(old.sample, new.sample, strict=False))
    if known and same:
        return _Alike(f"{old.path}", True, strengthened=True)
    return f"{old.path}: {_typed(old)} became {_typed(new)}{', and not all values are known' if not known else ''}"


def _leaf(old: Leaf, new: Leaf, may: Allowed) -> _Alike | str:
    name = f"{old.path}"
    if may.counted and _is_counted(old, new):
        return _Alike(name, True)
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        return f"{name}: {_typed(old)} became {_typed(new)}"
    strengthened = old.weak_type and not new.weak_type
    if old.weak_type != new.weak_type and not may.untyped and not (strengthened and may.stronger):
        words = ("weakly", "strongly") if old.weak_type else ("strongly", "weakly")
        return f"{name}: {words[0]} typed {_typed(old)} became {words[1]} typed"
    if old.placed != new.placed and not may.untyped and not (may.moored and None in (old.placed, new.placed)):
        return f"{name}: {_where(old)} became {_where(new)}"
    if old.nans != new.nans:
        return f"{name}: {old.nans} NaNs became {new.nans}"
    if (old.digest is None) != (new.digest is None):
        return f"{name}: its values are known only {'without' if old.digest else 'with'} the change"
    if old.digest == new.digest:
        return _Alike(name, old.digest is not None, strengthened)
    if old.dtype == "<bytes>" and (may.tolerance or may.drifts):
        return _Alike(name, False)  # what is in the file may differ, and cannot be distinguished from what may not
    scale = _scale(old)
    delta, ulp, where = _distance(old, new, scale)
    if may.drifts and old.dtype.removeprefix("numpy ") in _DRIFTING and not isnan(delta):
        return _Alike(name, True, strengthened, delta, ulp, scale=scale)
    # One unit in the last place of a half-precision float is more than the tolerance.
    tolerance = max(may.tolerance, 4 * 2.0 ** -_MANTISSA.get(old.dtype, 0)) if may.tolerance else 0.0
    if old.dtype not in _MANTISSA or where is None or not delta <= tolerance:
        return f"{name}{_shown_difference(old, new, where)}"
    return _Alike(name, True, strengthened, delta, ulp)


def _is_counted(old: Leaf, new: Leaf) -> bool:
    """Whether an attribute is an integer of Python, and then an array of the same value, as `jit` returns it."""
    is_attribute = "." in old.path[old.path.rfind("]") + 1 :]
    are_whole = old.dtype == "<int>" and new.dtype.startswith("int") and new.weak_type and new.shape == ()
    return is_attribute and are_whole and len(old.sample) == 1 and old.sample == new.sample


def _distance(old: Leaf, new: Leaf, scale: float) -> tuple[float, float, int | None]:
    """The largest difference of the samples, relative and in ulp, and where in the sample it is."""
    worst, ulp, where = 0.0, 0.0, None
    for index, (a, b) in enumerate(zip(old.sample, new.sample, strict=False)):
        if a == b or (isnan(a) and isnan(b)):
            continue
        if isnan(a) or isnan(b):
            return nan, nan, index  # which no tolerance allows
        away = abs(a - b)
        ulp = max(ulp, away / _spacing(max(abs(a), abs(b)), old.dtype))
        if away > worst:
            worst, where = away, index
    return (worst / scale if scale else worst and float("inf")), ulp, where


def _scale(leaf: Leaf) -> float:
    return max((abs(value) for value in leaf.sample if not isnan(value)), default=0.0)


def _spacing(value: float, dtype: str) -> float:
    exponent = int(log2(value) // 1) if 0 < value < float("inf") else 0
    return 2.0 ** (exponent - _MANTISSA.get(dtype, 52))


def _shown_difference(old: Leaf, new: Leaf, where: int | None) -> str:
    if where is None:
        return ": values differ" + (" beyond the sampled ones" if old.sample else "")
    delta, _, _ = _distance(old, new, _scale(old))
    part = len(old.sample) // 2 if "complex" in old.dtype else len(old.sample)
    step = max(1, -(-prod(old.shape) // max(part, 1)))
    index = _unravel((where % part) * step, old.shape)
    place = f"[{', '.join(map(str, index))}]" if index else ""
    values = f"{old.sample[where]:.9g} became {new.sample[where]:.9g}"
    return f"{place}: {values}, {delta:.1e} of the largest value"


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size) if size else (flat, 0)
        index.insert(0, rest)
    return tuple(index)


def _typed(leaf: Leaf) -> str:
    return f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"


def _where(leaf: Leaf) -> str:
    return "on a device that jax chose" if leaf.placed is None else f"committed to {_shorten(leaf.placed)}"


def _shorten(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}..."


def _printed_difference(old: list[str], new: list[str], may: Allowed, noise: Noise) -> str | None:
    if noise.ragged:
        return None
    if len(old) != len(new):
        return f"{len(old)} printed lines became {len(new)}"
    for number, (a, b) in enumerate(zip(old, new, strict=True)):
        if number not in noise.lines and not _printed_alike(a, b, may):
            return f"printed line {number + 1}: {_shorten(a)!r} became {_shorten(b)!r}"
    return None


def texts_alike(old: Sequence[str], new: Sequence[str], may: Allowed) -> str | None:
    """The first of these lines that differs, in words; None if none does."""
    for number, (a, b) in enumerate(zip(map(untimed, old), map(untimed, new), strict=False)):
        if not _printed_alike(a, b, may):
            return f"line {number + 1}: {_shorten(a)!r} became {_shorten(b)!r}"
    if len(old) == len(new):
        return None
    (odd, *_), which = (old[len(new) :], "without") if len(old) > len(new) else (new[len(old) :], "with")
    return f"{len(old)} lines became {len(new)}: {_shorten(odd)!r} is there only {which} the change"


def _lines(text: str, may: Allowed) -> list[str]:
    """The lines without what never repeats: addresses and durations."""
    if may.stronger:
        text = text.replace(", weak_type=True", "")
    return untimed(text).splitlines()


def untimed(text: str) -> str:
    """The text without what never repeats: addresses and durations."""
    return _DURATION.sub("<time>", _ADDRESS.sub("0x", text))


def _printed_alike(before: str, after: str, may: Allowed) -> bool:
    if before == after:
        return True
    tolerance = may.tolerance
    if may.drifts:
        return _whole(before) == _whole(after)
    if not tolerance or NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
    return all(abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), abs(float(b))) for a, b in pairs)


def _whole(line: str) -> str:
    """The line without its numbers that are not whole, and without what pads these where an array is printed."""
    return _PADDED.sub("#", NUMBER.sub(lambda number: number[0] if number[0].lstrip("+-").isdigit() else "#", line))


def steps_alike(steps: Iterable[Razor], names: Collection[str]) -> Likeness:
    """Whether single steps under an added `jit` differ by more than rounding, and whether any was compared."""
    seen = {entry.function: entry for entry in steps}
    missing = list[str]()
    for name in sorted(names):
        entry, qualname = seen.get(name), name.rpartition(":")[2]
        if entry is not None and entry.difference is not None:
            return Likeness(f"`{qualname}` under jit, {entry.difference}")
        if entry is None or not entry.steps or not entry.leaves:
            missing.append(f"no step of `{qualname}` could be compared with the jitted one")
    return Likeness(next(iter(missing), None), is_open=bool(missing))


def rounded(steps: Iterable[Razor], names: Collection[str], found: Likeness, printed: tuple[str, str]) -> str:
    """How equal the runs are up to rounding, in words."""
    mine = [entry for entry in steps if entry.function in names]
    count, traced = sum(entry.steps for entry in mine), sum(entry.traced for entry in mine)
    doubled = max((entry.double for entry in mine), default=0.0)
    parts = ["bitwise equal with the added `jit` taken out"]
    if traced < count:
        widened = sum(entry.widened for entry in mine)
        how = f", {widened} of them by jaxprs with every float widened" if widened else ""
        parts.append(f"{count - traced} single steps under jit within {doubled:.1e} in double precision{how}")
    if traced:
        parts.append(f"the operations of {traced} jitted steps, run one by one, bitwise those of the original")
    counted = sorted({path for entry in mine for path in entry.counted})
    if counted:
        parts.append(f"under jit {', '.join(f'`{path}`' for path in counted)} is an array, not a Python number")
    others = dict.fromkeys(words for entry in mine for words in entry.unlike)
    if others:
        parts.append(f"not as without `jit` on data that the program never passes: {', '.join(others)}")
    if found.drift:
        where = f" in {found.farthest}" if found.drift > _FAR else ""
        parts.append(f"the whole run drifts by {found.drift:.1e}{where}{_last_printed(*printed)}")
    return "; ".join(parts)


def _last_printed(before: str, after: str) -> str:
    """The last number that is not whole of both runs."""
    last = [
        next((n for n in reversed(NUMBER.findall(untimed(text))) if not n.lstrip("+-").isdigit()), "")
        for text in (before, after)
    ]
    return f", the last number printed is {last[1]} after {last[0]}" if all(last) and last[0] != last[1] else ""
