"""Which sources run, and where imports find them."""

import hashlib
import os
import shutil
import sys
from types import CodeType
from typing import Any

from .files import cell_of, is_inside, moved, real
from .record import Record
from .settings import Settings

WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC


class Sources:
    """Notes which patched sources run, and keeps what lies outside of the copy from being written."""

    def __init__(self, settings: Settings, record: Record) -> None:
        self.settings, self.record = settings, record
        self.names = {real(file): name for file, name in settings.sources.items()}
        self.bodies = {real(file): name for file, qualname, name in settings.observe if qualname == "<module>"}
        self.endings = frozenset(map(os.path.basename, (*self.names, *self.bodies)))

    def start(self) -> None:
        sys.addaudithook(self._audit)
        self._redirect_imports()

    def _redirect_imports(self) -> None:
        finders = [module for name, module in sys.modules.items() if name.startswith("__editable__")]
        for old, new in self.settings.paths:
            sys.path[:] = [moved(entry, old, new) for entry in sys.path]
            for finder in finders:
                mapping = getattr(finder, "MAPPING", {})
                mapping.update({name: moved(place, old, new) for name, place in mapping.items()})

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "exec" and isinstance(args[0], CodeType) and args[0].co_name == "<module>":
            file = cell_of(args[0].co_filename)[0]
            # where a link leads is asked of few of the hundreds of modules that jax has
            if file.rpartition(os.sep)[2] in self.endings or os.path.islink(file):
                self._module_runs(real(file))
        elif event == "open" and self.settings.links and isinstance(args[2], int) and args[2] & WRITES:
            _break_link(args[0], self.settings.links)

    def _module_runs(self, file: str) -> None:
        name = self.names.get(file)
        if name is not None and name not in self.record.loaded:
            with open(file, "rb") as source:
                self.record.loaded[name] = hashlib.sha256(source.read()).hexdigest()
        body = self.bodies.get(file)
        if body is not None:
            self.record.executed.add(body)
            self.record.functions.add(body)


def _break_link(opened: object, links: list[str]) -> None:
    if not isinstance(opened, str | bytes | os.PathLike):
        return  # an open file descriptor
    path = os.fsdecode(opened)
    copy, tree = links
    if not is_inside(os.path.abspath(path), copy) or not os.path.islink(path):
        return
    target = os.path.realpath(path)
    if not is_inside(target, tree) or not os.path.isfile(target):
        return
    os.unlink(path)
    shutil.copy2(target, path)
