"""The options of `check`."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import (
    ExitZero,
    Ignore,
    NoCache,
    OutputFile,
    Paths,
    Python,
    ReportFormat,
    Reporting,
    Select,
    StdinName,
    Trace,
    chosen,
    ids,
    named,
)
from jaxfix.drivers.workflow.request import Request
from jaxfix.source.frozen import frozen


@frozen
class Check:
    """What `check` looks at, and how it tells what it finds.

    What is installed is there for others to call, so of it all findings are shown, with `everything` or without.
    """

    paths: Paths = ()
    select: Select = None
    ignore: Ignore = ()
    output_format: Reporting = ReportFormat.text
    output_file: OutputFile = None
    stdin_filename: StdinName = None
    python: Python = None
    trace: Trace = None
    everything: Annotated[
        bool, Option("--all", help="Also what is slow only if it is called eagerly, again and again.")
    ] = False
    statistics: Annotated[
        bool, Option("--statistics", help="How many findings each codemod has, in place of the findings.")
    ] = False
    baseline: Annotated[
        str | None, Option("--baseline", metavar="FILE", help="Leave out the findings that this file knows.")
    ] = None
    update_baseline: Annotated[bool, Option("--update-baseline", help="Write what is found into the baseline.")] = False
    no_baseline: Annotated[
        bool, Option("--no-baseline", help="Leave out nothing, whatever the configuration says.")
    ] = False
    no_cache: NoCache = False
    exit_zero: ExitZero = False

    @property
    def request(self) -> Request:
        """What is looked at, and for what."""
        return Request(
            named(self.paths, self.trace),
            chosen(self.select),
            ids(self.ignore),
            stdin_filename=self.stdin_filename,
            python=self.python,
            trace=self.trace,
        )
