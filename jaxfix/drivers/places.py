"""Where files are, asked once for each folder: for the time of one run, in which none of them is expected to move."""

import os
import sys
from functools import cache
from pathlib import Path

from jaxfix.drivers import files

_ANY = "x"


class Places:
    """Answers as `files.resolved` and `files.shown` do, for many files of few folders, each more than once."""

    def __init__(self) -> None:
        self._real, self._shown = cache(os.path.realpath), cache(_shown)
        self._resolved: dict[str, Path] = {}

    def resolved(self, path: Path) -> Path:
        """Where the file really is, all links followed."""
        name = str(path)
        if name not in self._resolved:
            self._resolved[name] = self._resolve(path)
        return self._resolved[name]

    def _resolve(self, path: Path) -> Path:
        folder, name = os.path.split(path)
        if sys.platform == "win32" or name in ("", os.curdir, os.pardir) or os.path.islink(path):
            return files.resolved(path)
        return Path(self._real(folder), name)

    def shown(self, path: Path) -> str:
        """The path as people read it."""
        folder, name = os.path.split(path)
        return files.shown(path) if name in ("", os.curdir, os.pardir) else self._shown(folder) + name


def _shown(folder: str) -> str:
    """What is written before the names of the files of a folder."""
    return files.shown(Path(folder, _ANY)).removesuffix(_ANY)
