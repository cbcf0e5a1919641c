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
        of = ("." * each.level + (each.module or "") for each in imports)
        self._modules = [surroundings.absolute(name) if name[:1] == "." else name for name in of]
        self._scope_of, self._project = scope_of, surroundings.project

    def may_bring(self, name: ast.Name) -> bool:
        """Whether nothing else can: the file binds none, and it is no builtin."""
        if not self._modules or name.id in _BUILTINS or name.id.startswith("_"):
            return False
        return self._scope_of(name.id, name) is None

    def qualname(self, expr: ast.AST, root: ast.AST) -> str | None:
        """The canonical name of a name, or of attributes of it, that a file of the project brings.

        Args:
          root: the name.

        Returns:
          Of several files the last that has it; None where none is known to.
        """
        if not isinstance(root, ast.Name) or not self.may_bring(root):
            return None
        found = [of for module in self._modules if (of := self._project.ask(DEFINED_AS, f"{module}.{root.id}"))]
        return found[-1] + tail(expr) if found else None
