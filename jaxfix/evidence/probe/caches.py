"""What only the rewritten function remembers between calls, emptied for a while."""

import ast
import contextlib
import copy
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

from .effects import Reach, definitions
from .originals import nested, text_of

_CONTAINERS = (dict, list, set)
_ABSENT = object()


class Caches:
    """Caches of functions, containers and variables that the rewritten function reaches and the original does not."""

    def __init__(self, before: Reach, after: Reach) -> None:
        self.functions: list[Any] = []
        self.containers: list[Any] = []
        self.variables: list[tuple[dict[str, Any], str, Any]] = []
        known = before.names
        codes = {id(code) for code, _ in before.codes}
        for code, globals_ in after.codes:
            if id(code) not in codes:
                self._read(code, getattr(globals_, "live", globals_), known)

    @property
    def any(self) -> bool:
        return bool(self.functions or self.containers or self.variables)

    @property
    def grow(self) -> bool:
        """Whether some of them are never emptied."""
        bounded = (getattr(function.cache_info(), "maxsize", None) for function in self.functions)
        return bool(self.containers) or any(size is None for size in bounded)

    def _read(self, code: CodeType, globals_: dict[str, Any], known: set[str]) -> None:
        names = {name for part in nested(code) for name in part.co_names} - known
        for value in [globals_[name] for name in sorted(names) if name in globals_]:
            self._add(value)
        for kind in [value for value in globals_.values() if isinstance(value, type)]:
            for name in sorted(names & vars(kind).keys()):
                self._add(vars(kind)[name])
        for name in sorted(_assigned(code) - known):
            self.variables.append((globals_, name, _first(code.co_filename, name)))

    def _add(self, value: Any) -> None:
        if hasattr(value, "cache_clear") and hasattr(value, "cache_info") and not isinstance(value, ModuleType):
            self.functions.append(value)
        elif isinstance(value, _CONTAINERS):
            self.containers.append(value)

    @contextlib.contextmanager
    def emptied(self) -> Iterator[None]:
        """Begins and ends with nothing remembered; of containers and variables what there was is put back."""
        held = [copy.copy(container) for container in self.containers]
        values = [globals_.get(name, _ABSENT) for globals_, name, _ in self.variables]
        try:
            self._empty()
            yield
        finally:
            self._empty()
            for container, contents in zip(self.containers, held, strict=True):
                container.extend(contents) if isinstance(container, list) else container.update(contents)
            for (globals_, name, _), value in zip(self.variables, values, strict=True):
                if value is not _ABSENT:
                    globals_[name] = value

    def _empty(self) -> None:
        for function in self.functions:
            function.cache_clear()
        for container in self.containers:
            container.clear()
        for globals_, name, first in self.variables:
            if first is not _ABSENT:
                globals_[name] = first


def _assigned(code: CodeType) -> set[str]:
    """The variables that a function declares `global`."""
    parts = (part for node in definitions(code) for part in ast.walk(node))
    return {name for part in parts if isinstance(part, ast.Global) for name in part.names}


def _first(file: str, name: str) -> Any:
    """What a module assigns to a variable at first, if that is written out."""
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        for node in text_of(file).tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in targets):
                return ast.literal_eval(node.value)
    return _ABSENT
