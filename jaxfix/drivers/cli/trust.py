"""`jaxfix trust`: lets `jaxfix apply` rerun what it shows, in this place, until that changes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers import trust as kept
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.records import Trust
from jaxfix.drivers.trust import Grant
from jaxfix.drivers.workflow import programs
from jaxfix.drivers.workflow.agenda import Agenda, agenda
from jaxfix.drivers.workflow.targets import STDIN, Targets, find_targets
from jaxfix.evidence.target import Local, command_words
from jaxfix.render.paint import printable
from jaxfix.source.errors import ConfigError, UserError


def trust(options: Trust) -> int:
    """Does the one thing that is asked for.

    Raises:
      ConfigError: more than one thing is.
    """
    others = (("--run", options.run is not None), ("--yes", options.yes))
    chosen = [
        name for name, is_given in (("--list", options.lists), ("--revoke", options.revokes), *others) if is_given
    ]
    if len(chosen) > 1 and (options.lists or options.revokes):
        raise ConfigError(f"`{chosen[0]}` and `{chosen[1]}` contradict each other")
    if options.lists:
        return list_grants()
    if not options.revokes:
        return grant(options)
    for path in options.request.paths:
        revoke(path)
    return outcome.CLEAN


def grant(options: Trust) -> int:
    """Shows what would run for the paths, asks, and remembers a yes; 1 where it stays a no."""
    if STDIN in options.paths:
        raise ConfigError("stdin cannot be rerun", hint="name the project")
    looked_at = find_targets(options.request)
    outcome.tell_errors(looked_at.errors)
    found = agenda(looked_at.targets, looked_at.run, options.python or Local.interpreter)
    shown = _checked(found, looked_at, options.run)
    terminal.give(_shown(shown, is_configured=options.run is None).encode(errors="surrogateescape"))
    if not _agreed(options):
        terminal.note("nothing new is trusted")
        return outcome.FINDINGS
    when = datetime.now(UTC).isoformat(timespec="seconds")
    drives = tuple(str(path) for path in shown.drives)
    entry = Grant(str(shown.project), str(shown.folder), shown.command, drives, options.run is None, when)
    path = kept.remember(entry)
    terminal.note(f"remembered in `{files.shown(path)}`; `jaxfix trust --revoke` forgets it")
    return outcome.exit_code(findings=False, errors=looked_at.errors, bugs=())


def list_grants() -> int:
    """Prints all that is trusted, one line each."""
    grants, problems = kept.grants()
    for entry in grants:
        terminal.give(f"{_told(entry)}\n".encode(errors="surrogateescape"))
    if not grants:
        terminal.note("nothing is trusted")
    outcome.tell_errors(problems)
    return outcome.exit_code(findings=False, errors=problems, bugs=())


def revoke(path: str) -> None:
    """Forgets what is trusted in the project of `path`, which need not be there any more.

    Raises:
      UserError: nothing is trusted there.
    """
    real = files.resolved(Path(path))
    places = [real, *([root] if (root := files.project_root(real)) is not None and root != real else [])]
    gone = next((found for place in places if (found := kept.revoke(place))), ())
    if not gone:
        raise UserError(f"nothing is trusted in {files.shown(places[-1])}", hint="see `jaxfix trust --list`")
    for entry in gone:
        terminal.note(f"no longer trusted: {_told(entry)}")


def _checked(found: Agenda | None, looked_at: Targets, run: str | None) -> Agenda:
    """What to ask about.

    Raises:
      UserError: there is nothing to run, no project to run it in, or `run` would never be used.
    """
    configured = looked_at.run
    if run is not None and configured is not None and run != configured:
        raise ConfigError(
            f"the configuration names another program, `{configured}`, and `jaxfix apply` would rerun that",
            hint="change `run` in the pyproject.toml, or leave out `--run`",
        )
    if found is None:
        raise UserError("there is no Python file to rerun anything for", hint="name the folder of the project")
    found = replace(found, command=run) if run is not None else found
    if found.command is not None:
        command_words(found.command)
    if found.is_empty:
        raise UserError(
            "there is nothing to rerun: the configuration names no program, and there are no optimizers to drive",
            hint=_runnable(found.project, [target.path for target in looked_at.targets if target.path is not None]),
        )
    if files.project_root(found.project) != found.project:
        raise UserError(
            f"{files.shown(found.project)} is not a project: it has neither `.git` nor a pyproject.toml",
            hint="trust is given to projects; run `git init` there",
        )
    return found


def _runnable(project: Path, paths: Sequence[Path]) -> str:
    """What to run instead: a program of the project, else a test that runs one of the files."""
    program = next(chain(programs.programs(project), programs.commands(paths)), None)
    if program is None:
        return "no program or test here runs these files: write one, and pass it as `--run CMD`"
    return f'write `run = "{program}"` into `[tool.jaxfix]`, or pass `--run "{program}"`'


def _agreed(options: Trust) -> bool:
    if options.yes:
        return True
    if not terminal.is_attended():
        raise UserError("no terminal to ask on", hint="pass `--yes` to trust the program shown")
    return terminal.agrees("trust this, until the command or the place changes?")


def _shown(found: Agenda, *, is_configured: bool) -> str:
    """What a yes would allow, one thing a line."""
    lines = [("project", str(found.project))]
    if found.command is not None:
        source = "" if is_configured else "  (by `--run`, used while the configuration names no program)"
        lines += [("runs", f"{found.command}{source}"), ("from", str(found.folder))]
    lines += [("drives", f"the optimizers of {path}") for path in found.drives]
    if found.drives:
        lines.append(("with", found.python))
    return "".join(f"{name:8} {printable(value)}\n" for name, value in lines)


def _told(entry: Grant) -> str:
    parts = [f"`{entry.command}`" if entry.command is not None else ""]
    parts.append(f"the optimizers of {', '.join(entry.drives)}" if entry.drives else "")
    where = f" from {entry.folder}" if entry.command is not None and entry.folder != entry.project else ""
    return printable(f"{entry.project}  {', '.join(_nonempty(parts))}{where}  {entry.when}")


def _nonempty(parts: Iterable[str]) -> Iterable[str]:
    return (part for part in parts if part)
