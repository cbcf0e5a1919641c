"""Pages of long results."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeVar

from jaxfix.source.errors import ConfigError

LARGEST = 100
_CHARACTERS = 30_000
"""Of a diff, in one answer; a file that is longer comes whole."""

T = TypeVar("T")


def page(entries: Sequence[T], offset: int, limit: int) -> tuple[list[T], int | None]:
    """The entries from `offset`, and where the next page begins; None after the last.

    Raises:
      ConfigError: there is no such page.
    """
    if not (1 <= limit <= LARGEST) or not (0 <= offset <= len(entries)):
        raise ConfigError(f"`offset` goes from 0 to {len(entries)} here, and `limit` from 1 to {LARGEST}")
    end = offset + limit
    return list(entries[offset:end]), end if end < len(entries) else None


def files_of(diff: str) -> list[str]:
    """The part of each file of a diff as `apply --diff` prints it, in order; what it says of each fix is left out."""
    parts: list[str] = []
    lines = diff.splitlines(keepends=True)
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        if line.startswith("--- ") and following.startswith("+++ "):
            parts.append("")
        if parts and not line.startswith("#"):
            parts[-1] += line
    return parts


def diff_page(parts: Sequence[str], offset: int) -> tuple[str, int | None]:
    """As many files as go into one answer, and at least one.

    Raises:
      ConfigError: there is no such page.
    """
    if not 0 <= offset <= len(parts):
        raise ConfigError(f"`offset` goes from 0 to {len(parts)} here")
    end, size = offset, 0
    while end < len(parts) and (end == offset or size + len(parts[end]) <= _CHARACTERS):
        size += len(parts[end])
        end += 1
    return "".join(parts[offset:end]), end if end < len(parts) else None
