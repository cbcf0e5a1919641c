"""`jaxfix receipts`: the stored results of reruns, and why some have expired."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix.drivers import files, installed
from jaxfix.drivers import receipts as kept
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.records import Receipts
from jaxfix.drivers.receipts import Batch, Receipt
from jaxfix.drivers.workflow.recording import Settings, today, without_tricks
from jaxfix.render import text
from jaxfix.render.paint import counted, printable
from jaxfix.render.receipts import receipt
from jaxfix.report.evidence import Evidence
from jaxfix.report.wire import to_json
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

SCHEMA = 1


@frozen
class _Listed:
    """A receipt, made printable, with `file` where it is; `expired` says why, `unknown` what was not checked."""

    when: str
    evidence: Evidence
    file: Path
    expired: tuple[str, ...]
    unknown: tuple[str, ...]


def receipts(options: Receipts) -> int:
    """Lists the receipts of a project; returns 0, or with `check` 1 if one has expired."""
    root = _root(options.path)
    batches, problems = kept.batches(root)
    settings = Settings(root)
    chosen = [_listed(batch, entry, root, settings) for batch, entry in _chosen(batches, root, options)]
    chosen.sort(key=lambda e: (str(e.file), e.evidence.cell or 0, e.evidence.line, e.evidence.key))
    errors = (*problems, *settings.problems)
    if options.output_format == "json":
        terminal.give(_document(chosen, errors).encode())
    else:
        terminal.give("".join(_lines(chosen)).encode(errors="surrogateescape"))
    terminal.tell(_summary(chosen))
    outcome.tell_errors(errors)
    has_expired = any(entry.expired for entry in chosen)
    return outcome.exit_code(findings=options.check and has_expired, errors=errors, bugs=())


def _root(path: str | None) -> Path:
    start = Path(path) if path is not None and Path(path).exists() else Path.cwd()
    root = kept.root_above(files.resolved(start))
    if root is None:
        raise UserError(
            f"no receipts in {files.shown(start)} or above it", hint="`jaxfix apply --prove` or `--run CMD` makes some"
        )
    return root


def _chosen(batches: Sequence[Batch], root: Path, options: Receipts) -> Iterator[tuple[Batch, Receipt]]:
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


def _listed(batch: Batch, entry: Receipt, root: Path, settings: Settings) -> _Listed:
    file = root / entry.file
    now = today(entry, root, settings)
    reasons = tuple(printable(reason) for reason in kept.reasons(entry, now))
    unknown = () if now.versions is not None or entry.evidence.environment is None else ("versions",)
    evidence = replace(without_tricks(entry.evidence), path=printable(files.shown(file)))
    return _Listed(printable(batch.when), evidence, file, reasons, unknown)


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
    told += "; devices and other sources are not checked: only a rerun does that\n"
    if not expired:
        return told
    return told + text.note(
        "`jaxfix apply --prove` or `--run CMD` reruns the expired fixes that are still to be made", paint
    )


def _document(listed: Sequence[_Listed], errors: Sequence[str]) -> str:
    """`{"schema": 1, "receipts": [{..., "when", "expired", "not_checked"}], "errors": [...]}`."""
    rows = []
    for entry in listed:
        evidence = to_json(replace(entry.evidence, path=files.relative(entry.file)))
        assert isinstance(evidence, dict)
        unknown = [*entry.unknown, "device"]
        rows.append({**evidence, "when": entry.when, "expired": list(entry.expired), "not_checked": unknown})
    return json.dumps({"schema": SCHEMA, "receipts": rows, "errors": list(errors)}, indent=2) + "\n"
