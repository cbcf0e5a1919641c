"""`jaxfix verify`: whether receipts speak of this tree; runs nothing."""

import json
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers import receipts as kept
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.options.records import Verify
from jaxfix.drivers.cli.options.shared import OutputFormat
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.render import verified as render
from jaxfix.report import seal
from jaxfix.report.verified import Verified, verified
from jaxfix.report.wire import to_json
from jaxfix.source.errors import UserError

SCHEMA = 1
CANNOT = "a receipt does not prove who wrote it, or that anything ran: only a rerun does"


def verify(options: Verify) -> int:
    """Tells of each receipt; returns 0 if all hold, 1 if one does not, 2 if one cannot be read."""
    if not options.receipts:
        raise UserError("no receipt is named", hint="give the file of one, as `jaxfix prove --output-file` writes it")
    output.refuse_unwritable(options.output_file)
    output.refuse_taken(options.output_file, map(Path, options.receipts))
    root = _root(options.root)
    found, errors = list[Verified](), list[str]()
    for name in options.receipts:
        try:
            found.append(_verified(name, root))
        except UserError as error:
            errors.append(str(error))
    output.give(options.output_file, _told(found, errors, options))
    if found:
        terminal.note(CANNOT)
    outcome.tell_errors(errors)
    return outcome.exit_code(findings=not all(entry.holds for entry in found), errors=errors, bugs=())


def _root(named: str | None) -> Path:
    if named is None:
        return root_of(())
    if not Path(named).is_dir():
        raise UserError(f"`--root {named}` is not a folder")
    return files.resolved(Path(named))


def _verified(name: str, root: Path) -> Verified:
    shown = files.shown(Path(name))
    if Path(name).is_dir():
        raise UserError(f"{shown}: a folder, not a receipt", hint="name the files in it")
    try:
        document = json.loads(files.read_bytes(Path(name)))
        found = seal.opened(document)
    except (ValueError, RecursionError) as error:
        hint = "`apply` and `prove` write some with `--output-format json`"
        raise UserError(f"{shown}: not a receipt that can be verified", hint=hint) from error
    if found.schema != seal.SCHEMA:
        raise UserError(f"{shown}: schema {found.schema}, and this jaxfix knows {seal.SCHEMA}")
    is_whole = seal.digest(document) == found.sha256
    return verified(shown, found, lambda path: kept.digest(root / path), is_whole=is_whole)


def _told(found: list[Verified], errors: list[str], options: Verify) -> str:
    if options.output_format is OutputFormat.json:
        rows = [to_json(entry) for entry in found]
        return (
            json.dumps({"schema": SCHEMA, "receipts": rows, "errors": errors, "not_checked": CANNOT}, indent=2) + "\n"
        )
    paint = output.paint_for(options.output_file)
    return "".join(line for entry in found for line in render.verified(entry, paint))
