"""`jaxfix prove`: whether a change that others have made returns what was returned before."""

import sys
from pathlib import Path

from jaxfix.drivers.changes import Change, of_diff, of_revision
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.options.prove import Prove
from jaxfix.drivers.cli.options.shared import OutputFormat
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.change_proof import prove_change
from jaxfix.drivers.workflow.proof import Rerun, named_function
from jaxfix.evidence.remote import target_for
from jaxfix.render import change as render
from jaxfix.render import json_report
from jaxfix.report.change import Proven
from jaxfix.report.evidence import Level
from jaxfix.source.errors import ConfigError


def prove(options: Prove) -> int:
    """Runs the program without and with the change; returns 0 if that is proven, 1 if not."""
    _check(options)
    place = target_for(options.on, options.launcher, options.python)
    root = root_of(())
    change = _change(options, root)
    if not change.after:
        hint = None if options.diff else "`--git REV` compares with another commit"
        raise ConfigError(f"nothing is changed by {change.named}", hint=hint)
    rerun = Rerun(options.run, options.python, options.timeout_s, options.steps, options.observe, place, options.fresh)
    accepted = Level.ROUNDING if options.rounding else Level.BITWISE
    found = prove_change(change, root, rerun, accepted, terminal)
    _tell(found, options)
    return outcome.CLEAN if found.is_proven else outcome.FINDINGS


def _check(options: Prove) -> None:
    given = [
        name
        for name, value in (("--diff", options.diff), ("--git", options.git), ("--worktree", options.worktree))
        if value
    ]
    if len(given) != 1:
        what = " and ".join(f"`{name}`" for name in given)
        raise ConfigError(
            f"{what} are two changes" if given else "no change is named",
            hint="give one of `--diff FILE`, `--git REV` and `--worktree`",
        )
    if not options.run.strip():
        raise ConfigError("`--run` names no program")
    for name in options.observe:
        named_function(name)
    output.refuse_unwritable(options.output_file)
    output.refuse_taken(options.output_file, [Path(options.diff)] if options.diff else [])


def _change(options: Prove, root: Path) -> Change:
    if options.diff is not None:
        return of_diff(options.diff, root)
    return of_revision(options.git or "HEAD", root)


def _tell(found: Proven, options: Prove) -> None:
    if options.output_format is OutputFormat.json:
        output.give(options.output_file, json_report.proven(found))
        return
    width = terminal.width_of(sys.stdout) if options.output_file is None else None
    output.give(options.output_file, render.proven(found, output.paint_for(options.output_file), width))
