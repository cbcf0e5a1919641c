"""Lets functions that write files be called once more: what they open to write is a copy in a folder of its own."""

import builtins
import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

from .fields import fields
from .originals import nested

HARMLESS = {"open", "write", "writelines", "write_text", "write_bytes", "savetxt", "dump"}
"""What writes to a file that `open` has opened."""
Codes = Iterable[tuple[CodeType, dict[str, Any]]]
_MOST_BYTES = 1 << 20


def are_opened_within(codes: Codes, values: Iterable[Any]) -> bool:
    """Whether these functions write to nothing but files that they open themselves, as far as one can see.

    Args:
      values: what they are called with.
    """
    codes = list(codes)
    names = {name for code, _ in codes for part in nested(code) for name in part.co_names}
    every = [globals_[name] for _, globals_ in codes for name in names if name in globals_]
    for value in values:
        every += [value, *(getattr(value, name, None) for name in fields(value))]
    return bool(names & {"open", "write_text", "write_bytes"}) and not any(isinstance(v, io.IOBase) for v in every)


@contextlib.contextmanager
def scratch(ours: str) -> Iterator[Callable[[], dict[str, bytes]]]:
    """Redirects writes to copies of the files; returns their contents.

    Args:
      ours: a folder that jax writes to for the probe.
    """
    folder, copies = tempfile.mkdtemp(), dict[str, str]()
    opened: Any = io.open

    def copied(file: Any, mode: str = "r", *args: Any, **keywords: Any) -> Any:
        if isinstance(file, int):
            return opened(file, mode, *args, **keywords)
        path = os.path.abspath(os.fspath(file))
        path = path if isinstance(path, str) else os.fsdecode(path)
        if path.startswith(ours + os.sep):
            return opened(file, mode, *args, **keywords)
        if path not in copies and set(mode) & set("wax+") and not path.startswith("/dev/"):
            copy = os.path.join(folder, str(len(copies)))
            if os.path.isfile(path):
                with opened(path, "rb") as source, opened(copy, "wb") as sink:
                    shutil.copyfileobj(source, sink)
            elif not os.path.isdir(os.path.dirname(path)) or "r" in mode:
                return opened(file, mode, *args, **keywords)  # as it raises
            copies[path] = copy
        return opened(copies.get(path, file), mode, *args, **keywords)

    def contents() -> dict[str, bytes]:
        found = {}
        for path, copy in copies.items():
            with contextlib.suppress(OSError), opened(copy, "rb") as file:
                found[path] = file.read(_MOST_BYTES)
        return found

    builtins.open, io.open = copied, copied
    try:
        yield contents
    finally:
        builtins.open, io.open = opened, opened
        shutil.rmtree(folder, ignore_errors=True)
