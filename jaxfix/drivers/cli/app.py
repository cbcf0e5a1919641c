"""The command line, as Typer reads it: one function per command, made of the declaration of its options."""

import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import typer
from typer.main import get_command

from jaxfix import __version__
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.about import Doctor, Explain, New
from jaxfix.drivers.cli.options.apply import Apply
from jaxfix.drivers.cli.options.campaign import Campaign
from jaxfix.drivers.cli.options.check import Check
from jaxfix.drivers.cli.options.declaration import Argument, Parameter, parameters
from jaxfix.drivers.cli.options.prove import Prove
from jaxfix.drivers.cli.options.records import Receipts, Trust, Undo, Verify
from jaxfix.drivers.cli.options.review import Report, Review
from jaxfix.drivers.cli.options.trace import Gate, Trace
from jaxfix.drivers.cli.options.upgrade import Upgrade
from jaxfix.source.errors import ConfigError

Command = Callable[[], int]
# `UsageError` of click, or of Typer where that has brought click along
_USAGE: type[Exception] = typer.BadParameter.__mro__[1]
_COLUMNS = 78  # what Typer fills of a terminal that is wide enough
_PROGRAM = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""For commands that run a program, whose options are its own."""

app = typer.Typer(
    name="jaxfix",
    help="Find lines that make JAX programs slow, rewrite them, and prove the rewrites by rerunning the program.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

declared: dict[str, Callable[..., object]] = {}
"""The commands by name: the docstring is the help, the annotations are the classes of options."""


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"jaxfix {__version__}")
        raise typer.Exit


def _command(**settings: Any) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Makes a command of a function from options to exit code; its docstring is the help.

    Args:
      settings: what click is to know besides, as `context_settings`.
    """

    def made(run: Callable[..., int]) -> Callable[..., int]:
        declared[run.__name__] = run
        app.command(run.__name__, context_settings=settings)(_typed(run))
        return run

    return made


def _typed(run: Callable[..., int]) -> Callable[..., None]:
    """What Typer calls for a command: it leaves the run behind, with the options that were read."""
    kinds = [parameter.annotation for parameter in inspect.signature(run).parameters.values()]

    def read(context: typer.Context, **given: Any) -> None:
        context.obj.append(partial(run, *(kind(**_values(given)) for kind in kinds)))

    declared = [_parameter(parameter) for kind in kinds for parameter in parameters(kind)]
    own = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    read.__signature__ = inspect.Signature([own, *declared])  # type: ignore[attr-defined]  # where Typer looks
    read.__annotations__ = {parameter.name: parameter.annotation for parameter in (own, *declared)}
    read.__doc__ = run.__doc__
    return read


