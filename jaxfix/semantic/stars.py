"""The names that `import *` alone brings to a file."""

import ast
import builtins
from collections.abc import Sequence

from jaxfix.semantic.project.query import DEFINED_AS
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.syntax.nodes import tail

_BUILTINS = frozenset(dir(builtins))


class Stars:
    """The `from module import *` of one file."""

    def __init__(self, imports: Sequence[ast.ImportFrom], surroundings: Surroundings) -> None:
        self._imports = imports
        self._brought: dict[str, tuple[str, ...]] = {}
        self._absolute, self._project = surroundings.absolute, surroundings.project

    def may_bring(self, name: str) -> bool:
        """Whether they may bring a name that the file does not bind: it is no builtin."""
        return bool(self._imports) and name not in _BUILTINS and not name.startswith("_")

    def qualname(self, expr: ast.AST, name: str) -> str | None:
        """The canonical name of an expression that begins with a name which the file does not bind.

        Returns:
          Of several files that bring it the last; None where none is known to, or it depends on a condition.
        """
        if name not in self._brought:
            self._brought[name] = self.bringing(name) if self.may_bring(name) else ()
        found = self._brought[name]
        return found[0] + tail(expr) if len(found) == 1 else None

    def bringing(self, name: str, after: Sequence[ast.AST] = ()) -> tuple[str, ...]:
        """What files of the project may bring as `name`: several where a condition decides.

        Args:
          after: statements; what is imported above the last of them counts for nothing.
        """
        found: dict[str, None] = {}
        last = max((each.lineno for each in after if isinstance(each, ast.stmt)), default=0)
        for each in self._imports:
            of = self._project.ask(DEFINED_AS, f"{self._module(each)}.{name}") if each.lineno > last else ""
            if of:
                found = {of: None} if each.col_offset == 0 else {**found, of: None}
        return tuple(found)

    def _module(self, star: ast.ImportFrom) -> str:
        name = "." * star.level + (star.module or "")
        return self._absolute(name) if name[:1] == "." else name
