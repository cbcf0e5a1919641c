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
_LEAST = rb"""(?![\w-])(?:\[[^\]]*\])?["']?\s*=?\s*["']?[^"'\n;]*?(?:>=|~=|==|\^|>)\s*(\d+(?:\.\d+)*)"""
_FLOORS = tuple(re.compile(rb"\b" + name + _LEAST) for name in (b"jax", b"jaxlib"))
_CEILING = re.compile(r"(===?|<=|<|~=|\^|~)\s*(\d+(?:\.\d+)*)(\.\*)?")
_FROM = re.compile(r"(>=|>|~=|\^|~(?!=))\s*(\d+(?:\.\d+)*)")
_PART = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*")


def is_for(codemod: Codemod, jax: Version | None) -> bool:
    """Whether the codemod is for this version of jax; where none is known, it is for the newest."""
    return codemod.jax is None or jax is None or admits(codemod.jax, jax)


def oldest(requirements: bytes) -> Version | None:
    """The oldest jax that a pyproject.toml says the project runs with, by whichever table it says so.

    Returns:
      The oldest jaxlib where it bounds no jax; None where it names no lower bound.
    """
    every = ([tuple(map(int, found.split(b"."))) for found in floor.findall(requirements)] for floor in _FLOORS)
    return next((min(found) for found in every if found), None)


def last_before(bound: Version) -> Version:
    """The newest version, or series of versions, below a bound: 0.4 of 0.5, and 0.2.9 of 0.2.10."""
    kept = bound[: max((place + 1 for place, number in enumerate(bound) if number), default=0)]
    return (*kept[:-1], kept[-1] - 1) if kept else bound


def until(requirement: str) -> Version | None:
    """The first version that a requirement such as `jax[cpu]>=0.4.1,<0.5` no longer admits.

    Returns:
      None where it names no upper bound.
    """
    found = _CEILING.findall(requirement.partition(";")[0])
    return min((_after(sign, tuple(map(int, text.split("."))), star) for sign, text, star in found), default=None)


def since(requirement: str) -> Version | None:
    """The oldest version that a requirement such as `optax>=0.1.5,<0.2` admits.

    Returns:
      None where it names no lower bound; a pin is none, but what the project was run with.
    """
    found = _FROM.findall(requirement.partition(";")[0])
    return max((tuple(map(int, text.split("."))) for _, text in found), default=None)


def _after(sign: str, bound: Version, star: str) -> Version:
    """The first version above what one comparison admits."""
    if sign == "<":
        return bound
    if star:
        kept = len(bound)
    elif sign == "^":  # the first number that is not a zero stays
        kept = next((place for place, number in enumerate(bound) if number), len(bound) - 1) + 1
    else:
        kept = len(bound) - 1 if sign == "~=" else 3
    whole = (*bound, 0, 0, 0)[:kept]
    return (*whole[:-1], whole[-1] + 1)


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
        raise ValueError(f"{condition!r} is not a condition such as '>=0.4.25,<0.7'")
    return tuple((part[1], tuple(map(int, part[2].split(".")))) for part in parts if part is not None)


def _padded(one: Version, other: Version) -> tuple[Version, Version]:
    """The two with zeros behind the shorter one: 0.7 is 0.7.0."""
    longest = max(len(one), len(other))
    return one + (0,) * (longest - len(one)), other + (0,) * (longest - len(other))
