"""Which files a process reads: a run can be reported again while they are unchanged."""

import hashlib
import os
import stat
import sys
from typing import Any

from .files import is_inside, moved, real
from .record import Record
from .settings import Settings
from .sources import WRITES

_SYSTEM = ("/proc/", "/sys/", "/dev/")
_NAMED_IN = {"open": 0, "os.listdir": 0, "os.scandir": 0, "import": 1, "ctypes.dlopen": 0}
"""Which argument of an event is a file or a folder: of an import it is there for compiled modules alone."""


class Reads:
    """Notes the state of each file or folder when it is first read, and whether another machine is asked."""

    def __init__(self, settings: Settings, record: Record) -> None:
        self.record = record
        self.copies = [(real(copy), original) for copy, original in settings.moved]
        self.ours = [real(os.path.dirname(settings.results)), *map(real, settings.ours)]
        self.written: set[str] = set()

    def start(self) -> None:
        """From here on."""
        self.record.reads = {}
        sys.addaudithook(self._audit)

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "os.listdir" and sys._getframe(1).f_code is state_of.__code__:
            return
        if event in _NAMED_IN:
            named, flags = args[_NAMED_IN[event]], args[2] if event == "open" else 0
            if isinstance(named, str | bytes | os.PathLike):
                self._opened(os.path.abspath(os.fsdecode(named)), flags if isinstance(flags, int) else 0)
        elif event == "socket.connect" and isinstance(args[1], tuple):  # a path is a socket of this machine
            self.record.asks = True

    def _opened(self, path: str, flags: int) -> None:
        reads = self.record.reads
        if flags & WRITES:
            self.written.add(path)
        elif reads is not None and path not in self.written and not path.startswith(_SYSTEM):
            found = _followed(path)
            name = self._named(found)
            if name is not None and name not in reads:
                reads[name] = state_of(found)

    def _named(self, path: str) -> str | None:
        """The file that a copy is of, and any other as it is; None for what is of the run itself."""
        for copy, original in self.copies:
            if is_inside(path, copy):
                return moved(path, copy, original)
        return None if any(is_inside(path, folder) for folder in self.ours) else path


def _followed(path: str) -> str:
    """The file that a path leads to."""
    folder, name = os.path.split(path)
    found = os.path.join(real(folder), name)
    return os.path.realpath(found) if os.path.islink(found) else found


def state_of(path: str) -> str:
    """The size and the time of a file, a digest of the names in a folder; empty where there is neither."""
    try:
        found = os.stat(path)
        names = os.listdir(path) if stat.S_ISDIR(found.st_mode) else None
    except (OSError, ValueError):
        return ""
    if names is not None:
        listed = "\n".join(sorted(name for name in names if name != "__pycache__"))
        return f"folder {hashlib.sha256(listed.encode(errors='surrogateescape')).hexdigest()}"
    return f"{found.st_size} {found.st_mtime_ns}" if stat.S_ISREG(found.st_mode) else "-"
