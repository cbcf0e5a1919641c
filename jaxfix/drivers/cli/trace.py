"""`jaxfix trace -- CMD`: runs a program and says what it compiled."""

import re
import sys
from dataclasses import replace
from pathlib import Path

from jaxfix.core.errors import WriteError
from jaxfix.core.report import Measurement
from jaxfix.drivers import files
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.evidence import trace as evidence
from jaxfix.render import text
from jaxfix.render import trace as render

_STATUS = re.compile(r"exit status (-?\d+)")


def trace(command: tuple[str, ...], output: str | None) -> int:
    """Runs the program, whose stdout stays its own; prints the table to stderr, and JSON to `output`.

    Returns:
      The program's exit status if it fails, as a shell gives it.
    """
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise WriteError(f"{output}: there is no folder to write it into")  # before the program has run for nothing
    measurement = evidence.trace(command, Path.cwd())
    compiles = tuple(replace(entry, path=files.shown(Path(entry.path))) for entry in measurement.compiles)
    measurement = replace(measurement, compiles=compiles)
    paint = terminal.paint_for(sys.stderr)
    terminal.tell(render.table(measurement, paint))
    status = _status(measurement)
    if status:
        terminal.tell(text.note(f"the program ended with exit status {status}", paint))
    if output is not None:
        files.write_bytes(Path(output), render.document(measurement).encode())
    return status


def _status(measurement: Measurement) -> int:
    """The exit status of the program as a shell gives it."""
    if measurement.failure is None:
        return outcome.CLEAN
    failed = _STATUS.match(measurement.failure)
    status = int(failed[1]) if failed else 1
    return status if status >= 0 else 128 - status
