"""`jaxfix gate -- CMD`: runs a program, and fails if it compiles more often than allowed."""

import json
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxfix import __version__
from jaxfix.drivers import files
from jaxfix.drivers.cli import gate_writing as writing
from jaxfix.drivers.cli import outcome, terminal, trace
from jaxfix.drivers.cli.options.trace import Gate
from jaxfix.drivers.workflow.traces import from_here, traced
from jaxfix.evidence import trace as evidence
from jaxfix.evidence.remote import target_for
from jaxfix.render import excess
from jaxfix.render import trace as render
from jaxfix.render.excess import Verdict
from jaxfix.render.trace import Cures
from jaxfix.report.measurement import Compile, Measurement
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.budget import Limits, counted, is_called
from jaxfix.report.trace.compiles import Compiled, compiled, places
from jaxfix.report.trace.trace_file import Trace
from jaxfix.source.errors import ConfigError, EvidenceError


def gate(options: Gate) -> int:
    """Runs the program, whose output stays its own; says on stderr what compiled too often.

    Returns:
      0 if nothing did, 1 if something did, 2 if the program fails, or nothing can be said of it.
    """
    trace.refuse(options.trace, "gate")
    writing.refuse(options)
    only = _places(options.only)
    place = target_for(options.on, options.launcher)
    steps_from = options.trace.steps_from if options.after is None else options.after + 1
    measured = evidence.trace(
        options.command,
        Path.cwd(),
        steps_from=steps_from,
        step=options.step,
        target=place,
        sizes=options.write is not None,
    )
    seen = traced(from_here(measured), options.command, __version__)
    if options.output is not None:
        files.write_bytes(Path(options.output), trace_file.dump(seen))
    status = trace.status_of(seen.measurement)
    if status:
        outcome.tell_errors([f"{_ending(options.command, status)}, so its compiles are not judged"])
        return outcome.INTERRUPTED if status == outcome.INTERRUPTED else outcome.USER_ERROR
    _refuse_blind(seen.measurement, options)
    chosen = _chosen(seen.measurement.compiles, only, options)
    late = [e for e in chosen if options.after is None or (e.step is not None and e.step > options.after)]
    verdict = Verdict(counted(late), _limits(options))
    _tell(verdict, seen, options)
    if options.write is not None and (verdict.passed or writing.would_pass(seen.measurement, options)):
        writing.write(options.write, seen.measurement, options)
    elif options.write is not None:
        terminal.note(f"`{options.write}` is not written: it would fail")
    return outcome.CLEAN if verdict.passed else outcome.FINDINGS


def _limits(options: Gate) -> Limits:
    default = 1 if options.after is None else 0
    is_default = options.max_compiles is None and options.max_total is None
    return Limits(default if is_default else options.max_compiles, options.max_total)


def _tell(verdict: Verdict, seen: Trace, options: Gate) -> None:
    cures = {} if verdict.passed else trace.cures_of(seen)
    rows = {row: cure for row, cure in cures.items() if isinstance(row, Compiled)}
    by_row = {(row.where, row.program): cure for row, cure in rows.items()}
    if options.output_format == "json":
        terminal.tell(f"{json.dumps(excess.document(verdict, by_row))}\n")
        return
    paint = terminal.paint_for(sys.stderr)
    told = "".join(f"{line}\n" for line in excess.lines(verdict, by_row, paint))
    told += render.totals(seen.measurement, paint) + render.steps(seen.measurement, paint)
    terminal.tell(told + excess.summary(verdict, paint))
    wrong = {row for entry in verdict.excess for row in entry.rows}
    mine: Cures = {row: cure for row, cure in rows.items() if (row.where, row.program) in wrong}
    following = trace.next_step(seen, mine, options.trace)
    if following is not None:
        terminal.note(following)


def _chosen(compiles: Sequence[Compile], only: Sequence[Path], options: Gate) -> list[Compile]:
    """Those of `--only` and `--function`.

    Raises:
      EvidenceError: nothing is of one of them: it would pass whatever happens.
    """
    for name in options.functions:
        if not any(is_called(entry, name) for entry in compiles):
            raise EvidenceError(f"`--function {name}`: nothing of this name was compiled")
    for name, place in zip(options.only, only, strict=True):
        if not any(_is_inside(entry, place) for entry in compiles):
            raise EvidenceError(f"`--only {name}`: nothing was compiled there")
    return [
        entry
        for entry in compiles
        if (not only or any(_is_inside(entry, place) for place in only))
        and (not options.functions or any(is_called(entry, name) for name in options.functions))
    ]


def _is_inside(entry: Compile, place: Path) -> bool:
    """Whether the line that compiled, or the function that was compiled, is of the file or folder."""
    named = [entry.path, *(each.path for each in places([entry.of] if entry.of is not None else []))]
    return any(files.resolved(Path(name)).is_relative_to(place) for name in named)


def _places(names: Sequence[str]) -> list[Path]:
    for name in names:
        if not files.stands(Path(name)):
            raise ConfigError(f"`--only {name}`: no such file or folder")
    return [files.resolved(Path(name)) for name in names]


def _refuse_blind(measurement: Measurement, options: Gate) -> None:
    """Raises EvidenceError where nothing was seen that could be judged: that is no reason to pass."""
    if not measurement.compiles and not measurement.has_jax:
        if measurement.peak_bytes:
            raise EvidenceError(
                "the program never imported jax, so there is nothing to judge",
                hint="check that it is the right program",
            )
        raise EvidenceError(render.nothing(measurement))
    if options.step is not None and measurement.where_steps is None:
        raise EvidenceError(f"`--step {options.step}`: no function of this name was called outside of a trace")
    if options.after is None:
        return
    number = measurement.step_numbers[-1] if measurement.steps else 0
    if not number and options.step is None:
        if not any(row.again for row in compiled(measurement.compiles)):
            return  # the steps of a program are where a loop compiles: none does
        hint = "name the function whose calls are the steps: `--step FUNCTION`"
        raise EvidenceError(f"no steps were found, so `--after {options.after}` leaves nothing to judge", hint=hint)
    if number <= options.after:
        made = f"the program made {number} step{'' if number == 1 else 's'}, none of them after step {options.after}"
        raise EvidenceError(made, hint="run more steps, or name an earlier one")


def _ending(command: Sequence[str], status: int) -> str:
    """How the program ended, in words."""
    name = f"`{shlex.join(command)}`"
    try:
        return f"{name} was ended by {signal.Signals(status - 128).name}" if status > 128 else _exited(name, status)
    except ValueError:
        return _exited(name, status)


def _exited(name: str, status: int) -> str:
    return f"{name} ended with exit status {status}"
