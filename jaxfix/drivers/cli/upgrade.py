"""`jaxfix upgrade`: says what another version of jax makes of a project, and brings the project there."""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli import cache, outcome, output, terminal
from jaxfix.drivers.cli.apply import applied
from jaxfix.drivers.cli.options.shared import OutputFormat
from jaxfix.drivers.cli.options.upgrade import Upgrade
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.workflow.admitted import installed_jax
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.driving import path_of
from jaxfix.drivers.workflow.looking import Looked, from_here, look
from jaxfix.drivers.workflow.request import Ends, Request
from jaxfix.drivers.workflow.session import Session, opened
from jaxfix.drivers.workflow.targets import Target, Targets, find_targets
from jaxfix.evidence.oracle import Side, ask
from jaxfix.library.changes.periods import KNOWN, alike
from jaxfix.render import json_report
from jaxfix.render import upgrade as rendered
from jaxfix.report.report import Report
from jaxfix.report.upgrade import State, Version
from jaxfix.source.errors import ConfigError

CODEMODS = ("removed-api", "legacy-parallelism")
_ASKED = "renames are written without a run: lines that raise today will run, also where something catches the error"
_VERSION = re.compile(r"(?:jax\s*==\s*)?(\d+(?:\.\d+)*)")


def upgrade(options: Upgrade) -> int:
    """Counts what the target makes of the project; with `--diff`, `--write` or `--run` makes the fixes as `apply` does.

    Returns:
      the exit code.
    """
    _check(options)
    to, came_from = _version(options.to, "--to"), _version(options.came_from, "--from")
    today = installed_jax(options.python)
    _check_order(to, came_from, today)
    request = Request(options.paths or (".",), CODEMODS, python=options.python, ends=Ends(came_from, to))
    if options.has_oracle and options.run is not None:
        code = _asked(options, request)
        if code != outcome.CLEAN or not options.applies:
            return code
    if options.applies:
        terminal.note(_ASKED)
        return applied(options.applied, request)
    looked_at = find_targets(request, keeps_texts=False)
    looked = look(looked_at, terminal) if options.no_cache else _looked(looked_at)
    found = from_here(Report(looked.findings.diagnostics, (*looked_at.errors, *looked.findings.errors)))
    unread = len(looked.findings.errors)
    number = len(looked_at.targets) - unread
    came_from = came_from or _oldest(looked.targets)
    state = State(came_from, today, to or today, number, found.findings, found.errors, unread)
    is_text = options.output_format is OutputFormat.text
    paint = output.paint_for(options.output_file)
    output.give(options.output_file, rendered.text(state, paint) if is_text else json_report.upgrade(state))
    for note in (*looked_at.notes, *_next(state, is_text=is_text)):
        terminal.note(note)
    outcome.tell_errors((*found.errors, *looked.findings.bugs))
    is_found = bool(found.findings) and not options.exit_zero
    return outcome.exit_code(findings=is_found, errors=found.errors, bugs=looked.findings.bugs)


def _next(state: State, *, is_text: bool) -> Iterator[str]:
    """The options that write what the state calls automatic."""
    if is_text and (state.safe or state.renames):
        yield "`--diff` shows the changes, `--write` writes those that need no run"


def _asked(options: Upgrade, request: Request) -> int:
    """Asks the environment with the old jax what the program does, and tells whether the fixed one does the same."""
    assert options.run is not None
    session = opened(find_targets(request), terminal)
    targets = [target for target in session.looked_at.targets if target.path is not None]
    root = root_of([path_of(target) for target in targets])
    changed = _changed(session)
    python = options.oracle_python or _made(options, root, [target.source.text for target in targets])
    period = installed_jax(python)
    terminal.note(
        f"running `{options.run}` as it is with `{python}`, and with all fixes with today's Python, "
        f"in copies of `{root}`"
    )
    roots = _roots(targets, root)
    both = replace(request, ends=Ends(period, request.ends.to if request.ends is not None else None, oldest=period))
    for_both = partial(_changed_by, both)
    sides = Side(python, {}, roots), Side(options.python or sys.executable, changed, roots, for_both)
    variables = dict(alike(period)) | ({"JAX_PLATFORMS": "cpu"} if options.oracle_python is None else {})
    found = ask(root, options.run, *sides, options.timeout_s, variables)
    terminal.give(rendered.oracle(found, period, len(changed), variables).encode())
    return outcome.CLEAN if found.answer.agrees else outcome.FINDINGS


