"""The options of `upgrade`."""

from typing import Annotated

from jaxfix.drivers.cli.options.apply import Apply
from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import (
    AllowDirty,
    AllowNoVcs,
    ExitZero,
    Format,
    Fresh,
    NoCache,
    OutputFile,
    OutputFormat,
    Paths,
    Proven,
    Python,
    ReportFormat,
    Timeout,
)
from jaxfix.source.frozen import frozen


@frozen
class Upgrade:
    """From which version of jax to which, and whether anything is written."""

    paths: Paths = ()
    to: Annotated[
        str | None, Option("--to", metavar="VERSION", help="As `jax==0.12`; by default the installed one.")
    ] = None
    came_from: Annotated[
        str | None,
        Option("--from", metavar="VERSION", help="By default the oldest one that the project allows or pins."),
    ] = None
    diff: Annotated[bool, Option("--diff", help="Print what would change; write nothing.")] = False
    write: Annotated[bool, Option("--write", help="Write renames, and what a run has proven.")] = False
    run: Proven = None
    oracle: Annotated[
        str | None,
        Option(
            "--oracle", metavar="VERSION", help="As `jax==0.4.30`: also run the untouched program with it, and compare."
        ),
    ] = None
    oracle_python: Annotated[
        str | None,
        Option("--oracle-python", metavar="PATH", help="As --oracle, with an environment that exists."),
    ] = None
    unproven: Annotated[bool, Option("--unproven", help="Run nothing; write every fix.")] = False
    allow_dirty: AllowDirty = False
    allow_no_vcs: AllowNoVcs = False
    python: Python = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    output_format: Format = OutputFormat.text
    output_file: OutputFile = None
    no_cache: NoCache = False
    exit_zero: ExitZero = False

    @property
    def applies(self) -> bool:
        """Whether fixes are made, also for a diff, rather than counted."""
        return self.diff or self.write or (self.run is not None and not self.has_oracle)

    @property
    def has_oracle(self) -> bool:
        """Whether the untouched program is run as well, in an environment with the old jax."""
        return self.oracle is not None or self.oracle_python is not None

    @property
    def applied(self) -> Apply:
        """The options of `apply` that make them."""
        return Apply(
            paths=self.paths or (".",),
            diff=self.diff or not self.write,
            run=None if self.unproven else self.run,
            no_prove=self.run is None and not self.unproven,
            unproven=self.unproven,
            allow_dirty=self.allow_dirty,
            allow_no_vcs=self.allow_no_vcs,
            python=self.python,
            timeout_s=self.timeout_s,
            fresh=self.fresh,
            output_format=ReportFormat(self.output_format.value),
            output_file=self.output_file,
            no_cache=self.no_cache,
            exit_zero=self.exit_zero,
        )
