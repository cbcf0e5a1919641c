"""The command line: Typer reads the options, one function per command does the work."""

import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from jaxfix import __version__
from jaxfix.core.errors import UserError
from jaxfix.drivers.cli import outcome, terminal

Command = Callable[[], int]
# `UsageError` of click, or of Typer where that has brought click along
_USAGE: type[Exception] = typer.BadParameter.__mro__[1]


class OutputFormat(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"


app = typer.Typer(
    name="jaxfix",
    help="Find lines that make JAX programs slow, rewrite them, and prove the rewrites by rerunning the program.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
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
Format = Annotated[OutputFormat, typer.Option("--output-format", help="How findings are written.")]
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

On = Annotated[
    str | None,
    typer.Option(
        "--on", metavar="PLACE", help="Where it runs: cpu, gpu, tpu, ssh://host/path, or both: gpu,ssh://host."
    ),
]
Launcher = Annotated[
    str | None, typer.Option("--launcher", metavar="CMD", help="What starts it, such as 'srun --gpus=1'.")
]
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
    output_format: Format = OutputFormat.text,
    stdin_filename: StdinName = None,
    python: Python = None,
    trace: Trace = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is slow only if it is called eagerly, again and again.")
    ] = False,
    exit_zero: ExitZero = False,
) -> None:
    """Say what is found; run and write nothing."""
    from jaxfix.drivers.cli.check import check as work
    from jaxfix.drivers.cli.targets import Request

    request = Request(_named(paths, trace), _chosen(select), _ids(ignore), stdin_filename, python, trace)
    context.obj.append(partial(_judged, exit_zero, partial(work, request, output_format.value, everything=all_)))


@app.command()
def apply(
    context: typer.Context,
    paths: Paths = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print what would change; write nothing.")] = False,
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
    allow_dirty: Annotated[bool, typer.Option("--allow-dirty", help="Write over uncommitted changes.")] = False,
    allow_no_vcs: Annotated[bool, typer.Option("--allow-no-vcs", help="Write outside of git.")] = False,
    helper: Annotated[
        str | None,
        typer.Option("--helper", metavar="PATH", help="Where the file of generated helper functions stands."),
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="DIR", help="Vendor an installed package, fixed, into DIR.")
    ] = None,
    python: Python = None,
    trace: Trace = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="For each of the runs that prove.")
    ] = 600,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", min=3, help="End the program after N calls of what is rewritten."),
    ] = None,
    observe: Annotated[
        list[str] | None,
        typer.Option("--observe", metavar="MODULE:FUNCTION", help="Compare what this function returns as well."),
    ] = None,
    on: On = None,
    launcher: Launcher = None,
    output_format: Format = OutputFormat.text,
    stdin_filename: StdinName = None,
    exit_zero: ExitZero = False,
) -> None:
    """Fix what is found: what is safe, and what a rerun proves."""
    from jaxfix.drivers.cli.apply import Options
    from jaxfix.drivers.cli.apply import apply as work
    from jaxfix.drivers.cli.consent import Wish
    from jaxfix.drivers.cli.targets import Request
    from jaxfix.drivers.cli.writing import Leave

    request = Request(_named(paths, trace), _chosen(select), _ids(ignore), stdin_filename, python, trace, helper)
    wish, leave = Wish(prove, run, no_prove, unproven), Leave(allow_dirty, allow_no_vcs)
    rest = (steps, tuple(observe or ()), on, launcher)
    options = Options(wish, leave, diff, to, output_format.value, timeout, *rest)
    context.obj.append(partial(_judged, exit_zero, partial(work, request, options)))


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
    from jaxfix.drivers.cli.targets import Request

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


def run(argv: list[str]) -> int:
    """Runs one command line; returns the exit code. Everything that escapes a command is caught here.

    0 clean or all fixed, 1 findings remain or fixes are held, 2 an error of the user's, 3 a bug in jaxfix,
    130 interrupted, 143 ended from outside, 129 by a terminal that closed.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *terminal.ENDINGS)}
    is_main = threading.current_thread() is threading.main_thread()
    for number in before if is_main else ():
        if before[number] is not signal.SIG_IGN:  # `nohup` wants it to go on
            signal.signal(number, _interrupt if number == signal.SIGINT else _end)
    try:
        return _ran(argv)
    except UserError as error:
        outcome.tell_errors([str(error)])
        return outcome.USER_ERROR
    except SystemExit:
        before.clear()
        raise
    except KeyboardInterrupt:
        before.clear()  # the process is about to end: no later signal shall change how
        outcome.tell_errors(["interrupted; nothing was written"])
        return outcome.INTERRUPTED
    except BrokenPipeError:
        # who read stdout has seen enough; nothing more is to be flushed to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return outcome.FINDINGS
    except Exception as error:
        if os.environ.get("JAXFIX_TRACEBACK"):
            traceback.print_exc()
        outcome.tell_errors(
            [f"a bug in jaxfix: {type(error).__name__}: {error}; set `JAXFIX_TRACEBACK=1` for the traceback"]
        )
        return outcome.BUG
    finally:
        for number, handler in before.items() if is_main else ():
            signal.signal(number, handler)


def _interrupt(number: int, frame: object) -> None:
    """Once: who presses Ctrl-C again does not stop jaxfix from ending its rerun and clearing away its copies."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end(number: int, frame: object) -> None:
    """As with Ctrl-C; left to itself, Python would die at once, and the rerun live on."""
    for other in (signal.SIGINT, *terminal.ENDINGS):
        signal.signal(other, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _ran(argv: list[str]) -> int:
    chosen: list[Command] = []
    try:
        code = app(args=argv, prog_name="jaxfix", obj=chosen, standalone_mode=False)
    except typer.Abort:  # what Typer makes of Ctrl-C
        raise KeyboardInterrupt from None
    except _USAGE as error:
        return _misused(error)
    if chosen:
        return chosen[0]()
    if not argv:  # an old Typer gives the help, and 0
        return outcome.USER_ERROR
    return code if isinstance(code, int) else outcome.CLEAN  # `--help`


def _misused(error: Exception) -> int:
    """Names a command line that cannot be read, as all other errors are named."""
    said: str = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "jaxfix"
    if type(error).__name__ == "NoArgsIsHelpError":
        terminal.tell(f"{said}\n")
        return outcome.USER_ERROR
    words = re.sub(r"'([^']+)'|(?<![\w'-])(--[\w-]+)", r"`\1\2`", " ".join(said.split())).rstrip(".")
    lowered = re.sub(r"(^|: )([A-Z])(?=[a-z])", lambda match: match[0].lower(), words)
    outcome.tell_errors([f"{lowered}; see `{path} --help`"])
    return outcome.USER_ERROR


def _judged(exit_zero: bool, command: Command) -> int:
    code = command()
    return outcome.CLEAN if exit_zero and code == outcome.FINDINGS else code


def _named(paths: list[str] | None, trace: str | None) -> tuple[str, ...]:
    """What is looked at: by default everything here, or what was traced."""
    return tuple(paths or (["."] if trace is None else []))


def _ids(options: list[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for option in options or () for name in option.split(",") if name.strip())


def _chosen(options: list[str] | None) -> tuple[str, ...] | None:
    return None if options is None else _ids(options)
