"""The two streams and the person behind them."""

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from jaxfix.render.paint import Paint, coloured, plain

_WIDEST = 160
_PATIENCE_S = 0.5
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""How jaxfix is ended from outside: by request, or by the terminal that closes."""
Advance = Callable[[str], None]
"""Told after each step of long work, with the name of the next."""


def paint_for(stream: TextIO) -> Paint:
    """Colours where the stream is a terminal; `NO_COLOR` takes them away, `FORCE_COLOR` gives them."""
    if os.environ.get("NO_COLOR"):
        return plain
    if os.environ.get("FORCE_COLOR"):
        return coloured
    return coloured if stream.isatty() and os.environ.get("TERM") != "dumb" else plain


def width_of(stream: TextIO) -> int | None:
    """The columns that a line may take; None where nobody reads it on a screen."""
    return min(shutil.get_terminal_size().columns, _WIDEST) if stream.isatty() else None


def tell(text: str) -> None:
    """Writes to stderr, where everything goes that is for people."""
    sys.stderr.write(text)
    sys.stderr.flush()


def give(raw: bytes) -> None:
    """Writes to stdout, where everything goes that another program may read."""
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def is_attended() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def agrees(question: str) -> bool:
    """Asks on stderr; everything but a yes is a no."""
    answer = ""
    try:
        tell(f"{question} [y/N] ")
        answer = sys.stdin.readline()
    finally:
        if not answer.endswith("\n"):  # Ctrl-C or Ctrl-D left the cursor behind the question
            tell("\n")
    return answer.strip().lower() in ("y", "yes")


def finish_first() -> None:
    """From here to the end of the command, which gives them back, Ctrl-C and a request to end are not heard."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, *ENDINGS):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Advance]:
    """A bar on stderr where that is a terminal, silence elsewhere.

    Args:
      total: the number of steps, shown once they take long; None where it is not known, and shown from the start.
    """
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[step]}"), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=total, step="")
    begun = time.monotonic()

    def advance(step: str) -> None:
        if time.monotonic() - begun > _PATIENCE_S:
            bar.start()
        bar.update(task, advance=1, step=step)

    if total is None:
        bar.start()
    try:
        yield advance
    finally:
        bar.stop()
