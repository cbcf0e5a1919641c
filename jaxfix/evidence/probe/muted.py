"""Drops what calls of our own write to standard error: it is not the program's."""

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Drops what this process, its libraries in C++ among it, writes to standard error in the block."""
    try:
        kept = os.dup(2)
    except OSError:  # the program has closed it
        yield
        return
    _flush()
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, 2)
        os.close(kept)


def _flush() -> None:
    with contextlib.suppress(Exception):  # a stream of the program's own
        sys.stderr.flush()