def _parameter(parameter: Parameter) -> inspect.Parameter:
    """The parameter of a function that Typer reads as this field."""
    spelled = parameter.spelled
    kind: Any = list[parameter.kind] if parameter.is_many else parameter.kind  # type: ignore[name-defined]
    default = inspect.Parameter.empty if parameter.is_required else None if parameter.is_many else parameter.default
    info: object
    if isinstance(spelled, Argument):
        info = typer.Argument(metavar=spelled.metavar, help=spelled.help)
    else:
        least, most = spelled.least, spelled.most
        info = typer.Option(*spelled.names, metavar=spelled.metavar, help=spelled.help, min=least, max=most)
    annotation: Any = Annotated[kind | None if default is None else kind, info]
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given; the others have their defaults."""
    present = ((name, value) for name, value in given.items() if value is not None)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in present}


@_command()
def check(options: Check) -> int:
    """Report findings; run nothing, write nothing but a baseline."""
    from jaxfix.drivers.cli import check as command

    return command.check(options)


@_command()
def apply(options: Apply) -> int:
    """Fix what is found: safe fixes, and fixes proven by a rerun."""
    from jaxfix.drivers.cli import apply as command

    return command.apply(options)


@_command()
def upgrade(options: Upgrade) -> int:
    """Bring a project to another version of jax; say what it takes."""
    from jaxfix.drivers.cli import upgrade as command

    return command.upgrade(options)


@_command()
def prove(options: Prove) -> int:
    """Run a program without and with a change; compare results."""
    from jaxfix.drivers.cli import prove as command

    return command.prove(options)


@_command()
def campaign(options: Campaign) -> int:
    """Prove the fixes of many repositories in one report. They run here or on a cluster."""
    from jaxfix.drivers.cli import campaign as command

    return command.campaign(options)


@_command(**_PROGRAM)
def trace(options: Trace) -> int:
    """Run a program and say, by source line, what it compiled and why."""
    from jaxfix.drivers.cli import trace as command

    return command.trace(options)


@_command(**_PROGRAM)
def gate(options: Gate) -> int:
    """Run a program; fail if it compiles a function more than allowed."""
    from jaxfix.drivers.cli import gating

    return gating.gate(options)


@_command()
def review(options: Review) -> int:
    """Decide fix by fix on a page in the browser. Only what is clicked there is run and written."""
    from jaxfix.drivers.cli import reviewing

    return reviewing.review(options)


@_command()
def report(options: Report) -> int:
    """Write fixes, diffs and evidence as one page; change no code."""
    from jaxfix.drivers.cli import reviewing

    return reviewing.report(options)


@_command()
def undo(options: Undo) -> int:
    """Put back every byte that the last apply has changed."""
    from jaxfix.drivers.cli import undo as command

    return command.undo(options)


@_command()
def trust(options: Trust) -> int:
    """Let `jaxfix apply` rerun the configured program unasked. It holds until the command or the place changes."""
    from jaxfix.drivers.cli import trust as command

    return command.trust(options)


@_command()
def receipts(options: Receipts) -> int:
    """List results of reruns, and which have expired; run nothing."""
    from jaxfix.drivers.cli import receipts as command

    return command.receipts(options)


@_command()
def verify(options: Verify) -> int:
    """Compare receipts with this tree, file by file; run nothing."""
    from jaxfix.drivers.cli import verify as command

    return command.verify(options)


@_command()
def doctor(options: Doctor) -> int:
    """Report what works here, what does not, and how to fix it."""
    from jaxfix.drivers.cli import doctor as command

    return command.doctor(options)


@_command()
def explain(options: Explain) -> int:
    """Print the page of a codemod."""
    from jaxfix.drivers.cli import explain as command

    return command.explain(options)


@_command()
def new(options: New) -> int:
    """Begin a codemod: its files, each with what to write there."""
    from jaxfix.drivers.cli import new as command

    return command.new(options)


@_command()
def rules() -> int:
    """List the codemods."""
    from jaxfix.drivers.cli import rules as command

    return command.rules()


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def lsp() -> None:
    """Serve an editor over stdin and stdout: findings, quick-fixes."""
    # `jaxfix.__main__` starts it without this module, whose import an editor would wait for.
    raise ConfigError("the language server is not part of another program", hint="start it as `jaxfix lsp`")


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def mcp() -> None:
    """Serve a coding agent over the Model Context Protocol. It can check, propose, prove and explain."""
    # `jaxfix.__main__` starts it: its options are its own.
    raise ConfigError("the server for agents is not part of another program", hint="start it as `jaxfix mcp`")


declared |= {"lsp": lsp, "mcp": mcp}


def read(argv: Sequence[str]) -> Command:
    """What the words ask for. Wrong usage is reported at once; only its exit code is left."""
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


def options_of(command: str) -> list[Parameter]:
    """What the command takes, in the order of its help."""
    kinds = [parameter.annotation for parameter in inspect.signature(declared[command]).parameters.values()]
    return [parameter for kind in kinds for parameter in parameters(kind)]


def help_text() -> str:
    """What `jaxfix --help` prints on a terminal that is wide enough."""
    command: Any = get_command(app)  # of click, or of Typer where that has brought click along
    context = command.make_context("jaxfix", ["check"], resilient_parsing=True, terminal_width=_COLUMNS)
    return str(context.get_help())


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
