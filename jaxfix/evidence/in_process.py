"""Runs a program within this process, as the command line would: for tests that count what it compiles."""

import os
import runpy
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path

from jaxfix.evidence.target import command_words, runnable
from jaxfix.source.errors import EvidenceError

_MODULE = "-m"


def program_words(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """What is behind `python`: a script or `-m` and a module, and its arguments.

    Raises:
      EvidenceError: it is not one of these.
    """
    command = runnable(words, folder)
    is_python = Path(command[0]).name.rstrip("0123456789.") == "python"
    if is_python and len(command) > 1 and command[1].endswith(".py"):
        return command[1:]
    if is_python and len(command) > 2 and command[1] == _MODULE and not command[2].startswith("jaxfix_probe"):
        return command[1:]
    raise EvidenceError(
        f"`{shlex.join(words)}` cannot be run within a test", hint="name `python FILE.py` or `python -m MODULE`"
    )


def run(command: str, folder: Path) -> None:
    """Runs it to its end, in `folder`; what it imports stays imported.

    Raises:
      EvidenceError: it is not a program of Python's, or ends with another exit status than 0.
    """
    variables, words = command_words(command)
    program = program_words(words, folder)
    with chdir(folder), _standing(program, variables):
        try:
            if program[0] == _MODULE:
                runpy.run_module(program[1], run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(program[0], run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise EvidenceError(f"`{command}` ended with {end.code!r}") from end


@contextmanager
def _standing(program: Sequence[str], variables: Mapping[str, str]) -> Iterator[None]:
    """The arguments, the search path and the variables that a process of its own would have."""
    own = sys.argv, list(sys.path), dict(os.environ)
    is_module = program[0] == _MODULE
    first = os.getcwd() if is_module else os.path.dirname(os.path.abspath(program[0]))
    search = [os.path.abspath(entry) for entry in variables.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.argv, sys.path[:0] = list(program[1:] if is_module else program), [first, *search]
    os.environ.update(variables)
    try:
        yield
    finally:
        sys.argv, sys.path[:] = own[0], own[1]
        os.environ.clear()
        os.environ.update(own[2])
