"""The command line: Typer reads the options, one function per command does the work."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from jaxfix import __version__
from jaxfix.drivers.cli import outcome, quick, terminal
from jaxfix.report.trace.budget import Limits
from jaxfix.source.errors import ConfigError

if TYPE_CHECKING:
    from jaxfix.drivers.workflow.targets import Request

Command = Callable[[], int]
# `UsageError` of click, or of Typer where that has brought click along
_USAGE: type[Exception] = typer.BadParameter.__mro__[1]


class OutputFormat(StrEnum):
    """How a command tells what it has to tell."""

    text = "text"
    json = "json"


class ReportFormat(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    rdjson = "rdjson"


app = typer.Typer(
    name="jaxfix",
    help="Find lines that make JAX programs slow, rewrite them, and prove the rewrites by rerunning the program.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH",
        help="Files, folders, names of installed modules such as `optax`, or `-` for stdin.",
        show_default=False,
    ),
]
Select = Annotated[list[str] | None, typer.Option("--select", metavar="ID,...", help="Run only these codemods.")]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", metavar="ID,...", help="Do not run these codemods.")]
Format = Annotated[OutputFormat, typer.Option("--output-format", help="How it is written.")]
Reporting = Annotated[ReportFormat, typer.Option("--output-format", help="How findings are written.")]
OutputFile = Annotated[
    str | None, typer.Option("--output-file", metavar="FILE", help="Write them into this file, not to stdout.")
]
StdinName = Annotated[
    str | None, typer.Option("--stdin-filename", metavar="NAME", help="What `-` is called in messages.")
]
Python = Annotated[
    str | None, typer.Option("--python", metavar="PATH", help="The Python that has jax and the installed modules.")
]
Trace = Annotated[
    str | None,
    typer.Option("--trace", metavar="FILE", help="What `jaxfix trace -o FILE` saw; without PATH, of its files."),
]

AllowDirty = Annotated[bool, typer.Option("--allow-dirty", help="Write over uncommitted changes.")]
AllowNoVcs = Annotated[bool, typer.Option("--allow-no-vcs", help="Write outside of git.")]
Timeout = Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=1, help="For each of the runs that prove.")]
Steps = Annotated[
    int | None,
    typer.Option("--steps", metavar="N", min=3, help="End the program after N calls of what is rewritten."),
]
Observe = Annotated[
    list[str] | None,
    typer.Option("--observe", metavar="MODULE:FUNCTION", help="Compare what this function returns as well."),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on", metavar="PLACE", help="Where it runs: cpu, gpu, tpu, ssh://host/path, or both: gpu,ssh://host."
    ),
]
Launcher = Annotated[
    str | None, typer.Option("--launcher", metavar="CMD", help="What starts it, such as 'srun --gpus=1'.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Look at everything anew.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 even if findings remain or fixes are held.")]


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"jaxfix {__version__}")
        raise typer.Exit


@app.command()
def check(
    context: typer.Context,
    paths: Paths = None,
    select: Select = None,
    ignore: Ignore = None,
    output_format: Reporting = ReportFormat.text,
    output_file: OutputFile = None,
    stdin_filename: StdinName = None,
    python: Python = None,
    trace: Trace = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is slow only if it is called eagerly, again and again.")
    ] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="How many findings each codemod has, in place of the findings.")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="FILE", help="Leave out the findings that this file knows.")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write what is found into the baseline.")
    ] = False,
    no_baseline: Annotated[
        bool, typer.Option("--no-baseline", help="Leave out nothing, whatever the configuration says.")
    ] = False,
    no_cache: NoCache = False,
    exit_zero: ExitZero = False,
) -> None:
    """Say what is found; run nothing, and write nothing but a baseline."""
    context.obj.append(
        quick.checking(
            paths=paths,
            select=select,
            ignore=ignore,
            output_format=output_format.value,
            output_file=output_file,
            stdin_filename=stdin_filename,
            python=python,
            trace=trace,
            all_=all_,
            statistics=statistics,
            baseline=baseline,
            update_baseline=update_baseline,
            no_baseline=no_baseline,
            no_cache=no_cache,
            exit_zero=exit_zero,
        )
    )


@app.command()
def apply(
    context: typer.Context,
    paths: Paths = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print what would change; write nothing.")] = False,
    stat: Annotated[bool, typer.Option("--stat", help="Count the lines that would change; write nothing.")] = False,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Decide fix by fix, then write what was taken.")
    ] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="With --interactive: ask again about what was refused before.")
    ] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Rerun the code, and keep only fixes that are proven.")
    ] = False,
    run: Annotated[
        str | None, typer.Option("--run", metavar="CMD", help="The program to rerun; implies --prove.")
    ] = None,
    no_prove: Annotated[bool, typer.Option("--no-prove", help="Run nothing, ask nothing; write safe fixes.")] = False,
    unproven: Annotated[bool, typer.Option("--unproven", help="Run nothing; write every fix.")] = False,
    select: Select = None,
    ignore: Ignore = None,
    allow_dirty: AllowDirty = False,
    allow_no_vcs: AllowNoVcs = False,
    helper: Annotated[
        str | None,
        typer.Option("--helper", metavar="PATH", help="Where the file of generated helper functions stands."),
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="DIR", help="Vendor an installed package, fixed, into DIR.")
    ] = None,
    python: Python = None,
    trace: Trace = None,
    timeout: Timeout = 600,
    steps: Steps = None,
    observe: Observe = None,
    on: On = None,
    launcher: Launcher = None,
    output_format: Reporting = ReportFormat.text,
    output_file: OutputFile = None,
    stdin_filename: StdinName = None,
    no_cache: NoCache = False,
    exit_zero: ExitZero = False,
) -> None:
    """Fix what is found: what is safe, and what a rerun proves."""
    from jaxfix.drivers.cli.apply import Options
    from jaxfix.drivers.cli.apply import apply as work
    from jaxfix.drivers.workflow.consent import Wish
    from jaxfix.drivers.workflow.targets import Request
    from jaxfix.drivers.workflow.writing import Leave

    request = Request(
        quick.named(paths, trace), quick.chosen(select), quick.ids(ignore), stdin_filename, python, trace, helper
    )
    wish, leave = Wish(prove, run, no_prove, unproven), Leave(allow_dirty, allow_no_vcs)
    rest = (steps, tuple(observe or ()), on, launcher, output_file, interactive, forget, stat)
    options = Options(wish, leave, diff, to, output_format.value, timeout, *rest, cache=not no_cache)
    context.obj.append(partial(quick.judged, exit_zero, partial(work, request, options)))


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def trace(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="CMD", help="The program and its arguments, after `--`.")],
    output: Annotated[
        str | None, typer.Option("-o", metavar="FILE", help="Write what `--trace` of check and apply reads.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page, complete in itself.")
    ] = None,
    steps_from: Annotated[
        int,
        typer.Option("--steps-from", metavar="N", min=1, help="The first step that is steady; those before warm up."),
    ] = 3,
    step: Annotated[
        str | None, typer.Option("--step", metavar="FUNCTION", help="Whose calls are the steps: NAME or MODULE:NAME.")
    ] = None,
    on: On = None,
    launcher: Launcher = None,
) -> None:
    """Run a program and say, by source line, what it compiled and why."""
    from jaxfix.drivers.cli.trace import Options
    from jaxfix.drivers.cli.trace import trace as work

    context.obj.append(partial(work, tuple(command), Options(output, html, steps_from, step, on, launcher)))


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def gate(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="CMD", help="The program and its arguments, after `--`.")],
    max_compiles: Annotated[
        int | None,
        typer.Option("--max-compiles", metavar="N", min=0, help="Of each function; by default 1, with --after 0."),
    ] = None,
    max_total: Annotated[int | None, typer.Option("--max-total", metavar="N", min=0, help="Of all together.")] = None,
    after: Annotated[
        int | None,
        typer.Option("--after", metavar="STEP", min=0, help="Count only what compiles in the steps after this one."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="PATH", help="Count only what this file or folder compiles.")
    ] = None,
    function: Annotated[
        list[str] | None, typer.Option("--function", metavar="NAME", help="Count only this function or program.")
    ] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="FUNCTION", help="Whose calls are the steps: NAME or MODULE:NAME.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", metavar="FILE", help="Write what `--trace` of check and apply reads.")
    ] = None,
    on: On = None,
    launcher: Launcher = None,
    output_format: Annotated[
        OutputFormat, typer.Option("--output-format", "--format", help="How the verdict is written, on stderr.")
    ] = OutputFormat.text,
) -> None:
    """Run a program, and fail if it compiles a function more often than allowed."""
    from jaxfix.drivers.cli import trace as tracing
    from jaxfix.drivers.cli.gating import Options
    from jaxfix.drivers.cli.gating import gate as work

    default = 1 if after is None else 0
    each = default if max_compiles is None and max_total is None else max_compiles
    run = tracing.Options(output, step=step, on=on, launcher=launcher)
    chosen = tuple(only or ()), tuple(function or ())
    options = Options(Limits(each, max_total), after, *chosen, output_format.value, run)
    context.obj.append(partial(work, tuple(command), options))


@app.command()
def review(
    context: typer.Context,
    paths: Paths = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="CMD", help="The program that a click on the page may rerun.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=1, max=65535, help="By default one that is free.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser; the link is printed anyway.")] = False,
    select: Select = None,
    ignore: Ignore = None,
    allow_dirty: AllowDirty = False,
    allow_no_vcs: AllowNoVcs = False,
    python: Python = None,
    trace: Trace = None,
    timeout: Timeout = 600,
    steps: Steps = None,
    observe: Observe = None,
    on: On = None,
    launcher: Launcher = None,
) -> None:
    """Decide fix by fix on a page in the browser; run and write only what is clicked there."""
    from jaxfix.drivers.cli import reviewing
    from jaxfix.drivers.workflow.writing import Leave

    request = _reviewed(paths, select, ignore, python, trace)
    leave, rest = Leave(allow_dirty, allow_no_vcs), (timeout, steps, tuple(observe or ()), on, launcher)
    options = reviewing.Options(run, False, leave, *rest)
    context.obj.append(partial(reviewing.review, request, options, port, opens=not no_open))


@app.command()
def report(
    context: typer.Context,
    paths: Paths = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where the page is written; `-` for stdout.")
    ] = "report.html",
    run: Annotated[
        str | None, typer.Option("--run", metavar="CMD", help="The program to rerun; implies --prove.")
    ] = None,
    prove: Annotated[bool, typer.Option("--prove", help="Rerun the code, and tell what that shows.")] = False,
    select: Select = None,
    ignore: Ignore = None,
    python: Python = None,
    trace: Trace = None,
    timeout: Timeout = 600,
    steps: Steps = None,
    on: On = None,
    launcher: Launcher = None,
) -> None:
    """Write the fixes, their diffs and their evidence as one page that stands alone; change no code."""
    from jaxfix.drivers.cli import reviewing

    request = _reviewed(paths, select, ignore, python, trace)
    options = reviewing.Options(run, prove, timeout_s=timeout, steps=steps, on=on, launcher=launcher)
    context.obj.append(partial(reviewing.report, request, options, output))


def _reviewed(paths: Paths, select: Select, ignore: Ignore, python: Python, trace: Trace) -> "Request":
    from jaxfix.drivers.workflow.targets import Request

    return Request(quick.named(paths, trace), quick.chosen(select), quick.ids(ignore), None, python, trace)


@app.command()
def undo(
    context: typer.Context,
    list_: Annotated[bool, typer.Option("--list", help="List what was applied.")] = False,
) -> None:
    """Put back every byte that the last apply has changed."""
    from jaxfix.drivers.cli.undo import list_entries
    from jaxfix.drivers.cli.undo import undo as work

    context.obj.append(list_entries if list_ else work)


@app.command()
def trust(
    context: typer.Context,
    paths: Paths = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="CMD", help="A program that the configuration does not name.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List what is trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Forget what is trusted in the project of PATH.")] = False,
    python: Python = None,
) -> None:
    """Let `jaxfix apply` rerun the configured program unasked, until the command or the place changes."""
    from jaxfix.drivers.cli import trust as work
    from jaxfix.drivers.workflow.targets import Request

    request, options = Request(tuple(paths or ["."]), python=python), work.Options(run, yes)
    context.obj.append(partial(work.trust, request, options, list_, revoke))


@app.command()
def receipts(
    context: typer.Context,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="Only those of this file, folder or installed module.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Older receipts of the same fix too.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a receipt has expired.")] = False,
    output_format: Format = OutputFormat.text,
) -> None:
    """List what reruns have shown, and what of it has expired; run nothing."""
    from jaxfix.drivers.cli.receipts import Options
    from jaxfix.drivers.cli.receipts import receipts as work

    context.obj.append(partial(work, Options(path, all_, check, output_format.value)))


@app.command()
def doctor(
    context: typer.Context,
    no_run: Annotated[bool, typer.Option("--no-run", help="Start no interpreter; devices stay unknown.")] = False,
    python: Python = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="For the interpreter that is asked.")
    ] = 60,
    output_format: Format = OutputFormat.text,
) -> None:
    """Say what jaxfix works with here, what is wrong with it, and what to do about that."""
    from jaxfix.drivers.cli.doctor import Options
    from jaxfix.drivers.cli.doctor import doctor as work

    context.obj.append(partial(work, Options(no_run, python, timeout, output_format.value)))


@app.command()
def explain(context: typer.Context, codemod: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Print the page of a codemod."""
    from jaxfix.drivers.cli.explain import explain as work

    context.obj.append(partial(work, codemod))


