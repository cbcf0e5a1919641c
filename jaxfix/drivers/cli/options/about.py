"""The options of `doctor`, `explain` and `new`, which are about jaxfix itself and its codemods."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Argument, Option
from jaxfix.drivers.cli.options.shared import Format, OutputFormat, Python
from jaxfix.source.frozen import frozen


@frozen
class Doctor:
    """How jaxfix is examined."""

    no_run: Annotated[bool, Option("--no-run", help="Start no interpreter; devices stay unknown.")] = False
    python: Python = None
    timeout_s: Annotated[
        float, Option("--timeout", metavar="SECONDS", least=1, help="Time limit for the interpreter.")
    ] = 60
    output_format: Format = OutputFormat.text


@frozen
class Explain:
    """Which codemod is explained."""

    codemod: Annotated[str, Argument("ID")]


@frozen
class New:
    """Which codemod is begun."""

    codemod: Annotated[str, Argument("ID", help="Names the problem, as `local-jit`.")]
