"""Options that several commands have."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Argument, Option


class OutputFormat(StrEnum):
    """The output format of a command."""

    text = "text"
    json = "json"


class ReportFormat(StrEnum):
    """Format of the findings."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    rdjson = "rdjson"


Paths = Annotated[
    tuple[str, ...],
    Argument("PATH", help="Files, folders, names of installed modules such as `optax`, or `-` for stdin."),
]
Program = Annotated[tuple[str, ...], Argument("CMD", help="The program and its arguments, after `--`.")]
Select = Annotated[tuple[str, ...] | None, Option("--select", metavar="ID,...", help="Run only these codemods.")]
Ignore = Annotated[tuple[str, ...], Option("--ignore", metavar="ID,...", help="Do not run these codemods.")]
Format = Annotated[OutputFormat, Option("--output-format", help="Output format.")]
Reporting = Annotated[ReportFormat, Option("--output-format", help="Format of the findings.")]
OutputFile = Annotated[
    str | None, Option("--output-file", metavar="FILE", help="Write them into this file, not to stdout.")
]
StdinName = Annotated[str | None, Option("--stdin-filename", metavar="NAME", help="Name of `-` in messages.")]
Python = Annotated[
    str | None,
    Option("--python", metavar="PATH", help="The Python of the installed modules, and the `python` of `--run`."),
]
Trace = Annotated[
    str | None, Option("--trace", metavar="FILE", help="A trace from `jaxfix trace -o FILE`; without PATH, its files.")
]
NoCache = Annotated[bool, Option("--no-cache", help="Analyse every file again.")]
ExitZero = Annotated[bool, Option("--exit-zero", help="Exit with 0 even if findings remain or fixes are held.")]

Fresh = Annotated[bool, Option("--fresh", help="Reuse no earlier run, even if nothing has changed.")]
AllowDirty = Annotated[bool, Option("--allow-dirty", help="Write over uncommitted changes.")]
AllowNoVcs = Annotated[bool, Option("--allow-no-vcs", help="Write outside of git.")]
Proven = Annotated[str | None, Option("--run", metavar="CMD", help="The program to rerun; implies --prove.")]
Timeout = Annotated[float, Option("--timeout", metavar="SECONDS", least=1, help="Time limit of each run.")]
Steps = Annotated[
    int | None,
    Option("--steps", metavar="N", least=3, help="End the program after N calls of the rewritten functions."),
]
Observe = Annotated[
    tuple[str, ...],
    Option("--observe", metavar="MODULE:FUNCTION", help="Compare what this function returns as well."),
]
On = Annotated[
    str | None,
    Option(
        "--on",
        metavar="PLACE",
        help="Where it runs: cpu, gpu, tpu, ssh://host/path, dask://host:port, or both: gpu,ssh://host.",
    ),
]
Launcher = Annotated[
    str | None, Option("--launcher", metavar="CMD", help="The command that starts it, such as 'srun --gpus=1'.")
]

TraceFile = Annotated[str | None, Option("-o", metavar="FILE", help="Write a trace for `--trace` of check and apply.")]
Step = Annotated[
    str | None,
    Option("--step", metavar="FUNCTION", help="The function whose calls are steps: NAME or MODULE:NAME."),
]


def ids(given: Iterable[str]) -> tuple[str, ...]:
    """The ids that an option names, separated by commas or given again."""
    return tuple(name.strip() for option in given for name in option.split(",") if name.strip())


def chosen(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """As `ids`; None where the option is not given."""
    return None if given is None else ids(given)


def named(paths: tuple[str, ...], trace: str | None) -> tuple[str, ...]:
    """The targets: by default everything here, or the traced files."""
    return paths or (() if trace is not None else (".",))