def _changed_by(request: Request) -> dict[Path, bytes]:
    return _changed(opened(find_targets(request), terminal))


def _changed(session: Session) -> dict[Path, bytes]:
    """The files that the fixes change, with all of them."""
    return {files.resolved(path_of(e.target)): e.patch.after for e in session.candidates().changed}


def _made(options: Upgrade, root: Path, sources: Iterable[bytes]) -> str:
    """The Python of an environment that is made for the period, or was."""
    from jaxfix.drivers import periods, requirements

    version = _version(options.oracle, "--oracle")
    assert version is not None
    period = periods.Period(version, requirements.required(root, sources))
    return periods.python_of(period, root, options.python, terminal.note)


def _roots(targets: Iterable[Target], root: Path) -> tuple[Path, ...]:
    """The folders of the project that hold its packages."""
    roots = Roots()
    places = {found.folder for t in targets if (found := roots.of(files.resolved(path_of(t)))).top != found.folder}
    return tuple(sorted(place for place in places if place.is_relative_to(root)))


def _check(options: Upgrade) -> None:
    if options.diff and options.write:
        raise ConfigError("`--diff` writes nothing, and `--write` does", hint="leave one out")
    if options.oracle is not None and options.oracle_python is not None:
        raise ConfigError("`--oracle` makes an environment, and `--oracle-python` names one", hint="leave one out")
    if options.has_oracle and options.run is None:
        raise ConfigError("the oracle compares runs of a program", hint="name it with `--run CMD`")
    if options.unproven and options.run is not None and not options.has_oracle:
        raise ConfigError("`--unproven` runs nothing, and `--run` does", hint="leave one out")
    if options.unproven and not options.applies:
        raise ConfigError("`--unproven` says what is written", hint="give `--write` or `--diff` as well")
    if options.python is not None and shutil.which(options.python) is None and not Path(options.python).exists():
        raise ConfigError(f"`--python {options.python}`: no such file", hint="name an interpreter")
    output.refuse_unwritable(options.output_file)


def _check_order(to: Version | None, came_from: Version | None, today: Version | None) -> None:
    """That the target is no older than the start; says so of one older than what is installed, or unknown."""
    if to is None:
        return
    if came_from is not None and to < came_from:
        old, new = (".".join(map(str, each)) for each in (came_from, to))
        raise ConfigError(f"`--to {new}` is older than `--from {old}`", hint="only newer versions are possible")
    if today is not None and to < today:
        older, newer = (".".join(map(str, each)) for each in (to, today))
        terminal.note(f"`--to {older}` is older than jax {newer}, which is installed: later changes are not reported")
    if to[: len(KNOWN)] > KNOWN:
        terminal.note(f"changes are known up to jax {'.'.join(map(str, KNOWN))}: later changes are not reported")


def _version(text: str | None, option: str) -> Version | None:
    if text is None:
        return None
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"`{option} {text}`: not a version of jax", hint="write it as `jax==0.12` or `0.12`")
    return tuple(map(int, found[1].split(".")))


def _looked(looked_at: Targets) -> Looked:
    with cache.memory_of(looked_at) as memory:
        return look(looked_at, terminal, memory)


def _oldest(targets: Iterable[Target]) -> Version | None:
    known = [target.surroundings.came_from for target in targets if target.surroundings.came_from is not None]
    return min(known, default=None)
