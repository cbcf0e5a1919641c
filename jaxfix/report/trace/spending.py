"""The time of a run: in all, and by line."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from jaxfix.report.measurement import Kind, Measurement, Spent
from jaxfix.source.frozen import frozen

_SURPLUS = 0.3
"""Of the seconds that a line is known to compile: what looks see beyond that is traced without a compile."""


@frozen
class Shares:
    """Seconds of a run by what they went into; they add up to `run_s`.

    Attributes:
      compiling_s: tracing, lowering and compiling of all that was compiled.
      lost_s: of these, all compiles of a line and program after the first one.
      eager_s: running programs one by one.
      waited_s: of the reads and waits, those until the device was ready.
      rest_s: Python, calls of compiled functions, and what was not analysed.
    """

    run_s: float
    compiling_s: float
    lost_s: float
    eager_s: float
    read_s: float
    put_s: float
    wait_s: float
    waited_s: float
    rest_s: float


def shares(measurement: Measurement, lost_s: float) -> Shares | None:
    """The shares of a run; None where its length is unknown."""
    if not measurement.seconds:
        return None
    by = {kind: sum(entry.seconds for entry in measurement.spent if entry.kind is kind) for kind in Kind}
    compiling = sum(entry.seconds for entry in measurement.compiles)
    known = compiling + by[Kind.EAGER] + by[Kind.READ] + by[Kind.PUT] + by[Kind.WAIT]
    return Shares(
        run_s=max(measurement.seconds, known),  # threads compile beside each other
        compiling_s=compiling,
        lost_s=lost_s,
        eager_s=by[Kind.EAGER],
        read_s=by[Kind.READ],
        put_s=by[Kind.PUT],
        wait_s=by[Kind.WAIT],
        waited_s=sum(entry.waited_s for entry in measurement.spent),
        rest_s=max(0.0, measurement.seconds - known),
    )


def spent(measurement: Measurement) -> tuple[Spent, ...]:
    """By kind and line, all processes together, the most seconds first; of tracing only what compiled nothing."""
    groups: dict[tuple[Kind, str], list[Spent]] = {}
    for entry in measurement.spent:
        groups.setdefault((entry.kind, entry.where), []).append(entry)
    compiling: dict[str, float] = {}
    for compiled in measurement.compiles:
        compiling[compiled.where] = compiling.get(compiled.where, 0.0) + compiled.seconds
    found = (_beyond(_merged(group), compiling) for group in groups.values())
    kept = (entry for entry in found if entry.seconds or entry.count)
    return tuple(sorted(kept, key=lambda entry: (-entry.seconds, -entry.count, entry.path, entry.line)))


def per_step(entry: Spent, measurement: Measurement) -> float | None:
    """The number of times per step; None outside of steps."""
    return in_each(entry.in_steps, measurement)


def in_each(count: int | None, measurement: Measurement) -> float | None:
    """`count` divided by the number of steps; None without steps."""
    steps = measurement.step_numbers[-1] if measurement.steps else 0
    return count / steps if steps and count is not None else None


def _merged(group: Sequence[Spent]) -> Spent:
    within = [entry.in_steps for entry in group if entry.in_steps is not None]
    return replace(
        group[0],
        names=tuple(dict.fromkeys(name for entry in group for name in entry.names)),
        count=sum(entry.count for entry in group),
        in_steps=sum(within) if within else None,
        seconds=_sum(entry.seconds for entry in group),
        waited_s=_sum(entry.waited_s for entry in group),
    )


def _beyond(entry: Spent, compiling: dict[str, float]) -> Spent:
    if entry.kind is not Kind.TRACING:
        return entry
    known = compiling.get(entry.where, 0.0)
    surplus = entry.seconds - known
    return replace(entry, seconds=surplus if surplus > _SURPLUS * known else 0.0)


def _sum(seconds: Iterable[float]) -> float:
    return sum(seconds, start=0.0)
