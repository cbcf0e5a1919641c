"""`jaxfix upgrade`: says what another version of jax makes of a project, and brings the project there."""

import re
import sys
from collections.abc import Iterable

from jaxfix.drivers import files
from jaxfix.drivers.cli import cache, outcome, output, terminal
from jaxfix.drivers.cli.apply import applied
from jaxfix.drivers.cli.options.shared import OutputFormat
from jaxfix.drivers.cli.options.upgrade import Upgrade
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.driving import path_of
from jaxfix.drivers.workflow.looking import Looked, from_here, look
from jaxfix.drivers.workflow.request import Ends, Request
from jaxfix.drivers.workflow.session import opened
from jaxfix.drivers.workflow.targets import Target, Targets, find_targets, installed_jax
from jaxfix.evidence.oracle import SWITCH, Side, ask
from jaxfix.render import json_report
from jaxfix.render import upgrade as rendered
from jaxfix.report.report import Report
from jaxfix.report.upgrade import State, Version
from jaxfix.source.errors import ConfigError

_PARTITIONABLE = (0, 5)
CODEMOD = "removed-api"
_VERSION = re.compile(r"(?:jax\s*==\s*)?(\d+(?:\.\d+)*)")


def upgrade(options: Upgrade) -> int:
    """Counts what the target makes of the project; with `--diff`, `--write` or `--run` makes the fixes as `apply` does.

    Returns:
      the exit code.
    """
    _check(options)
    to, came_from = _version(options.to, "--to"), _version(options.came_from, "--from")
    request = Request(options.paths or (".",), (CODEMOD,), python=options.python, ends=Ends(came_from, to))
    if options.oracle_python is not None and options.run is not None:
        code = _asked(options, request)
        if code != outcome.CLEAN or not options.applies:
            return code
    if options.applies:
        return applied(options.applied, request)
    looked_at = find_targets(request, keeps_texts=False)
    looked = look(looked_at, terminal) if options.no_cache else _looked(looked_at)
    found = from_here(Report(looked.findings.diagnostics, (*looked_at.errors, *looked.findings.errors)))
    today = installed_jax(options.python)
    number = len(looked_at.targets)
    state = State(came_from or _oldest(looked.targets), today, to or today, number, found.findings, found.errors)
    is_text = options.output_format is OutputFormat.text
    paint = output.paint_for(options.output_file)
    output.give(options.output_file, rendered.text(state, paint) if is_text else json_report.upgrade(state))
    for note in looked_at.notes:
        terminal.note(note)
    outcome.tell_errors((*found.errors, *looked.findings.bugs))
    is_found = bool(found.findings) and not options.exit_zero
    return outcome.exit_code(findings=is_found, errors=found.errors, bugs=looked.findings.bugs)


def _asked(options: Upgrade, request: Request) -> int:
    """Asks the environment of its period what the program does, and tells whether the fixed one does the same."""
    assert options.oracle_python is not None and options.run is not None
    session = opened(find_targets(request), terminal)
    root = root_of([path_of(target) for target in session.looked_at.targets if target.path is not None])
    changed = {files.resolved(path_of(e.target)): e.patch.after for e in session.candidates().changed}
    period = installed_jax(options.oracle_python)
    terminal.note(
        f"running `{options.run}` as it is with `{options.oracle_python}`, and with all fixes with today's Python, "
        f"in copies of `{root}`"
    )
    python = options.python or sys.executable
    sides = Side(options.oracle_python, {}), Side(python, changed)
    draws_alike = period is None or period < _PARTITIONABLE
    found = ask(root, options.run, *sides, options.timeout_s, draws_alike=draws_alike)
    terminal.give(rendered.oracle(found, period, len(changed), SWITCH if draws_alike else None).encode())
    return outcome.CLEAN if found.answer.agrees else outcome.FINDINGS


def _check(options: Upgrade) -> None:
    if options.diff and options.write:
        raise ConfigError("`--diff` writes nothing, and `--write` does", hint="leave one out")
    if options.oracle_python is not None and options.run is None:
        raise ConfigError("`--oracle-python` compares runs of a program", hint="name it with `--run CMD`")
    if options.unproven and options.run is not None and options.oracle_python is None:
        raise ConfigError("`--unproven` runs nothing, and `--run` does", hint="leave one out")
    if options.unproven and not options.applies:
        raise ConfigError("`--unproven` says what is written", hint="give `--write` or `--diff` as well")
    output.refuse_unwritable(options.output_file)


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
    known = [target.surroundings.oldest_jax for target in targets if target.surroundings.oldest_jax is not None]
    return min(known, default=None)
