"""`jaxfix review` and `jaxfix report`: the fixes on a page, to be decided or to be read."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.options.review import Report, Review
from jaxfix.drivers.review.look import Look, Wishes, look
from jaxfix.drivers.workflow.consent import check
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.drivers.workflow.proof import Rerun, named_function
from jaxfix.drivers.workflow.request import Wish
from jaxfix.drivers.workflow.targets import STDIN
from jaxfix.evidence.remote import target_for
from jaxfix.render.paint import counted
from jaxfix.source.errors import ConfigError, UserError

NEEDED = ("starlette", "uvicorn")
_REMOTE = ("SSH_CONNECTION", "SSH_TTY")


def review(options: Review) -> int:
    """Serves the page until Ctrl-C; returns the exit code."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise UserError(f"the page of a review needs {named}", hint="run `pip install 'jaxfix[review]'`")
    wishes = Wishes(options.request, _rerun(options, options.observe), options.leave)
    from jaxfix.drivers.review.serving import Serving, serve

    is_near = terminal.is_attended() and not any(os.environ.get(name) for name in _REMOTE)
    review = serve(wishes, Serving(options.port, is_near and not options.no_open), terminal, terminal.tell)
    accepted, refused = (len(review.decisions.having(choice)) for choice in (Choice.ACCEPTED, Choice.REFUSED))
    said = f"\n{counted(accepted, 'fix')} accepted, {refused} rejected"
    if accepted and not (review.written is not None and not review.written.undone):
        said += "; nothing was written: `jaxfix review` continues from here"
    terminal.tell(f"{said}\n")
    return outcome.CLEAN


def report(options: Report) -> int:
    """Writes the page as one file; returns the exit code."""
    wishes = Wishes(options.request, _rerun(options))
    name = None if options.output == STDIN else options.output
    output.refuse_unwritable(name)
    from jaxfix.drivers.review.reporting import report as work

    seen = look(wishes, 1, terminal)
    read = (target.path for target in seen.session.looked_at.targets if target.path is not None)
    output.refuse_taken(name, read, "-o")
    output.give(name, work(seen, wishes, terminal, prove=options.prove or options.run is not None))
    if name is not None:
        terminal.tell(f"wrote {files.shown(Path(name))}: {_told(seen)}\n")
    return outcome.exit_code(findings=False, errors=_named(seen.session.found.errors), bugs=seen.session.found.bugs)


def _rerun(options: Review | Report, compared: tuple[str, ...] = ()) -> Rerun:
    """How to rerun what is analysed.

    Raises:
      ConfigError: that cannot be done.
    """
    check(Wish(run=options.run))
    for name in compared:
        named_function(name)
    if STDIN in options.paths:
        raise ConfigError("stdin cannot be reviewed", hint="name the file")
    place = target_for(options.on, options.launcher, options.python)
    return Rerun(options.run, options.python, options.timeout_s, options.steps, compared, place, options.fresh)


def _told(seen: Look) -> str:
    names = {entry.name.path for entry in seen.found}
    return f"{counted(len(seen.found), 'fix')} in {counted(len(names), 'file')}"


def _named(errors: tuple[str, ...]) -> tuple[str, ...]:
    outcome.tell_errors(errors)
    sys.stderr.flush()
    return errors
