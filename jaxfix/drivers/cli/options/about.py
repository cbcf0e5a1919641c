"""The options of `doctor`, `explain` and `new`, which are about jaxfix itself and its codemods."""

from dataclasses import dataclass
from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Argument, Option
from jaxfix.drivers.cli.options.shared import Format, OutputFormat, Python


@dataclass(frozen=True, slots=True)
class Doctor:
    """How jaxfix is examined."""

    no_run: Annotated[bool, Option("--no-run", help="Start no interpreter; devices stay unknown.")] = False
    python: Python = None
    timeout_s: Annotated[
        float, Option("--timeout", metavar="SECONDS", least=1, help="For the interpreter that is asked.")
    ] = 60
    output_format: Format = OutputFormat.text


@dataclass(frozen=True, slots=True)
class Explain:
    """Which codemod is explained."""

    codemod: Annotated[str, Argument("ID")]


@dataclass(frozen=True, slots=True)
class New:
    """Which codemod is begun."""

    codemod: Annotated[str, Argument("ID", help="Names the problem, as `local-jit`.")]
