"""`jaxfix gate --write`: the pytest for the function that was found."""

import os
import shlex
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli import output, terminal
from jaxfix.drivers.cli.options.trace import Gate
from jaxfix.evidence.in_process import program_words
from jaxfix.render.gate_test import MARK, gate_test
from jaxfix.report.measurement import Measurement
from jaxfix.report.trace.budget import Sized, sized
from jaxfix.source.errors import ConfigError, EvidenceError, WriteError


def refuse(options: Gate) -> None:
    """Raises UserError where no test can be written, before anything runs."""
    if options.write is None:
        return
    if options.on is not None or options.launcher is not None:
        raise ConfigError("`--write` writes a test that runs here, and `--on` or `--launcher` another place")
    if len(options.functions) > 1:
        raise ConfigError("`--write` writes a test of one function, and `--function` names several")
    if not Path(options.write).name.endswith(".py"):
        told = f"`--write {options.write}` is not a Python file"
        raise ConfigError(told, hint="name one such as `tests/test_step.py`")
    output.refuse_unwritable(options.write)
    path = Path(options.write)
    if path.exists() and MARK.encode() not in files.read_bytes(path):
        raise WriteError(f"{options.write}: exists already, and is kept", hint="name a new file")
    program_words(options.command, Path.cwd())


def would_pass(measurement: Measurement, options: Gate) -> bool:
    """Whether the function that the test is of compiles no more often than allowed, whatever others do."""
    found = _found(measurement, options)
    return found is not None and found.compiles <= (1 if options.max_compiles is None else options.max_compiles)


def _found(measurement: Measurement, options: Gate) -> Sized | None:
    return sized(measurement.compiles, next(iter(options.functions), None))


def write(name: str, measurement: Measurement, options: Gate) -> None:
    """Writes the test of the function that is named, else of the largest that the program compiles.

    Raises:
      EvidenceError: it compiles no function of the user's.
    """
    found = _found(measurement, options)
    if found is None:
        raise EvidenceError(
            "no function of yours is compiled, so there is no test to write", hint="put the step under `jax.jit`"
        )
    path = Path(name)
    above = Path(os.path.relpath(Path.cwd(), files.resolved(path.absolute().parent))).parts
    made = measurement.environment
    made_with = "jax" if made is None else f"jax {made.jax} on {made.platform}"
    words = program_words(options.command, Path.cwd())
    text = gate_test(found, shlex.join(("python", *words)), above, made_with)
    files.write_bytes(path, text.encode())
    terminal.note(f"wrote `{files.shown(path)}`: {_told(found)}; `python -m pytest {shlex.quote(name)}` runs it")


def _told(found: Sized) -> str:
    parts = [f"`{found.name}` compiles {'once' if found.compiles == 1 else f'{found.compiles} times'}"]
    if found.operations is not None:
        parts.append(f"{found.operations:,} operations")
    if found.temporary_bytes is not None:
        parts.append(f"{found.temporary_bytes:,} bytes of temporaries")
    return ", ".join(parts)
