"""The imports of a text, read line by line: quick, and lines inside strings may be among them."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_IMPORT = re.compile(rb"[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*|import[ \t]+([\w., \t]+))")
_COMMENT = re.compile(rb"#[^\n]*")


class Import(NamedTuple):
    """One module named by a statement.

    Attributes:
      module: as it is there, with the dots before it.
      names: what is taken from it; empty where it is imported itself, or the statement is in a block.
      is_at_once: whether the statement runs whenever the file is imported: it is in no block.
    """

    module: str
    names: tuple[str, ...]
    is_at_once: bool

    @property
    def targets(self) -> tuple[str, ...]:
        """The dotted names that it may bind something to."""
        owner = self.module if self.module.endswith(".") else f"{self.module}."
        return tuple(f"{owner}{name}" for name in self.names) or (self.module,)


@lru_cache(maxsize=1)  # two ask about a file when it is found
def imports(text: bytes) -> tuple[Import, ...]:
    """The imports of a source, in the order of its text."""
    return tuple(_imports(text))


def _imports(text: bytes) -> Iterator[Import]:
    at = text.find(b"import")
    while at >= 0:
        start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
        is_at_once = not text[start : start + 1].isspace()
        match = _IMPORT.match(text, start)
        if match is not None and match[1] is not None:
            names = tuple(_names(text, match.end(), end)) if is_at_once else ()
            yield Import(_decoded(match[1]), names, is_at_once)
        elif match is not None:
            modules = (part.split()[0] for part in match[2].split(b",") if part.strip())
            yield from (Import(_decoded(module), (), is_at_once) for module in modules)
        at = text.find(b"import", end) if end >= 0 else -1


def _names(text: bytes, start: int, end: int) -> Iterator[str]:
    """The names from `start` on, to the end of the line or of the parenthesis that opens there."""
    is_open = text.startswith(b"(", start)
    last = text.find(b")", start) if is_open else end
    listed = _COMMENT.sub(b"", text[start + is_open : last if last >= 0 else len(text)])
    return (_decoded(words[0]) for part in listed.split(b",") if (words := part.split()))


def _decoded(name: bytes) -> str:
    return name.decode(errors="replace")
