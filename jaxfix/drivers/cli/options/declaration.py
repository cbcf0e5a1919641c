"""How a field of a command's options is spelled on the command line."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from enum import Enum
from types import NoneType, UnionType
from typing import get_args, get_origin

from jaxfix.source.frozen import frozen


class Option:
    """Declares a field as an option.

    Args:
      names: its spellings, the one that is shown first.
      help: what `--help` says of it.
      metavar: what `--help` calls its value; None for flags and enumerations.
      least: the least value of a number.
      most: the largest.
    """

    __slots__ = ("help", "least", "metavar", "most", "names")

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        least: int | None = None,
        most: int | None = None,
    ) -> None:
        self.names, self.help, self.metavar, self.least, self.most = names, help, metavar, least, most


class Argument:
    """Declares a field as positional."""

    __slots__ = ("help", "metavar")

    def __init__(self, metavar: str, *, help: str | None = None) -> None:
        self.metavar, self.help = metavar, help


@frozen
class Parameter:
    """One field, as both readers need it.

    Attributes:
      kind: `bool`, `str`, `int`, `float` or an enumeration.
      is_many: whether it may be given again, and holds a tuple of that kind.
    """

    name: str
    spelled: Option | Argument
    kind: type
    is_many: bool
    default: object

    @property
    def is_required(self) -> bool:
        """Whether it has to be given."""
        return self.default is MISSING


def usage(parameter: Parameter) -> str:
    """How it is written on the command line, as in `--timeout SECONDS`."""
    spelled = parameter.spelled
    if isinstance(spelled, Argument):
        return f"{spelled.metavar}..." if parameter.is_many else spelled.metavar
    value = spelled.metavar
    if value is None and issubclass(parameter.kind, Enum):
        value = "|".join(member.value for member in parameter.kind)
    return ", ".join(spelled.names) + (f" {value}" if value else "")


def parameters(options: type) -> Iterator[Parameter]:
    """The fields of a class of options, in their order."""
    for field in fields(options):
        kind, spelled = get_args(field.type)
        if isinstance(kind, UnionType):
            (kind,) = (each for each in get_args(kind) if each is not NoneType)
        is_many = get_origin(kind) is tuple
        yield Parameter(field.name, spelled, get_args(kind)[0] if is_many else kind, is_many, field.default)
