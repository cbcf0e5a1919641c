"""Waits for a module that the program may import or not."""

import importlib.machinery
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def when_imported(name: str, then: Callable[[], None], first: Callable[[], None] = lambda: None) -> None:
    """Calls `then` as soon as the module is there: now, or when something has imported it, and `first` before that."""
    if name in sys.modules:
        first()
        then()
    else:
        sys.meta_path.insert(0, _Awaiting(name, then, first))


class _Awaiting:
    """A finder that lets others find a module and says when it has been imported."""

    def __init__(self, name: str, then: Callable[[], None], first: Callable[[], None]) -> None:
        self.name, self.then, self.first = name, then, first

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        finders = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        specs = (finder.find_spec(name, path, target) for finder in finders)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Announcing(spec.loader, self._imported, self.first)  # type: ignore[assignment]
        return spec

    def _imported(self) -> None:
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        self.then()


class _Announcing:
    def __init__(self, loader: Any, then: Callable[[], None], first: Callable[[], None]) -> None:
        self.loader, self.then, self.first = loader, then, first

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self.loader
        with unprofiled():
            self.first()
            self.loader.exec_module(module)
        self.then()


@contextmanager
def unprofiled() -> Iterator[None]:
    """Without the profiler of this thread, which on Python 3.11 is most of what a call costs; one in C stays."""
    profile = sys.getprofile()
    if not callable(profile):
        yield
        return
    sys.setprofile(None)
    try:
        yield
    finally:
        sys.setprofile(profile)
