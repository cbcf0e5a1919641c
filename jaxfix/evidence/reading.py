"""Whether a fix has the host wait less often for what it reads. Pure; reads are counted, and time decides nothing."""

from jaxfix.report.measurement import Kind, Measurement

_FEWEST = 3
"""Reads that must go: a loop of fewer iterations is not worth a change."""


def reads(run: Measurement) -> int:
    """How often the host read an array, and waited until it was there; what `jax.device_get` brings at once is one."""
    return sum(entry.count for entry in run.spent if entry.kind is Kind.READ)


def are_fewer(before: int, after: int) -> bool:
    """Whether so many reads are gone that it is worth a change."""
    return before - after >= _FEWEST
