"""Conditions on the version of jax, such as `>=0.4.25,<0.7`: which codemods are for the jax that is installed."""

import operator
import re
from functools import cache

from jaxfix.semantic.codemod import Codemod

Version = tuple[int, ...]

_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_FLOOR = re.compile(
    rb"""\bjax(?:lib)?(?![\w-])(?:\[[^\]]*\])?["']?\s*=?\s*["']?[^"'\n;]*?(?:>=|~=|==|\^|>)\s*(\d+(?:\.\d+)*)"""
)
_PART = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*")


def is_for(codemod: Codemod, jax: Version | None) -> bool:
    """Whether the codemod is for this version of jax; where none is known, it is for the newest."""
    return codemod.jax is None or jax is None or admits(codemod.jax, jax)


def oldest(requirements: bytes) -> Version | None:
    """The oldest jax that a pyproject.toml says the project runs with, by whichever table it says so.

    Returns:
      None where it names no lower bound.
    """
    return min((tuple(map(int, found.split(b"."))) for found in _FLOOR.findall(requirements)), default=None)


def admits(condition: str, version: Version) -> bool:
    """Whether the version satisfies every comparison of the condition.

    Raises:
      ValueError: the condition is malformed.
    """
    return all(_COMPARE[sign](*_padded(version, bound)) for sign, bound in parsed(condition))


@cache
def parsed(condition: str) -> tuple[tuple[str, Version], ...]:
    """The comparisons of a condition, each with its version.

    Raises:
      ValueError: the condition is malformed.
    """
    parts = [_PART.fullmatch(part) for part in condition.split(",")]
    if None in parts:
        raise ValueError(f"{condition!r} is no condition such as '>=0.4.25,<0.7'")
    return tuple((part[1], tuple(map(int, part[2].split(".")))) for part in parts if part is not None)


def _padded(one: Version, other: Version) -> tuple[Version, Version]:
    """The two with zeros behind the shorter one: 0.7 is 0.7.0."""
    longest = max(len(one), len(other))
    return one + (0,) * (longest - len(one)), other + (0,) * (longest - len(other))
