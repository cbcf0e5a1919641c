"""Programs torn as by a bad merge, a lost save or a slip of the hand: what is left need not be a program."""

import re
from random import Random

_TOKEN = re.compile(r"\w+|[ \t]+|[^\w \t]")
"""What a hand may hit; newlines are such."""


def torn(text: str, random: Random, count: int) -> str:
    """`text` after `count` slips, each with lines or with tokens."""
    for _ in range(count):
        parts = text.splitlines(keepends=True) if random.random() < 0.5 else _TOKEN.findall(text)
        if len(parts) > 1:
            text = "".join(random.choice(_SLIPS)(parts, random))
    return text


def _without(parts: list[str], random: Random) -> list[str]:
    start, end = _some(parts, random)
    return parts[:start] + parts[end:]


def _twice(parts: list[str], random: Random) -> list[str]:
    start, end = _some(parts, random)
    return parts[:end] + parts[start:]


def _swapped(parts: list[str], random: Random) -> list[str]:
    """Two that may be far apart."""
    (a, b), (c, d) = sorted((_some(parts, random), _some(parts, random)))
    return parts if b > c else parts[:a] + parts[c:d] + parts[b:c] + parts[a:b] + parts[d:]


def _neighbours_swapped(parts: list[str], random: Random) -> list[str]:
    at = random.randrange(len(parts) - 1)
    return [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]


def _cut(parts: list[str], random: Random) -> list[str]:
    return parts[: random.randrange(1, len(parts))]


_SLIPS = (_without, _twice, _swapped, _neighbours_swapped, _neighbours_swapped, _without, _twice, _cut)


def _some(parts: list[str], random: Random) -> tuple[int, int]:
    """Where some neighbours are, mostly one."""
    start = random.randrange(len(parts))
    return start, min(len(parts), start + random.choice((1, 1, 1, 2, 3, 8)))
