"""Rewrites with their programs, told line by line in the text files beside this one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
HEAD = [
    "import dataclasses",
    "import functools",
    "import jax",
    "import jax.numpy as jnp",
    "import numpy as np",
    "from jax import lax",
    "x = jnp.arange(1.0, 5.0)",
]


@dataclass(frozen=True, slots=True)
class Case:
    """A rewrite of the module `trap`, the program that imports it, and the other files of the project.

    Attributes:
      function: the rewritten one, by qualified name; empty where the texts tell.
      kind: what a wrong one breaks, where the file says so.
      promise: the name of an `Equality`; empty where it is that of the codemod.
    """

    name: str
    codemod: str
    source: str
    rewritten: str
    program: str
    others: tuple[tuple[str, str], ...]
    function: str
    kind: str = ""
    promise: str = ""


def cases(kind: str) -> Iterator[Case]:
    """All of one file, such as `wrong`; the first column of a line says what it belongs to.

    A title is the name, the codemod with a promise that is not its usual one in brackets, and, where only a local
    function differs, that function.
    """
    _, *parts = (FOLDER / f"{kind}.txt").read_text().split("\n=== ")
    return map(_case, parts)


def _case(part: str) -> Case:
    title, *lines = part.splitlines()
    name, codemod, *function = title.split(": ")
    codemod, _, promise = codemod.removesuffix(")").partition(" (")
    before, after, program = list(HEAD), list(HEAD), [*HEAD[:6], "import trap"]
    files: dict[str, list[str]] = {}
    kind = ""
    other: list[str] | None = None
    for line in filter(None, lines):
        sign, text = line[0], line[1:]
        if sign == "#":
            kind = text
        elif sign == "@":
            other = files.setdefault(text, [])
        elif sign == ">":
            program.append(text)
        elif other is not None:
            other.append(text)
        else:
            before += [text] * (sign in " -")
            after += [text] * (sign in " +")
    others = tuple((file, _text(text)) for file, text in files.items())
    return Case(name, codemod, _text(before), _text(after), _text(program), others, "".join(function), kind, promise)


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])
