"""The two streams and the person who reads them."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, TextIO

from jaxfix.render.paint import Paint, coloured, plain
from jaxfix.source.errors import UserError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from jaxfix.drivers.workflow.watching import Advance
    from jaxfix.report.evidence import Evidence

_WIDEST = 160
_PATIENCE_S = 0.5
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""How jaxfix is ended from outside: by request, or by the terminal that closes."""


def paint_for(stream: TextIO) -> Paint:
    """Colours where the stream is a terminal; `NO_COLOR` takes them away, `FORCE_COLOR` gives them."""
    if os.environ.get("NO_COLOR"):
        return plain
    if os.environ.get("FORCE_COLOR"):
        return coloured
    return coloured if stream.isatty() and os.environ.get("TERM") != "dumb" else plain


def width_of(stream: TextIO) -> int | None:
    """The columns that a line may take; None where no screen shows it."""
    import shutil

    return min(shutil.get_terminal_size().columns, _WIDEST) if stream.isatty() else None


def tell(text: str) -> None:
    """Writes to stderr, where everything goes that is for people."""
    sys.stderr.write(text)
    sys.stderr.flush()


def note(message: str) -> None:
    """Announces something on stderr."""
    from jaxfix.render import text

    tell(text.note(message, paint_for(sys.stderr)))


def judged(evidence: "Evidence") -> None:
    """Shows a verdict above the bar, where there is one, in a line; the command ends with the whole receipts.

    A log gets its verdict alone, at once: the reasons are long, and follow.
    """
    if not sys.stderr.isatty():
        note(f"{evidence.verdict.value}: {evidence.codemod}, {evidence.where}")
        return
    from jaxfix.render import receipts

    tell(receipts.brief(evidence, paint_for(sys.stderr), width_of(sys.stderr)))


def give(raw: bytes) -> None:
    """Writes to stdout, where everything goes that another program may read.

    Raises:
      UserError: it cannot be written.
      BrokenPipeError: the reader is gone.
    """
    try:
        sys.stdout.flush()
        _write(getattr(sys.stdout.buffer, "raw", sys.stdout.buffer), memoryview(raw))
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter tries again at its end
        raise UserError(f"stdout cannot be written: {(error.strerror or str(error)).lower()}") from error


def _write(stream: BinaryIO, left: memoryview) -> None:
    """Writes all: a pipe takes a part when a signal comes, and nothing where it is full and does not block."""
    import select

    while left:
        written = stream.write(left)
        if written is None:
            select.select([], [stream], [])
        left = left[written or 0 :]


def open_closed() -> None:
    """Gives a process that was started without one of the three streams an empty one: no file is to take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def is_attended() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def agrees(question: str) -> bool:
    """Asks on stderr; everything but a yes is a no."""
    return (answer(f"{question} [y/N] ") or "").lower() in ("y", "yes")


def answer(question: str) -> str | None:
    """Asks on stderr; None at the end of the input."""
    said = ""
    try:
        tell(question)
        said = sys.stdin.readline()
    finally:
        if not said.endswith("\n"):  # Ctrl-C or Ctrl-D left the cursor after the question
            tell("\n")
    return said.strip() if said else None


def reply(question: str) -> str:
    """Asks on stderr.

    Raises:
      KeyboardInterrupt: the input has ended.
    """
    said = answer(question)
    if said is None:
        raise KeyboardInterrupt
    return said


def finish_first() -> None:
    """From here to the end of the command, which gives them back, Ctrl-C and a request to end are not heard."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, *ENDINGS):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def progress(title: str, total: int | None) -> "Iterator[Advance]":
    """A bar on stderr where that is a terminal, silence elsewhere.

    Args:
      total: the number of steps, shown once they take long; None where it is not known, and shown from the start.
    """
    if not sys.stderr.isatty():
        yield _unseen
        return
    bar = _Bar(title, total)
    if total is None:
        bar.show("")
    try:
        yield bar.advance
    finally:
        bar.hide()


def _unseen(step: str, *, share: float | None = None) -> None:
    """Nobody looks."""


class _Bar:
    """Made by rich once it is to be seen: to load that takes longer than many a check."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._begun = time.monotonic()
        self._shown: tuple[Progress, TaskID] | None = None

    def advance(self, step: str, *, share: float | None = None) -> None:
        self._done += 1
        if self._shown is not None:
            bar, task = self._shown
            total, done = (self._total, self._done) if share is None else (1.0, share)
            bar.update(task, total=total, completed=done, step=step)
        elif time.monotonic() - self._begun > _PATIENCE_S:
            self.show(step)

    def show(self, step: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[step]}"))
        bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        self._shown = bar, bar.add_task(self._title, total=self._total, completed=self._done, step=step)
        bar.start()

    def hide(self) -> None:
        if self._shown is not None:
            self._shown[0].stop()
