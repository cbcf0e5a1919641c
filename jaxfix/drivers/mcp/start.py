"""`jaxfix mcp`, from its words to its exit code."""

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.mcp.options import SKILL, Options
from jaxfix.source.errors import ConfigError, UserError

HELP = """\
 Usage: jaxfix mcp [OPTIONS] [FOLDER]

 Serve a coding agent over the Model Context Protocol, on stdin and stdout: check, trace, propose,
 prove, receipts, explain. Works below FOLDER alone, by default the current one. A program runs only
 if `--run` or `jaxfix trust` names it, or if a person says yes when the client asks.

 Options:
   --run CMD      A program that may run unasked; may be given more than once.
   --python PATH  The Python that a bare `python` of a program means.
   --skill        Print the instructions for agents, as a skill file, and exit.
   -h, --help     Show this message and exit.

 How to set up your agent: docs/agents.md
"""
MISSING = "the server for agents needs the MCP SDK; run `pip install 'jaxfix[mcp]'`"
_ORDERLY, _USAGE = 0, 2


def run(words: Sequence[str]) -> int:
    """The exit code: 0 once the client has gone, 2 for wrong usage."""
    if any(word in ("-h", "--help") for word in words):
        return _given(HELP)
    if "--skill" in words:
        return _given(files.read_bytes(SKILL).decode())
    try:
        options = read(words)
    except UserError as error:
        return _refused(str(error))
    if PathFinder.find_spec("mcp") is None:
        return _refused(MISSING)
    if sys.stdin is None or sys.stdout is None:
        return _refused("`jaxfix mcp` speaks over stdin and stdout, and one of them is closed")
    os.chdir(options.folder)
    from jaxfix.drivers.mcp.serving import serve

    return serve(options)


def read(words: Sequence[str]) -> Options:
    """The options.

    Raises:
      ConfigError: they say something unknown.
    """
    given: dict[str, list[str]] = {"--run": [], "--python": [], "FOLDER": []}
    left = iter(words)
    for word in left:
        name, value = _option(word, left)
        given[name].append(value)
    if len(given["FOLDER"]) > 1 or len(given["--python"]) > 1:
        raise ConfigError("`jaxfix mcp` takes one folder and one Python; see `jaxfix mcp --help`")
    folder = files.resolved(Path(*given["FOLDER"]))
    if not folder.is_dir():
        raise ConfigError(f"{given['FOLDER'][0]}: no such folder")
    return Options(folder, tuple(given["--run"]), next(iter(given["--python"]), None))


def _option(word: str, left: Iterator[str]) -> tuple[str, str]:
    if not word.startswith("-"):
        return "FOLDER", word
    name, is_joined, value = word.partition("=")
    if name not in ("--run", "--python"):
        raise ConfigError(f"`jaxfix mcp` has no option `{name}`; see `jaxfix mcp --help`")
    value = value if is_joined else next(left, "")
    if not value.strip():
        raise ConfigError(f"`{name}` is empty")
    return name, value


def _given(text: str) -> int:
    sys.stdout.write(text)
    sys.stdout.flush()
    return _ORDERLY


def _refused(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return _USAGE
