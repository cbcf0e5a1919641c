"""Whether two runs did the same to the world, beside their results, their files and what they printed."""

from collections.abc import Iterable
from dataclasses import replace

from jaxfix.evidence import outputs
from jaxfix.evidence.outputs import SILENCE, Allowed, Likeness, Noise, outputs_alike
from jaxfix.report.measurement import Measurement


def likeness(before: Measurement, after: Measurement, may: Allowed, noise: Noise = SILENCE) -> Likeness:
    """As `outputs.likeness`, and what the runs left behind."""
    found = outputs.likeness(before, after, may, noise)
    if found.difference is not None:
        return found
    return replace(found, difference=next(iter(_differences(before, after, may, noise)), None))


def noise(first: Measurement, second: Measurement) -> Noise:
    """What differs between two runs of the same program."""
    found = outputs.noise(first, second)
    left = {output.label: output for output in first.left}
    unsteady = frozenset(
        output.label
        for output in second.left
        if output.label in left and outputs_alike((left[output.label],), (output,), Allowed()).difference
    )
    return replace(found, left=unsteady)


def _differences(before: Measurement, after: Measurement, may: Allowed, noise: Noise) -> Iterable[str]:
    if before.failure is not None or before.stopped or after.stopped:
        return  # each ended somewhere else
    yield from _left(before, after, may, noise)


def _left(before: Measurement, after: Measurement, may: Allowed, noise: Noise) -> Iterable[str]:
    """What both runs left in a variable that both have: a rewrite may add and take away variables of its own."""
    common = {output.label for output in before.left} & {output.label for output in after.left} - noise.left
    sides = ((output for output in run.left if output.label in common) for run in (before, after))
    found = outputs_alike(*sides, may)
    if found.difference is not None:
        yield f"when the program has ended, {found.difference}"
