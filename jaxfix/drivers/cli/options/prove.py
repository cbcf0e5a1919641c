"""The options of `prove`, which judges a change that others have made."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import (
    Format,
    Fresh,
    Launcher,
    Observe,
    On,
    OutputFile,
    OutputFormat,
    Python,
    Timeout,
)
from jaxfix.source.frozen import frozen


@frozen
class Prove:
    """Which change, by which program, and what counts as proven."""

    run: Annotated[str, Option("--run", metavar="CMD", help="The program that is run without and with the change.")]
    diff: Annotated[
        str | None, Option("--diff", metavar="FILE", help="A unified diff of the working tree; - is stdin.")
    ] = None
    git: Annotated[
        str | None, Option("--git", metavar="REV", help="The change from this commit to the working tree.")
    ] = None
    worktree: Annotated[bool, Option("--worktree", help="The uncommitted change.")] = False
    rounding: Annotated[bool, Option("--rounding", help="Results that are equal up to rounding are proven too.")] = (
        False
    )
    python: Python = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    steps: Annotated[
        int | None,
        Option("--steps", metavar="N", least=3, help="End the program after N calls of the changed functions."),
    ] = None
    observe: Observe = ()
    on: On = None
    launcher: Launcher = None
    output_format: Format = OutputFormat.text
    output_file: OutputFile = None
