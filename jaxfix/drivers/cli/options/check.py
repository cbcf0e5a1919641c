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
    """The targets of `check`, and its output options.

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
        bool, Option("--all", help="Also findings that cost only if the code runs eagerly, repeatedly.")
    ] = False
    statistics: Annotated[
        bool, Option("--statistics", help="Count the findings of each codemod instead of listing them.")
    ] = False
    baseline: Annotated[
        str | None, Option("--baseline", metavar="FILE", help="Hide the findings that this file lists.")
    ] = None
    update_baseline: Annotated[bool, Option("--update-baseline", help="Write the findings into the baseline.")] = False
    no_baseline: Annotated[bool, Option("--no-baseline", help="Use no baseline, whatever the configuration says.")] = (
        False
    )
    no_cache: NoCache = False
    exit_zero: ExitZero = False

    @property
    def request(self) -> Request:
        """What is analysed, and for what."""
        return Request(
            named(self.paths, self.trace),
            chosen(self.select),
            ids(self.ignore),
            stdin_filename=self.stdin_filename,
            python=self.python,
            trace=self.trace,
        )
