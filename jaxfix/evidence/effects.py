"""Whether two runs did the same to the world, beside their results, their files and what they printed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from jaxfix.evidence import outputs
from jaxfix.evidence.dispatching import dispatched
from jaxfix.evidence.outputs import SILENCE, Allowed, Likeness, Noise, outputs_alike, texts_alike, untimed
from jaxfix.report.measurement import Measurement, Step

# What speaks of the age of a function: a repair may well end it. And what XLA says of a donation that it does not use.
_EXCUSED = re.compile(r"\w+ \(age\): |UserWarning: Some donated buffers were not usable")
# Lines of jax and XLA about themselves, and warnings, which are compared by themselves.
_ASIDE = re.compile(
    r".*(?:jax[./]_src|jax_plugins|\bxla\b)|[IWEF]\d{4} \d\d:\d\d|WARNING: All log messages before absl"
    r"|20\d\d-\d\d-\d\d |\S+:\d+: \w*Warning: |Traceback \(most recent|\s|.*\r"
)
_LINE = re.compile(r"\bline \d+|:\d+(?=[:,)\s]|$)")
_GROWS = 0.5
"""Arrays at each step, on average: what is kept is at least one at every other step."""
_FEW = 4


def likeness(before: Measurement, after: Measurement, may: Allowed, noise: Noise = SILENCE) -> Likeness:
    """As `outputs.likeness`, with output, live objects and files included."""
    found = outputs.likeness(before, after, may, noise)
    if found.difference is not None:
        return found
    return replace(found, difference=next(_differences(before, after, may, noise), None))


def noise(first: Measurement, second: Measurement) -> Noise:
    """What differs between two runs of the same program."""
    left = {output.label: output for output in first.left}
    both = ((left[output.label], output) for output in second.left if output.label in left)
    unsteady = {output.label for old, output in both if outputs_alike((old,), (output,), Allowed()).difference}
    told = {
        "logged": texts_alike(first.logged, second.logged, Allowed()) is not None,
        "stderr": texts_alike(_said(first), _said(second), Allowed()) is not None,
        "warned": first.warned != second.warned,
    }
    unsteady |= {name for name, differs in told.items() if differs}
    return replace(
        outputs.noise(first, second),
        left=frozenset(unsteady),
        held=abs(_growth(first) - _growth(second)),
        dispatches=abs(dispatched(first) - dispatched(second)) if first.spent and second.spent else 0,
    )


def _differences(before: Measurement, after: Measurement, may: Allowed, noise: Noise) -> Iterator[str]:
    if before.failure is not None or before.stopped or after.stopped:
        return  # each ended somewhere else
    if "logged" not in noise.left:
        found = texts_alike(before.logged, after.logged, may)
        yield from [f"of what is logged, {found}"] if found else []
    if "warned" not in noise.left:
        yield from _warned(before, after)
    if "stderr" not in noise.left:
        found = texts_alike(_said(before), _said(after), may)
        yield from [f"on standard error, {found}"] if found else []
    yield from _left(before, after, may, noise)
    grows = _growth(after) - _growth(before)
    if before.steps and grows >= _GROWS + 3 * noise.held:
        yield f"{_growth(before):.1f} -> {_growth(after):.1f} more arrays are alive after each step"


def _left(before: Measurement, after: Measurement, may: Allowed, noise: Noise) -> Iterator[str]:
    """What both runs left in a variable that both have: a rewrite may add and take away variables of its own."""
    common = {output.label for output in before.left} & {output.label for output in after.left} - noise.left
    old, new = ([output for output in run.left if output.label in common] for run in (before, after))
    found = outputs_alike(old, new, may)
    if found.difference is not None:
        yield f"when the program has ended, {found.difference}"


def _warned(before: Measurement, after: Measurement) -> Iterator[str]:
    """Warnings that only one run shows. How often a trace warns is what a fix may change."""
    old, new = (dict.fromkeys(map(untimed, run.warned)) for run in (before, after))
    for text in old:
        if text not in new and not _EXCUSED.match(text):
            yield f"a warning is lost: {text}"
    for text in new:
        if text not in old and not _EXCUSED.match(text):
            yield f"there is a new warning: {text}"


def _said(run: Measurement) -> list[str]:
    """The lines of standard error, without what jax, XLA and Python print about themselves and lines of code."""
    return [_LINE.sub("#", line) for line in run.stderr.split("\n") if line and not _ASIDE.match(line)]


def _growth(run: Measurement) -> float:
    """How many more arrays are alive after each steady step: the least of the later half less that of the earlier one.

    What only waits for Python's collector goes up and down.
    """
    steady = [step for step in run.steady_steps if step.live_arrays is not None]
    if len(steady) < _FEW:
        return 0.0
    middle = len(steady) // 2
    passed = sum(step.iterations for step in steady[1 : middle + 1])
    return (_least(steady[middle:]) - _least(steady[:middle])) / passed


def _least(steps: Sequence[Step]) -> int:
    return min(step.live_arrays or 0 for step in steps)
