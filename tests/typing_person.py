"""A person at a terminal: a program on a pseudo-terminal of its own, what it shows, and what is typed."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_OWNING = """\
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Makes the terminal that of the process, so that Ctrl-C reaches it."""


class Person:
    """Runs `jaxfix` on a pseudo-terminal; `shown` is all that has appeared, without colours unless asked for.

    With `pack` there are the codemods of the tests too. `patience_s` is how long it waits for something to appear.
    """

    patience_s = 120.0

    def __init__(
        self, *arguments: str, columns: int = 80, colours: bool = False, pack: bool = True, **environment: str
    ) -> None:
        import fcntl
        import pty
        import termios

        self._terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        places = (ROOT, ROOT / "codemods", *([ROOT / "tests" / "pack"] if pack else []))
        env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "JAX_PLATFORMS": "cpu", "TERM": "xterm"}
        env |= {} if colours else {"NO_COLOR": "1"}
        env = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")} | environment
        if colours:
            env.pop("NO_COLOR", None)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _OWNING, "-m", "jaxfix", *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=env,
            start_new_session=True,
        )
        os.close(inside)
        self.shown = ""
        self._read_to = 0

    def sees(self, text: str) -> str:
        """Waits until `text` appears, and returns what appeared since the last time, up to its end."""
        end = time.monotonic() + self.patience_s
        while (found := self.shown.find(text, self._read_to)) < 0:
            assert time.monotonic() < end and self._reads(), f"{text!r} does not appear in:\n{self.shown}"
        start, self._read_to = self._read_to, found + len(text)
        return self.shown[start : self._read_to]

    def types(self, *lines: str) -> None:
        """Answers the next questions, each once it is asked."""
        for line in lines:
            self.sees("]? ")
            self.sends(f"{line}\n")

    def sends(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def hurts(self, number: int = signal.SIGKILL) -> None:
        self._process.send_signal(number)

    def leaves(self) -> int:
        """Waits until the program has ended; returns its exit code."""
        while self._reads():
            pass
        return self._process.wait(self.patience_s)

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._terminal)

    def _reads(self) -> bool:
        """Whether there is anything more to see."""
        ready, _, _ = select.select([self._terminal], [], [], self.patience_s)
        try:
            raw = os.read(self._terminal, 65536) if ready else b""
        except OSError:  # how Linux says that nobody writes any more
            raw = b""
        self.shown += raw.decode(errors="replace").replace("\r\n", "\n")
        return bool(raw)

    def plainly(self) -> str:
        """What has appeared, without colours."""
        return _ESCAPE.sub("", self.shown)
