"""Reads a plain command line without Typer, whose import takes longer than a look at a small project.

Only where every word is known and right: all else is Typer's. A test holds both against one another.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, TypeVar

from jaxfix.drivers.cli.options.declaration import Option, Parameter, parameters

Options = TypeVar("Options")


def read(kind: type[Options], words: Sequence[str]) -> Options | None:
    """The options of this class that stand after the name of its command; None where Typer has to read them."""
    declared = tuple(parameters(kind))
    options = {name: entry for entry in declared if isinstance(entry.spelled, Option) for name in entry.spelled.names}
    given: dict[str, Any] = {}
    arguments: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            arguments += left
        elif word == "-" or not word.startswith("-"):
            arguments.append(word)
        elif not _takes(word, left, options, given):
            return None
    if arguments:
        holders = [entry for entry in declared if not isinstance(entry.spelled, Option) and entry.is_many]
        if not holders:
            return None
        given[holders[0].name] = tuple(arguments)
    is_whole = all(entry.name in given for entry in declared if entry.is_required)
    return kind(**given) if is_whole else None


def _takes(word: str, left: Iterator[str], options: dict[str, Parameter], given: dict[str, Any]) -> bool:
    """Whether the option `word` is understood; if so, `given` has it."""
    name, is_joined, value = word.partition("=")
    declared = options.get(name)
    if declared is None or (is_joined and not name.startswith("--")):
        return False
    if declared.kind is bool:
        given[declared.name] = True
        return not is_joined
    if not is_joined:
        value = next(left, "-")
    if value.startswith("-"):
        return False
    if issubclass(declared.kind, Enum):
        known = {member.value: member for member in declared.kind}
        given[declared.name] = known.get(value)
        return value in known
    given[declared.name] = (*given.get(declared.name, ()), value) if declared.is_many else value
    return declared.kind is str
