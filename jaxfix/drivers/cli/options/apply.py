"""The options of `apply`."""

from enum import StrEnum
from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import (
    AllowDirty,
    AllowNoVcs,
    ExitZero,
    Fresh,
    Ignore,
    Launcher,
    NoCache,
    Observe,
    On,
    OutputFile,
    Paths,
    Proven,
    Python,
    ReportFormat,
    Reporting,
    Select,
    StdinName,
    Steps,
    Timeout,
    Trace,
    chosen,
    ids,
    named,
)
from jaxfix.drivers.workflow.request import Leave, Request, Wish
from jaxfix.report.finding import Change
from jaxfix.source.frozen import frozen


class Ragged(StrEnum):
    """What becomes of a last batch that is shorter."""

    drop = "drop"
    pad = "pad"


class Goal(StrEnum):
    """What time is given for."""

    memory = "memory"


@frozen
class Apply:
    """The targets of `apply`, and the options for its fixes."""

    paths: Paths = ()
    diff: Annotated[bool, Option("--diff", help="Print what would change; write nothing.")] = False
    stat: Annotated[bool, Option("--stat", help="Count the lines that would change; write nothing.")] = False
    interactive: Annotated[
        bool, Option("--interactive", "-i", help="Decide fix by fix, then write the accepted ones.")
    ] = False
    forget: Annotated[bool, Option("--forget", help="With --interactive: ask again about refused fixes.")] = False
    prove: Annotated[bool, Option("--prove", help="Rerun the code, and keep only fixes that are proven.")] = False
    run: Proven = None
    no_prove: Annotated[bool, Option("--no-prove", help="Run nothing, ask nothing; write safe fixes.")] = False
    unproven: Annotated[bool, Option("--unproven", help="Run nothing; write unproven fixes too.")] = False
    split_keys: Annotated[
        bool, Option(Change.SPLIT_KEYS.value, help="Split reused random keys: the random numbers change.")
    ] = False
    ragged: Annotated[
        Ragged | None, Option("--ragged", help="Leave out a last batch that is shorter, or pad and mask it.")
    ] = None
    goal: Annotated[
        Goal | None, Option("--goal", help="Less memory, more time: the backward pass recomputes values.")
    ] = None
    select: Select = None
    ignore: Ignore = ()
    allow_dirty: AllowDirty = False
    allow_no_vcs: AllowNoVcs = False
    helper: Annotated[
        str | None, Option("--helper", metavar="PATH", help="Path of the file of generated helper functions.")
    ] = None
    to: Annotated[str | None, Option("--to", metavar="DIR", help="Vendor an installed package, fixed, into DIR.")] = (
        None
    )
    python: Python = None
    trace: Trace = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    steps: Steps = None
    observe: Observe = ()
    on: On = None
    launcher: Launcher = None
    output_format: Reporting = ReportFormat.text
    output_file: OutputFile = None
    stdin_filename: StdinName = None
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
            helper=self.helper,
            asked=self.asked,
        )

    @property
    def asked(self) -> tuple[Change, ...]:
        """The changes of results that may be made."""
        split = (Change.SPLIT_KEYS,) if self.split_keys else ()
        ragged = () if self.ragged is None else (Change(f"--ragged {self.ragged.value}"),)
        return (*split, *ragged, *(() if self.goal is None else (Change.LESS_MEMORY,)))

    @property
    def wish(self) -> Wish:
        """What they say of running."""
        return Wish(self.prove, self.run, self.no_prove, self.unproven)

    @property
    def is_dry(self) -> bool:
        """Whether only what would change is shown."""
        return self.diff or self.stat

    @property
    def leave(self) -> Leave:
        """What may be written over."""
        return Leave(self.allow_dirty, self.allow_no_vcs)

    @property
    def written_over(self) -> Leave:
        """As `leave`; anything, where nothing is written."""
        return Leave(dirty=True, no_vcs=True) if self.is_dry else self.leave
