"""A first run of a program, where only a run can tell what costs: as if its trace had been given."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.driving import path_of
from jaxfix.drivers.workflow.looking import analysed
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.session import Session
from jaxfix.drivers.workflow.targets import Target, Targets, seen_by
from jaxfix.drivers.workflow.traces import Sights, from_here, traced
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.engine.seen import Sighting
from jaxfix.evidence.program import ProgramRunner
from jaxfix.render.paint import printable
from jaxfix.report.measurement import Measurement
from jaxfix.report.trace.drifts import ANY_PART
from jaxfix.report.trace.held import ANYTHING
from jaxfix.report.trace.hot import Hot, Work
from jaxfix.source.errors import EvidenceError, SourceError

_MANY = 1_000


def scouted(session: Session, rerun: Rerun, watcher: Watcher) -> Targets | None:
    """The analysis, completed by one run of the program.

    Returns:
      None where the program cannot tell more than the text: nothing could be found besides, whatever it did.
    """
    targets = session.looked_at.targets
    if rerun.command is None or any(target.source.notebook is not None for target in targets):
        return None  # which kernels are refused, a proof knows
    if not any(map(_may_tell_more, targets)):
        return None
    measured = _measured(targets, rerun.command, rerun, watcher)
    if measured is None or measured.failure is not None:
        return None  # the proof says so, if there is one
    sights = Sights(traced(from_here(measured), tuple(shlex.split(rerun.command)), ""))
    return replace(session.looked_at, targets=tuple(seen_by(sights, target) for target in targets))


def _may_tell_more(target: Target) -> bool:
    """Whether more could be fixed if every line were slow, each array large, and each part of a state lost."""
    if target.module is not None or target.path is None or target.seen or target.surroundings.is_seen:
        return False
    hot = tuple(_all_lines(target, kind) for kind in Work)
    everywhere = replace(target.surroundings, hot=hot, held=(ANYTHING,), drifts=(ANY_PART,))
    with suppress(SourceError):
        return bool(_fixable(replace(target, surroundings=everywhere), ()) - _fixable(target, target.seen))
    return False


def _fixable(target: Target, seen: tuple[Sighting, ...]) -> set[str]:
    return {found.key for found in analysed(replace(target, seen=seen)).told if found.finding.recipe is not None}


def _all_lines(target: Target, kind: Work) -> Hot:
    last = len(target.source.text.splitlines())
    return Hot(
        kind=kind,
        path=target.source.path,
        cell=None,
        function="<module>",
        first=1,
        last=last,
        count=_MANY,
        per_step=None,
        seconds=1.0,
        waited_s=0.0,
        programs=_MANY,
        reads=_MANY,
        puts=0,
        waits=0,
        lines=(),
        chain=(),
    )


def _measured(targets: Sequence[Target], command: str, rerun: Rerun, watcher: Watcher) -> Measurement | None:
    """One run in a copy of the project."""
    root = root_of([path_of(target) for target in targets if target.module is None])
    words = f"running `{printable(command)}` once for costs that only a run shows, in a copy of `{root}`{rerun.there}"
    watcher.note(words)
    with watcher.progress("looking on", None) as advance:
        runner = ProgramRunner(root, command, how=rerun.running(root, advance))
        try:
            return rerun.reuse(runner, root).runner.measure({})[0]
        except EvidenceError:
            return None
