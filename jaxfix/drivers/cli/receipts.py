"""`jaxfix receipts`: what reruns have shown, and what of it has expired; and where `apply` keeps it."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.core.codec import from_json, to_json
from jaxfix.core.errors import UserError
from jaxfix.core.report import Evidence
from jaxfix.drivers import files, installed, versions
from jaxfix.drivers import receipts as kept
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.agenda import root_of
from jaxfix.drivers.cli.planning import Planned
from jaxfix.drivers.receipts import Batch, Now, Receipt
from jaxfix.drivers.versions import Versions
from jaxfix.engine import config
from jaxfix.engine.registry import load_registry
from jaxfix.evidence.target import Target
from jaxfix.render import text
from jaxfix.render.paint import counted, printable
from jaxfix.render.receipts import receipt

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Options:
    """What to list; `check` makes an expired receipt count."""

    path: str | None
    all: bool
    check: bool
    output_format: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """A receipt, made printable, with `file` where it is; `expired` says why, `unknown` what nobody checked."""

    when: str
    evidence: Evidence
    file: Path
    expired: tuple[str, ...]
    unknown: tuple[str, ...]


def keep(
    planned: Sequence[Planned],
    found: Mapping[tuple[str, str], Evidence],
    places: Mapping[str, Path],
    command: str | None,
    python: str | None,
    place: Target,
) -> None:
    """Keeps what the reruns of an `apply` have shown; where that fails, a note says so, and the apply goes on.

    Args:
      found: the evidence by path and key of the fix.
      places: where each written source is, by its path.
      command: the program that was rerun; evidence of another command is of optimizers.
      python: the interpreter that drove those; that of the place if it is None.
      place: where the reruns happened.
    """
    if not found:
        return
    entries = {entry.patch.path: entry for entry in planned if entry.target.path is not None}
    own = [entry.target.path for entry in planned if entry.target.path is not None and entry.target.module is None]
    root = root_of(own)
    settings = _Settings(root)
    wanted = []
    for evidence in (evidence for evidence in found.values() if evidence.path in entries):
        drove = None if evidence.command == command else python or place.interpreter
        entry = _receipt(evidence, entries[evidence.path], places.get(evidence.path), settings, drove)
        wanted.append(replace(entry, place=None if place.is_here else place.name))
    try:
        kept.record(root, shlex.join(["jaxfix", *sys.argv[1:]]), tuple(wanted))
    except UserError as error:
        outcome.tell_note(f"the receipts are not kept: {error}")


def receipts(options: Options) -> int:
    """Lists the receipts of a project; returns 0, or with `check` 1 if one has expired."""
    root = _root(options.path)
    batches, problems = kept.batches(root)
    settings = _Settings(root)
    chosen = [_listed(batch, entry, root, settings) for batch, entry in _chosen(batches, root, options)]
    chosen.sort(key=lambda entry: (str(entry.file), entry.evidence.line, entry.evidence.key))
    errors = (*problems, *settings.problems)
    if options.output_format == "json":
        terminal.give(_document(chosen, errors).encode())
    else:
        terminal.give("".join(_lines(chosen)).encode(errors="surrogateescape"))
    terminal.tell(_summary(chosen))
    outcome.tell_errors(errors)
    has_expired = any(entry.expired for entry in chosen)
    return outcome.exit_code(findings=options.check and has_expired, errors=errors, bugs=())


@dataclass(slots=True)
class _Settings:
    """The configured program of each file and the versions of each interpreter, read once; what cannot be is told."""

    root: Path
    problems: list[str] = field(default_factory=list)
    _commands: dict[Path, str | None] = field(default_factory=dict)
    _versions: dict[Path, Versions | None] = field(default_factory=dict)
    _known: tuple[str, ...] | None = None

    def configured(self, file: Path) -> str | None:
        """The program that the configuration names for the file, as `apply` would take it."""
        start = file if file.is_relative_to(self.root) and file.exists() else self.root
        for pyproject in files.nearest(start, "pyproject.toml"):
            parsed = self._command(pyproject)
            if parsed is not None:
                return parsed or None
        return None

    def versions(self, python: Path) -> Versions | None:
        if python not in self._versions:
            self._versions[python] = versions.of(python)
        return self._versions[python]

    def _command(self, pyproject: Path) -> str | None:
        """Empty where there is a table without a command, None where there is no table."""
        if pyproject not in self._commands:
            if self._known is None:
                self._known = tuple(codemod.id for codemod in load_registry().codemods)
            try:
                found = config.parse(files.read_bytes(pyproject), files.shown(pyproject), self._known)
                self._commands[pyproject] = None if found is None else found.run or ""
            except UserError as error:
                self.problems.append(str(error))
                self._commands[pyproject] = ""
        return self._commands[pyproject]


def _receipt(evidence: Evidence, entry: Planned, place: Path | None, settings: _Settings, drove: str | None) -> Receipt:
    path = entry.target.path
    assert path is not None  # stdin is never proven
    own = entry.target.module is None
    after = kept.digest(place) if own and place is not None else None
    file = kept.relative_to(settings.root, path)
    return Receipt(replace(evidence, path=file), file, after, drove, settings.configured(files.resolved(path)))


def _root(path: str | None) -> Path:
    start = Path(path) if path is not None and Path(path).exists() else Path.cwd()
    root = kept.root_above(files.resolved(start))
    if root is None:
        raise UserError(
            f"no receipts in {files.shown(start)} or above it", hint="`jaxfix apply --prove` or `--run CMD` makes some"
        )
    return root


def _chosen(batches: Sequence[Batch], root: Path, options: Options) -> Iterator[tuple[Batch, Receipt]]:
    """The receipts that are asked for, of the same fix the newest, or all."""
    wanted = _wanted(options.path)
    seen: set[tuple[str, str]] = set()
    for batch in batches:
        for entry in batch.receipts:
            name = (entry.file, entry.evidence.key)
            file = files.resolved(root / entry.file)
            if (options.all or name not in seen) and (not wanted or any(file.is_relative_to(it) for it in wanted)):
                yield batch, entry
            seen.add(name)


def _wanted(path: str | None) -> tuple[Path, ...]:
    """The files and folders that PATH means; empty for all.

    Raises:
      UserError: it is neither there nor the name of an installed module.
    """
    if path is None:
        return ()
    if Path(path).exists():
        return (files.resolved(Path(path)),)
    module = installed.find(path, installed.search_path(None))
    if module is None:
        raise UserError(f"{path or '``'}: no such file, folder or installed module")
    return tuple(files.resolved(file) for file in module.files)


def _listed(batch: Batch, entry: Receipt, root: Path, settings: _Settings) -> _Listed:
    file = root / entry.file
    python = _interpreter(entry, root)
    today = settings.versions(python) if python is not None else None
    now = Now(kept.digest(file), settings.configured(files.resolved(file)), today)
    reasons = tuple(printable(reason) for reason in kept.reasons(entry, now))
    unknown = () if today is not None or entry.evidence.environment is None else ("versions",)
    evidence = replace(_without_tricks(entry.evidence), path=printable(files.shown(file)))
    return _Listed(printable(batch.when), evidence, file, reasons, unknown)


def _interpreter(entry: Receipt, root: Path) -> Path | None:
    """What would rerun it; None where that is not on this machine, or nobody can tell."""
    if entry.place is not None:
        return None
    return Path(entry.drove) if entry.drove is not None else versions.interpreter_of(entry.evidence.command, root)


def _without_tricks(evidence: Evidence) -> Evidence:
    """The same with every text printable: who wrote the file may be a stranger."""

    def cleaned(value: object) -> object:
        match value:
            case str():
                return printable(value)
            case list():
                return [cleaned(item) for item in value]
            case dict():
                return {key: cleaned(item) for key, item in value.items()}
        return value

    return from_json(Evidence, cleaned(to_json(evidence)))


def _lines(listed: Sequence[_Listed]) -> Iterator[str]:
    paint, width = terminal.paint_for(sys.stdout), terminal.width_of(sys.stdout)
    for entry in listed:
        yield receipt(entry.evidence, paint, width, f"; {entry.when[:10]}, {_state(entry)}")


def _state(entry: _Listed) -> str:
    if entry.expired:
        return f"expired: {', '.join(entry.expired)}"
    return f"holds, {' and '.join(entry.unknown)} not checked" if entry.unknown else "holds"


def _summary(listed: Sequence[_Listed]) -> str:
    paint = terminal.paint_for(sys.stderr)
    expired = sum(bool(entry.expired) for entry in listed)
    told = counted(len(listed), "receipt")
    if not listed:
        return f"{told}\n"
    told += f", {paint('yellow', f'{expired} expired')}" if expired else f", {paint('green', 'none expired')}"
    told += "; devices and other sources are not checked: only a rerun knows them\n"
    if not expired:
        return told
    return told + text.note("`jaxfix apply --prove` or `--run CMD` reruns what has expired and is still to fix", paint)


def _document(listed: Sequence[_Listed], errors: Sequence[str]) -> str:
    """`{"schema": 1, "receipts": [{..., "when", "expired", "not_checked"}], "errors": [...]}`."""
    rows = []
    for entry in listed:
        evidence = to_json(replace(entry.evidence, path=files.relative(entry.file)))
        assert isinstance(evidence, dict)
        unknown = [*entry.unknown, "device"]
        rows.append({**evidence, "when": entry.when, "expired": list(entry.expired), "not_checked": unknown})
    return json.dumps({"schema": SCHEMA, "receipts": rows, "errors": list(errors)}, indent=2) + "\n"
