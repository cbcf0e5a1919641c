"""The options of `trace` and `gate`, which run a program."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import Launcher, On, OutputFormat, Program, Step, TraceFile
from jaxfix.source.frozen import frozen


@frozen
class Trace:
    """The program to trace, where to run it, its steps, and the files to write.

    Attributes:
      output: the file for the JSON that `--trace` reads.
      html: the file for the page.
      step: the function whose calls are the steps; None finds them.
      on: where it runs: a platform, or `ssh://host/path`; None is here.
    """

    command: Program
    output: TraceFile = None
    html: Annotated[str | None, Option("--html", metavar="FILE", help="Write a self-contained page.")] = None
    steps_from: Annotated[
        int,
        Option("--steps-from", metavar="N", least=1, help="The first steady step; earlier ones warm up."),
    ] = 3
    step: Step = None
    on: On = None
    launcher: Launcher = None


@frozen
class Gate:
    """The limits of a gate.

    Attributes:
      after: the steps, from the first, in which everything may compile; None counts what is outside of steps too.
      only: files and folders; of others nothing is counted.
      functions: names of functions and programs; others are not counted.
    """

    command: Program
    max_compiles: Annotated[
        int | None,
        Option(
            "--max-compiles", metavar="N", least=0, help="Most compiles of a function; by default 1, with --after 0."
        ),
    ] = None
    max_total: Annotated[
        int | None, Option("--max-total", metavar="N", least=0, help="Most compiles of all functions together.")
    ] = None
    after: Annotated[
        int | None,
        Option("--after", metavar="STEP", least=0, help="Count only what compiles in the steps after this one."),
    ] = None
    only: Annotated[
        tuple[str, ...], Option("--only", metavar="PATH", help="Count only what this file or folder compiles.")
    ] = ()
    functions: Annotated[
        tuple[str, ...], Option("--function", metavar="NAME", help="Count only this function or program.")
    ] = ()
    step: Step = None
    output: TraceFile = None
    write: Annotated[
        str | None,
        Option(
            "--write", metavar="FILE", help="Write a pytest: this function compiles no more often, and does not grow."
        ),
    ] = None
    on: On = None
    launcher: Launcher = None
    output_format: Annotated[
        OutputFormat, Option("--output-format", "--format", help="Format of the verdict, on stderr.")
    ] = OutputFormat.text

    @property
    def trace(self) -> Trace:
        """How the program is run, and where its trace goes."""
        return Trace(self.command, self.output, step=self.step, on=self.on, launcher=self.launcher)
