"""`jaxfix review` and `jaxfix report`: the fixes on a page, to be decided or to be read."""

import os
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.review.look import Look, Wishes, look
from jaxfix.drivers.workflow.consent import Wish, check
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.drivers.workflow.proof import Rerun, named_function
from jaxfix.drivers.workflow.targets import STDIN, Request
from jaxfix.drivers.workflow.writing import Leave
from jaxfix.evidence.elsewhere import target_for
from jaxfix.render.paint import counted
from jaxfix.source.errors import ConfigError, UserError

NEEDED = ("starlette", "uvicorn")
_REMOTE = ("SSH_CONNECTION", "SSH_TTY")


@dataclass(frozen=True, slots=True)
class Options:
    """What `review` and `report` are asked for beside what to look at."""

    run: str | None = None
    prove: bool = False
    leave: Leave = field(default_factory=Leave)
    timeout_s: float = 600
    steps: int | None = None
    compared: tuple[str, ...] = ()
    on: str | None = None
    launcher: str | None = None


def review(request: Request, options: Options, port: int | None, *, opens: bool) -> int:
    """Serves the page until Ctrl-C; returns the exit code."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise UserError(f"the page of a review needs {named}", hint="run `pip install 'jaxfix[review]'`")
    wishes = _wishes(request, options)
    from jaxfix.drivers.review.serving import Serving, serve

    is_near = terminal.is_attended() and not any(os.environ.get(name) for name in _REMOTE)
    desk = serve(wishes, Serving(port, opens and is_near), terminal, terminal.tell)
    accepted, refused = (len(desk.decisions.having(choice)) for choice in (Choice.ACCEPTED, Choice.REFUSED))
    said = f"\n{counted(accepted, 'fix')} accepted, {refused} rejected"
    if accepted and not (desk.written is not None and not desk.written.undone):
        said += "; nothing was written: `jaxfix review` goes on where this ended"
    terminal.tell(f"{said}\n")
    return outcome.CLEAN


def report(request: Request, options: Options, file: str) -> int:
    """Writes the page as one file; returns the exit code."""
    wishes, name = _wishes(request, options), None if file == STDIN else file
    output.refuse_unwritable(name)
    from jaxfix.drivers.review.reporting import report as work

    seen = look(wishes, 1, terminal)
    read = (target.path for target in seen.session.looked_at.targets if target.path is not None)
    output.refuse_taken(name, read, "-o")
    output.give(name, work(seen, wishes, terminal, prove=options.prove or options.run is not None))
    if name is not None:
        terminal.tell(f"wrote {files.shown(Path(name))}: {_told(seen)}\n")
    return outcome.exit_code(findings=False, errors=_named(seen.session.found.errors), bugs=seen.session.found.bugs)


def _wishes(request: Request, options: Options) -> Wishes:
    check(Wish(options.prove and options.run is None, options.run))
    for name in options.compared:
        named_function(name)
    if STDIN in request.paths:
        raise ConfigError("what comes from stdin has no file to be reviewed", hint="name the file")
    place = target_for(options.on, options.launcher, request.python)
    rerun = Rerun(options.run, request.python, options.timeout_s, options.steps, options.compared, place)
    return Wishes(request, rerun, options.leave)


def _told(seen: Look) -> str:
    names = {entry.name.path for entry in seen.found}
    return f"{counted(len(seen.found), 'fix')} in {counted(len(names), 'file')}"


def _named(errors: tuple[str, ...]) -> tuple[str, ...]:
    outcome.tell_errors(errors)
    sys.stderr.flush()
    return errors
