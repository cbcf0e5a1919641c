"""What Typer makes of the command line, as the module that is read in its place: `python -m jaxfix.docs` writes it."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.main import get_command

from jaxfix.drivers.cli import app

PATH = Path("jaxfix/drivers/cli/usage.py")
_COLUMNS = 78  # what Typer fills of a terminal that is wide enough
_HEAD = '''\
"""What Typer makes of `app`, spelled out. Written by `python -m jaxfix.docs`; edit `app`."""

'''


def module() -> str:
    """The text of `usage`."""
    options = "".join(f"    {_quoted(option)}: {_quoted(spelled)},\n" for option, spelled in _options(app.check))
    lines = [
        f'HELP = """\\\n{_escaped(_help())}\n"""',
        '"""What `jaxfix --help` prints."""',
        "CHECK: dict[str, tuple[str, str | tuple[str, ...]]] = {\n" + options + "}",
        '"""The options of `check`: the parameter, and whether it is a flag, one value, many, or one of these."""',
    ]
    return _HEAD + "\n".join(lines) + "\n"


def _help() -> str:
    command: Any = get_command(app.app)  # of click, or of Typer where that has brought click along
    context = command.make_context("jaxfix", ["check"], resilient_parsing=True, terminal_width=_COLUMNS)
    return str(context.get_help())


def _options(function: Any) -> Iterator[tuple[str, tuple[str, str | tuple[str, ...]]]]:
    for name, annotation in get_type_hints(function, include_extras=True).items():
        kind, *extras = get_args(annotation) if get_origin(annotation) is not None else (annotation,)
        for info in extras:
            if isinstance(info, typer.models.OptionInfo) and (taken := _taken(kind)) is not None:
                words = map(str, (info.default, *(info.param_decls or ())))  # in an annotation the first is no default
                yield from ((word, (name, taken)) for word in words if word.startswith("-"))


def _taken(kind: Any) -> str | tuple[str, ...] | None:
    """How an option of this type is read; None leaves it to Typer."""
    if isinstance(kind, UnionType):
        (kind,) = (entry for entry in get_args(kind) if entry is not NoneType)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(entry.value) for entry in kind)
    return {bool: "flag", str: "one", list[str]: "many"}.get(kind)


def _quoted(value: object) -> str:
    return repr(value).replace("'", '"')


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