@app.command()
def rules(context: typer.Context) -> None:
    """List the codemods."""
    from jaxfix.drivers.cli.rules import rules as work

    context.obj.append(work)


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def lsp() -> None:
    """Serve an editor: findings and quick-fixes, over stdin and stdout."""
    # `jaxfix.__main__` starts it without this module, whose import an editor would wait for.
    raise ConfigError("the language server is no part of another program", hint="start it as `jaxfix lsp`")


def read(argv: Sequence[str]) -> Command:
    """What the words ask for. Wrong usage is told at once, and asks for nothing but its exit code."""
    chosen: list[Command] = []
    try:
        code = app(args=list(argv), prog_name="jaxfix", obj=chosen, standalone_mode=False)
    except typer.Abort:  # what Typer makes of Ctrl-C
        raise KeyboardInterrupt from None
    except _USAGE as error:
        code = _misused(error)
    if chosen:
        return chosen[0]
    if not argv:  # an old Typer gives the help, and 0
        code = outcome.USER_ERROR
    return partial(int, code if isinstance(code, int) else outcome.CLEAN)  # `--help`


def _misused(error: Exception) -> int:
    """Names a command line that cannot be read, as all other errors are named."""
    said: str = error.format_message().replace(": Value error, ", ": ")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "jaxfix"
    if type(error).__name__ == "NoArgsIsHelpError":
        terminal.tell(f"{said}\n")
        return outcome.USER_ERROR
    words = re.sub(r"'([^']+)'|(?<![\w'-])(--[\w-]+)", r"`\1\2`", " ".join(said.split())).rstrip(".")
    lowered = re.sub(r"(^|: )([A-Z])(?=[a-z])", lambda match: match[0].lower(), words)
    outcome.tell_errors([f"{lowered}; see `{path} --help`"])
    return outcome.USER_ERROR
