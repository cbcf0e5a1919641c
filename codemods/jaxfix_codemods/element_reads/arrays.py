"""What is surely one JAX array, as far as a file tells."""

import ast
from enum import Enum

from jaxfix.api import Module
from jaxfix.api.analysis import EXISTS, Form, Solver, Values
from jaxfix.api.library import Dtype, Member, Result, short_names, where

_ONE = where(Result.ARRAY)
_METHODS = (short_names(Result.FRESH, "jax.Array") | short_names(Dtype.KEPT, "jax.Array")) - short_names(
    Member.CONCRETE
)
_KEEPING = short_names(Dtype.KEPT, "jax.Array")
_METHODS |= short_names(Member.UPDATE)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WITH_MORE = frozenset({"retstep", "return_index"})


class Sure(Enum):
    """How sure it is."""

    CERTAIN = "certain"
    ASSUMED = "assumed"
    """An annotation says so."""
    UNKNOWN = "unknown"
    HOST = "host"
    """It is none: a list, a NumPy array, something of Python."""


class Arrays:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._values = module.get(Values)
        self._made: Solver[ast.AST, bool] = Solver(self._is_made, EXISTS)
        self._strong: Solver[ast.AST, bool] = Solver(self._is_strong, EXISTS)

    def of(self, expr: ast.expr) -> Sure:
        """Whether `expr` is one JAX array, whichever of the expressions that it may stand for is taken."""
        sources = self._sources(expr)
        if any(map(self.is_made_on_host, sources)):
            return Sure.HOST
        value = self._values.of(expr)
        if value.form in (Form.NUMPY, Form.PYTHON):
            return Sure.HOST
        if sources and all(map(self._made, sources)):
            return Sure.CERTAIN
        if value.is_array:
            return Sure.ASSUMED if value.assumed else Sure.CERTAIN
        return Sure.UNKNOWN

    def is_strong(self, expr: ast.expr) -> bool:
        """Whether `expr` is surely strongly typed, as NumPy arrays are."""
        return self._values.of(expr).form is Form.STRONG or all(map(self._strong, self._sources(expr)))

    def _is_strong(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _KEEPING:
                return self.is_strong(owner)
        return self._values.of(node).form is Form.STRONG

    def _sources(self, expr: ast.expr) -> list[ast.AST]:
        return [source for source in self._values.origins.of(expr) if source is not expr] or [expr]

    def is_made_on_host(self, source: ast.AST) -> bool:
        """Whether `source` itself makes something of Python or NumPy."""
        if isinstance(source, _DISPLAYS):
            return True
        if not isinstance(source, ast.Call):
            return False
        qualname = self._module.qualname(source.func) or ""
        is_builtin = isinstance(source.func, ast.Name) and self._module.scope_of(source.func.id, source) is None
        is_tree = qualname.startswith("jax.tree")  # `jax.tree.leaves` is a list
        return is_builtin or is_tree or qualname.startswith("numpy.") or qualname == "jax.device_get"

    def _is_made(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=func, keywords=keywords):
                if any(keyword.arg is None or keyword.arg in _WITH_MORE for keyword in keywords):
                    return False
                if self._module.qualname(func) in _ONE:
                    return True
                if isinstance(func, ast.Attribute) and func.attr in _METHODS:
                    return self._is_one(func.value) or self._is_update(func.value)
            case ast.BinOp(left=left, right=right):
                return self._is_one(left) or self._is_one(right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._is_one(operand)
            case ast.Subscript(value=value):
                return self._is_one(value)
        found = self._values.of(node)
        return found.is_array and not found.assumed

    def _is_one(self, expr: ast.expr) -> bool:
        sources = self._sources(expr)
        return bool(sources) and not any(map(self.is_made_on_host, sources)) and all(map(self._made, sources))

    def _is_update(self, node: ast.expr) -> bool:
        """Whether `node` is the `x.at[i]` of an array."""
        match node:
            case ast.Subscript(value=ast.Attribute(value=owner, attr="at")):
                return self._is_one(owner)
        return False
