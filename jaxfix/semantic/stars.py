"""The names that `import *` alone brings to a file."""

import ast
import builtins
from collections.abc import Callable, Sequence

from jaxfix.semantic.project.query import DEFINED_AS
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.syntax.index import Scope
from jaxfix.syntax.nodes import tail

_BUILTINS = frozenset(dir(builtins))


class Stars:
    """The `from module import *` of one file, and the scope whose name a node sees."""

    def __init__(
        self,
        imports: Sequence[ast.ImportFrom],
        scope_of: Callable[[str, ast.AST], Scope | None],
        surroundings: Surroundings,
    ) -> None:
        self._imports, self._scope_of = imports, scope_of
        self._absolute, self._project = surroundings.absolute, surroundings.project

    def may_bring(self, name: ast.Name) -> bool:
        """Whether nothing else can: the file binds none, and it is no builtin."""
        if not self._imports or name.id in _BUILTINS or name.id.startswith("_"):
            return False
        return self._scope_of(name.id, name) is None

    def qualname(self, expr: ast.AST, root: ast.AST) -> str | None:
        """The canonical name of a name, or of attributes of it, that a file of the project brings.

        Args:
          root: the name.

        Returns:
          Of several files the last that has it; None where none is known to, or it depends on a condition.
        """
        if not isinstance(root, ast.Name) or not self.may_bring(root):
            return None
        found = self.bringing(root.id)
        return next(iter(found)) + tail(expr) if len(found) == 1 else None

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
