"""`jaxfix trace -- CMD`: runs a program and says what it compiled, why, and what cures it."""

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxfix import __version__
from jaxfix.drivers import files
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.options.trace import Trace as Options
from jaxfix.drivers.workflow.looking import analysed, informed, settled
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import Target, find_targets
from jaxfix.drivers.workflow.traces import Sights, from_here, traced
from jaxfix.engine.analyze import Found
from jaxfix.engine.seen import worth_telling
from jaxfix.evidence import trace as evidence
from jaxfix.evidence.remote import target_for
from jaxfix.render import trace as render
from jaxfix.render import trace_page
from jaxfix.render.trace import Cure, Cures
from jaxfix.report.measurement import Measurement, Spent
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.trace_file import Trace
from jaxfix.source.errors import ConfigError, SourceError, UserError

_STATUS = re.compile(r"exit status (-?\d+)")
_STEPS = 20
"""Of a program that does not end by itself, enough to tell its first steps from the steady ones."""
_FEW = 3
"""Files that a suggested command names; of more it names the folder."""


def trace(options: Options) -> int:
    """Runs the program, whose stdout stays its own; prints the table to stderr, and writes the files asked for.

    Returns:
      The program's exit status if it fails, as a shell gives it.
    """
    refuse(options)  # before the program has run for nothing
    place = target_for(options.on, options.launcher)
    measured = evidence.trace(
        options.command, Path.cwd(), steps_from=options.steps_from, step=options.step, target=place
    )
    seen = traced(from_here(measured), options.command, __version__)
    paint, width = terminal.paint_for(sys.stderr), terminal.width_of(sys.stderr)
    cures = cures_of(seen)
    terminal.tell(render.table(seen.measurement, paint, width, cures))
    status = status_of(seen.measurement)
    if status:
        terminal.note(f"the program ended with exit status {status}")
    if options.step is not None and seen.measurement.where_steps is None:
        unseen = (
            f"`--step {options.step}`: no function of this name was called outside of a trace, so there are no steps"
        )
        terminal.note(unseen)
    if options.output is not None:
        files.write_bytes(Path(options.output), trace_file.dump(seen))
    if options.html is not None:
        files.write_bytes(Path(options.html), trace_page.page(seen, cures).encode(errors="backslashreplace"))
    following = next_step(seen, cures, options)
    if following is not None:
        terminal.note(following)
    return status


def refuse(options: Options, name: str = "trace") -> None:
    """Raises UserError for what cannot be meant, or cannot be written; `name` is the command's."""
    for wanted in (options.output, options.html):
        output.refuse_unwritable(wanted)
    if options.command[0].startswith("--"):
        raise ConfigError(
            f"`{options.command[0]}` is not an option of `jaxfix {name}`", hint="write the program after `--`"
        )
    if options.step is not None:
        module, _, name = options.step.rpartition(":")
        if not all(part.isidentifier() for part in (*(module or name).split("."), *_plain(name))):
            raise ConfigError(
                f"`--step {options.step}` names no function",
                hint="write `name` or `module:name`, such as `train_step`",
            )


def _plain(qualname: str) -> list[str]:
    return [part for part in qualname.split(".") if part != "<locals>"]


def cures_of(seen: Trace) -> dict[Compiled | Spent, Cure]:
    """By row of the table what our own analysis says of it; what cannot be analysed is reported, and has none."""
    sights = Sights(seen)
    if not sights.paths:
        return {}
    try:
        looked_at = find_targets(Request(()), sights)
    except UserError as error:  # such as a configuration that is broken: the table is without it
        outcome.tell_errors([str(error)])
        return {}
    wanted = settled(informed(looked_at.targets))
    found: dict[Compiled | Spent, Cure] = {}
    for target in wanted:
        for entry in _found(target):
            cure = Cure(entry.codemod.id, entry.finding.recipe is not None)
            rows: list[Compiled | Spent] = [*_origins(target, entry)]
            rows += [line for region in entry.hot for line in region.lines]
            found |= {row: cure for row in rows if row not in found}
    return found


def _found(target: Target) -> Sequence[Found]:
    try:
        return analysed(target).found
    except SourceError as error:
        outcome.tell_errors([str(error)])
        return ()


def _origins(target: Target, entry: Found) -> list[Compiled]:
    """The rows that a finding explains; of one that runs feed, those that are worth a finding."""
    rows = {sighting.origin: sighting for sighting in target.seen}
    return [row for row in entry.seen if row in rows and (entry.codemod.triggers or worth_telling(rows[row]))]


def status_of(measurement: Measurement) -> int:
    """The exit status of the program as a shell gives it."""
    if measurement.failure is None:
        return outcome.CLEAN
    failed = _STATUS.match(measurement.failure)
    status = int(failed[1]) if failed else 1
    return status if status >= 0 else 128 - status


def next_step(seen: Trace, cures: Cures, options: Options) -> str | None:
    """The next command to type; None without findings."""
    script = seen.command[0].startswith("-") or seen.command[0].endswith(".py")
    program = shlex.join(("python", *seen.command) if script else seen.command)
    if any(cure.fixable for cure in cures.values()):
        where = f"--trace {shlex.quote(options.output)}" if options.output else _paths(cures)
        proof = f"fix and prove it with `jaxfix apply {where} --run {shlex.quote(program)}{_same_way(seen, options)}`"
        is_broken = status_of(seen.measurement) not in (outcome.CLEAN, outcome.INTERRUPTED)
        return f"once the program ends well, {proof}" if is_broken else proof
    if cures:
        return f"see what to do by hand with `jaxfix explain {next(iter(cures.values())).id}`"
    return None


def _same_way(seen: Trace, options: Options) -> str:
    """The options of `apply` that rerun the program as it was traced: there, and ended where it was interrupted."""
    given = [("--on", options.on), ("--launcher", options.launcher)]
    if status_of(seen.measurement) == outcome.INTERRUPTED:
        given.append(("--steps", str(_STEPS)))
    return "".join(f" {name} {shlex.quote(value)}" for name, value in given if value is not None)


def _paths(cures: Cures) -> str:
    """The files with fixable findings, as command-line arguments."""
    found = dict.fromkeys(row.path for row, cure in cures.items() if cure.fixable)
    return shlex.join(found) if len(found) <= _FEW else "."
