"""Whether the order of the keys of a dictionary makes no difference to the code that reads it."""

import ast
from collections.abc import Collection

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.module import Module

_SORTING = where(Transform.MAPS_LEAVES) | {"jax.device_get"}
"""What makes a dictionary with its keys sorted, whatever their order was."""
_Variable = tuple[str, ast.AST | None, bool]
"""Its name and its scope, and whether it is a list of dictionaries."""


def only_keys_are_read(module: Module, target: ast.Name) -> bool:
    """Whether all that reads the variable reads single keys of it, or keeps it in a list of which that is true."""
    return module.get(_Reads).are_by_key(target, is_list=False)


class _Reads:
    """Answers for one module: whether something reads more of a variable than single keys."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._is_read_otherwise: Solver[_Variable, bool] = Solver(self._reads_otherwise, EXISTS)

    def are_by_key(self, name: ast.Name, *, is_list: bool) -> bool:
        return not self._is_read_otherwise((name.id, self._module.scope_of(name.id, name), is_list))

    def _reads_otherwise(self, variable: _Variable) -> bool:
        name, scope, is_list = variable
        if is_list and not self._begins_empty(name, scope):
            return True
        is_by_key = self._is_row_read if is_list else self._is_key_read
        return not all(map(is_by_key, self._module.reads(name, scope)))

    def _begins_empty(self, name: str, scope: ast.AST | None) -> bool:
        nodes = [binding.node for binding in self._module.bindings(name, scope)]
        bound = [self._module.value_of(node) if isinstance(node, ast.Name) else None for node in nodes]
        return bool(bound) and all(isinstance(value, ast.List) and not value.elts for value in bound)

    def _is_key_read(self, read: ast.expr) -> bool:
        module, parent = self._module, self._module.parent(read)
        match parent:
            case ast.Subscript(value=value, slice=key):
                return value is read and not isinstance(key, ast.Slice)
            case ast.Attribute(attr="get"):
                return isinstance(call := module.parent(parent), ast.Call) and call.func is parent
            case ast.Call(func=ast.Attribute(value=ast.Name() as rows, attr="append"), args=[_], keywords=[]):
                return isinstance(module.parent(parent), ast.Expr) and self.are_by_key(rows, is_list=True)
            case ast.Call(func=func):
                return func is not read and _is_any(module, func, _SORTING)
        return False

    def _is_row_read(self, use: ast.expr) -> bool:
        """Whether a use of a list of dictionaries reads single keys of them."""
        module, parent = self._module, self._module.parent(use)
        match parent:
            case ast.Attribute(attr=attr):
                return attr in ("append", "clear") and isinstance(module.parent(parent), ast.Call)
            case (
                ast.For(iter=iterable, target=ast.Name() as row)
                | ast.comprehension(iter=iterable, target=ast.Name() as row)
            ):
                return iterable is use and self.are_by_key(row, is_list=False)
            case ast.Subscript(value=value, slice=ast.Constant() | ast.UnaryOp()):
                return value is use and self._is_key_read(parent)
            case ast.Call(func=ast.Name(id="len") as func):
                return module.scope_of("len", func) is None
            case ast.Call(func=func):
                return func is not use and _is_any(module, func, _SORTING)
        return False


def _is_any(module: Module, func: ast.expr, names: Collection[str]) -> bool:
    return module.qualname(func) in names
