"""Fixes that save nothing once another one has put what runs them under `jit`."""

from collections.abc import Iterable

from jaxfix.evidence.places import Place
from jaxfix.report.measurement import Measurement


def is_under(baseline: Measurement, function: Place, covered: Place) -> bool:
    """Whether all that calls of `function` compile, and it does compile, is asked for by lines that a `jit` covers."""
    asked = [entry for entry in baseline.compiles if function.holds(entry)]
    return bool(asked) and all(map(covered.holds, asked))


def compiles_nothing(run: Measurement, functions: Iterable[Place]) -> bool:
    """Whether no call of these compiles, so that no change in them can save a compile."""
    places = list(functions)
    return run.failure is None and not any(place.holds(entry) for entry in run.compiles for place in places)
