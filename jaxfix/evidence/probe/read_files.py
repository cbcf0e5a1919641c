"""Other numbers in the files that a function reads, for one call of it: what is written there may change meanwhile."""

import builtins
import io
import os
import re
from collections.abc import Callable
from typing import Any

from .supplied import Change, Supplied

READING = {"open", "read_text"}
"""What reads a text."""
_NUMBER = re.compile(r"(?<![\w.])\d+(\.\d*)?(e[-+]?\d+)?(?![\w.])")
_MOST_BYTES = 1 << 20
_SOURCES = (".py", ".ipynb")


def with_other_numbers() -> Change:
    """The texts that are read hold other numbers."""

    def put(given: Supplied) -> Callable[[], None]:
        opened: Any = io.open

        def read(file: Any, mode: str = "r", *args: Any, **keywords: Any) -> Any:
            if not _is_text(file, mode):
                return opened(file, mode, *args, **keywords)
            with opened(file, mode, *args, **keywords) as text:
                return io.StringIO(_NUMBER.sub(_other, text.read()))

        def undo() -> None:
            builtins.open, io.open = opened, opened

        builtins.open, io.open = read, read
        return undo

    return Change(put, lambda returned: returned)


def _is_text(file: Any, mode: str) -> bool:
    if not isinstance(file, str | os.PathLike) or set(mode) & set("wax+b"):
        return False
    path = os.fspath(file)
    is_small = os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES
    return is_small and isinstance(path, str) and not path.endswith(_SOURCES)


def _other(number: "re.Match[str]") -> str:
    text = number[0]
    return str(int(text) + 1) if text.isdigit() else repr(float(text) * 1.5 + 0.25)
