"""Other texts in the files that a function reads, for one call of it: the files may change between calls."""

import builtins
import functools
import io
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from .supplied import Change, Supplied

READING = {"open", "read_text"}
"""What reads a text."""
_NUMBER = re.compile(r"(?<![\w.])\d+(\.\d*)?(e[-+]?\d+)?(?![\w.])")
_MARKED = re.compile(r"^([^=:,;\t\n]+)([=:,;\t])([^\n]*?)$", re.MULTILINE)
_MOST_BYTES = 1 << 20
_SOURCES = (".py", ".ipynb")


def others() -> Iterator[tuple[str, Callable[[], Change]]]:
    """What texts that are read may hold instead, in words, and how to have them read so for one call."""
    yield "other numbers in the files that it reads", functools.partial(with_others, _with_other_numbers)
    yield "files without a last line break", functools.partial(with_others, _without_last_break)
    yield "files with an empty line at their end", functools.partial(with_others, _with_empty_line)
    yield "files whose values hold the mark before them", functools.partial(with_others, _with_marks)


def with_others(change: Callable[[str], str]) -> Change:
    """The texts that are read have changed."""

    def put(given: Supplied) -> Callable[[], None]:
        opened: Any = io.open

        def read(file: Any, mode: str = "r", *args: Any, **keywords: Any) -> Any:
            if not _is_text(file, mode):
                return opened(file, mode, *args, **keywords)
            with opened(file, mode, *args, **keywords) as text:
                return io.StringIO(change(text.read()))

        def undo() -> None:
            builtins.open, io.open = opened, opened

        builtins.open, io.open = read, read
        return undo

    return Change(put, lambda returned: returned)


def _with_other_numbers(text: str) -> str:
    return _NUMBER.sub(_other, text)


def _without_last_break(text: str) -> str:
    return text.removesuffix("\n") if text.endswith("\n") else f"{text}\n"


def _with_empty_line(text: str) -> str:
    return f"{text}\n" if text.endswith("\n") else f"{text}\n\n"


def _with_marks(text: str) -> str:
    return _MARKED.sub(r"\1\2\3\2\3", text)


def _is_text(file: Any, mode: str) -> bool:
    if not isinstance(file, str | os.PathLike) or set(mode) & set("wax+b"):
        return False
    path = os.fspath(file)
    is_small = os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES
    return is_small and isinstance(path, str) and not path.endswith(_SOURCES)


def _other(number: "re.Match[str]") -> str:
    text = number[0]
    return str(int(text) + 1) if text.isdigit() else repr(float(text) * 1.5 + 0.25)
