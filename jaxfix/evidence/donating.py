"""What compiled programs write their results to: arguments that are donated. Pure; exact, where a peak is measured."""

from typing import NamedTuple

from jaxfix.report.evidence import DONATED
from jaxfix.report.measurement import Measurement

_LEAST = 1 << 20
"""Bytes of a state that are worth a change."""


class Reused(NamedTuple):
    """What the programs of a run need, each program once.

    Attributes:
      donated: bytes of arguments that they write results to.
      temporary: bytes beside arguments and results; a copy of what is overwritten too early is one of them.
    """

    donated: int
    temporary: int


def reused(run: Measurement) -> Reused | None:
    """What a run shows of its programs; None where XLA does not report it."""
    most = dict[tuple[str, str | None], Reused]()
    for entry in run.compiles:
        if entry.donated_bytes is not None:
            name, own = (entry.program, entry.of), (entry.donated_bytes, entry.temporary_bytes or 0)
            most[name] = Reused(*map(max, own, most.get(name, own)))
    donated, temporary = (sum(program[at] for program in most.values()) for at in (0, 1))
    return Reused(donated, temporary) if most else None


def shows(run: Measurement, size: int) -> bool:
    """Whether XLA would report a donation of so many bytes, and they are worth a change."""
    return size >= _LEAST and reused(run) is not None


def donates(before: Measurement, after: Measurement) -> str | None:
    """What more of its arguments a program overwrites with a fix, in words; None if that is little, or unknown."""
    old, new = reused(before), reused(after)
    if old is None or new is None:
        return None
    more = new.donated - old.donated
    if min(more, more - (new.temporary - old.temporary)) < _LEAST:
        return None
    return f"{DONATED} {old.donated / 1e6:.1f} -> {new.donated / 1e6:.1f} MB"
