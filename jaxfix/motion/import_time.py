"""What may fail where a module evaluates it when it is imported, and not when a function is called.

Code without callers is never evaluated, nor what is below `if`, `try` or an early `return`. So all that moves
from there to the top level must be known to succeed. Whether it means the same there is asked elsewhere.
"""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.library.facets import Class, Effect, Result, Transform
from jaxfix.library.lasting import lasts
from jaxfix.library.options import is_usual
from jaxfix.library.table import ROWS, short_names, where
from jaxfix.motion.hoisting import evaluated_early
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Argument, Jit
from jaxfix.staging.jit import COMPILING, jitted_by_decorator, jitted_of
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk

_ARRAYS = where(Class.ARRAY)
_GENERIC = where(Class.GENERIC)
_WRAPPERS = where(Class.WRAPS)
_TYPES = short_names(Result.IMMUTABLE, "builtins") | short_names(Class.GENERIC, "builtins")
_BUILTINS = _TYPES | short_names(Effect.PURE, "builtins")
_BINDING = where(Transform.BINDS)
_OPTIONS = {row.name: row.options for row in ROWS if row.options}
_KNOWN = frozenset(row.name for row in ROWS if not row.versions and not row.name.startswith("jax."))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)


def may_fail(
    module: Module, parts: Sequence[ast.AST], above: Sequence[ast.stmt], moved: Function | None
) -> Iterator[str]:
    """What of `parts`, which are evaluated below `above` at the top level, may raise there, or do more than evaluate.

    Args:
      moved: the function that moves along, which is bound by its name.

    Returns:
      Their texts, in the order of `parts`; empty where all of them succeed and do no more.
    """
    place = _Place(module, frozenset(above), moved)
    yield from (module.text(part) for part in parts if not place.succeeds(part))


def signature(module: Module, function: Function) -> list[ast.AST]:
    """What is evaluated where a definition is: decorators and defaults, and annotations unless they are put off.

    Returns:
      The expressions, in the order in which they are evaluated; empty where there are none.
    """
    parts = list(evaluated_early(function))
    if not module.puts_off_annotations:
        return parts
    put_off = {node for node in walk(function.args) if isinstance(node, ast.arg)}
    returns = None if isinstance(function, ast.Lambda) else function.returns
    return [part for part in parts if part is not returns and module.parent(part) not in put_off]


class _Place:
    """A place at the top level."""

    def __init__(self, module: Module, above: frozenset[ast.stmt], moved: Function | None) -> None:
        self._module, self._above, self._moved = module, above, moved

    def succeeds(self, part: ast.AST) -> bool:
        """Whether evaluating `part` here cannot fail, and does nothing else."""
        match part:
            case ast.Constant():
                return True
            case ast.Name():
                return self._is_bound(part)
            case ast.Attribute():
                return self._lasts(part)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float() | complex())):
                return True
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._is_union(left, right)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult(), left=left, right=right):
                return _is_number(left) and _is_number(right)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return all(map(self.succeeds, elts))
            case ast.Dict(keys=keys, values=values):
                return all(isinstance(key, ast.Constant) for key in keys) and all(map(self.succeeds, values))
            case ast.Subscript():
                return self._is_generic(part)
            case ast.Lambda(args=arguments):
                return all(map(self.succeeds, (*arguments.defaults, *(d for d in arguments.kw_defaults if d))))
            case ast.Call():
                return self._is_made(part)
        return False

    # --- names and attributes ---------------------------------------------------------------------------------

    def _is_bound(self, name: ast.Name) -> bool:
        module = self._module
        scope = module.scope_of(name.id, name)
        if self._is_moved(name):
            return True
        if scope is None:
            return name.id in _BUILTINS and not module.names.star_imports
        if scope is not module.tree or self._is_deleted(name.id):
            return False
        return any(self._binds(binding.node) for binding in module.bindings(name.id))

    def _is_moved(self, name: ast.expr) -> bool:
        """Whether it is the function that moves along, whatever else is bound to its variable."""
        moved = self._moved
        if not isinstance(moved, ast.FunctionDef) or not isinstance(name, ast.Name) or name.id != moved.name:
            return False
        return self._module.scope_of(name.id, name) is self._module.scope_of(name.id, moved)

    def _is_deleted(self, name: str) -> bool:
        return any(isinstance(each.ctx, ast.Del) for each in self._module.names.by_id.get(name, ()))

    def _binds(self, node: ast.AST) -> bool:
        statement = node if isinstance(node, ast.stmt) else self._module.statement(node)
        if isinstance(statement, ast.AnnAssign):
            return statement in self._above and statement.value is not None
        is_plain = not isinstance(self._module.parent(node), ast.NamedExpr)
        return statement in self._above and isinstance(statement, _DEFINITIONS) and is_plain

    def _lasts(self, read: ast.Attribute) -> bool:
        """Whether a name of a library is read that all of its releases have."""
        root: ast.expr = read
        while isinstance(root, ast.Attribute):
            root = root.value
        qualname = self._module.qualname(read) or ""
        return (lasts(qualname) or qualname in _KNOWN) and isinstance(root, ast.Name) and self._is_bound(root)

    # --- types ------------------------------------------------------------------------------------------------

    def _is_union(self, left: ast.expr, right: ast.expr) -> bool:
        sides = [side for side in (left, right) if not (isinstance(side, ast.Constant) and side.value is None)]
        return bool(sides) and all(map(self._is_type, sides))

    def _is_type(self, expr: ast.expr) -> bool:
        match expr:
            case ast.Name() | ast.Attribute() if self._module.qualname(expr) in _ARRAYS:
                return self.succeeds(expr)
            case ast.Name(id=name) if self._module.scope_of(name, expr) is None:
                return name in _TYPES
            case ast.Name(id=name):
                bound = [binding.node for binding in self._module.bindings(name)]
                plain = all(isinstance(node, ast.ClassDef) and not (node.bases or node.keywords) for node in bound)
                return plain and self._is_bound(expr)
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._is_union(left, right)
            case ast.Subscript():
                return self._is_generic(expr)
        return False

    def _is_generic(self, expr: ast.Subscript) -> bool:
        """Whether it is `tuple[int, ...]` or its like; what `typing` makes looks at its parts."""
        named, inner = expr.value, expr.slice
        if isinstance(named, ast.Name) and self._module.scope_of(named.id, named) is None:
            return named.id in _GENERIC and self.succeeds(inner)
        qualname = self._module.qualname(named)
        if qualname not in _GENERIC | _WRAPPERS or not self._is_there(named):
            return False
        parts = inner.elts if isinstance(inner, ast.Tuple) and qualname in _GENERIC else [inner]
        return all(_is_none(part) or self._is_type(part) for part in parts)

    def _is_there(self, named: ast.expr) -> bool:
        return self._is_bound(named) if isinstance(named, ast.Name) else self.succeeds(named)

    # --- functions --------------------------------------------------------------------------------------------

    def _is_made(self, call: ast.Call) -> bool:
        """Whether `call` makes a function, with options that cannot be refused."""
        if not call.args or any(isinstance(given, ast.Starred) for given in call.args) or not self._is_there(call.func):
            return False
        by, first = self._module.qualname(call.func) or "", call.args[0]
        if by not in _BINDING:
            return self._is_function(first) and self._takes(call, by, call.args[1:])
        options = self._module.qualname(first) or ""
        if options in _OPTIONS:  # as a decorator
            return self._is_there(first) and self._takes(call, options, call.args[1:])
        bound = (*call.args[1:], *(keyword.value for keyword in call.keywords))
        return self._is_function(first) and all(map(self.succeeds, bound))

    def _is_function(self, expr: ast.expr) -> bool:
        match expr:
            case ast.Lambda() | ast.Call():
                return self.succeeds(expr)
            case ast.Name():
                is_function = isinstance(self._module.definition(expr), FUNCTIONS)
                return self._is_moved(expr) or (is_function and self._is_bound(expr))
        return False

    def _takes(self, call: ast.Call, by: str, others: Sequence[ast.expr]) -> bool:
        """Whether the transformation cannot refuse the options that `call` spells out."""
        options = _OPTIONS.get(by)
        if options is None:
            return by in _KNOWN and not others and not call.keywords
        if others and (by in COMPILING or len(others) > len(options)):
            return False
        named = [*zip(options, others, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
        if not all(name in options and is_usual(name, value) for name, value in named if name is not None):
            return False
        return None not in dict(named) and (by not in COMPILING or self._suits(call, [name for name, _ in named]))

    def _suits(self, call: ast.Call, options: Sequence[str | None]) -> bool:
        """Whether the function has the arguments that a `jit` of it calls static, or donates."""
        if not any(option is not None and option.startswith(("static", "donate")) for option in options):
            return True
        is_decorator = self._moved is not None and self._module.parent(call) is self._moved
        found = (
            jitted_by_decorator(self._module, self._moved)
            if is_decorator and self._moved is not None
            else jitted_of(self._module, call)
        )
        return found is not None and _has_all(found.jit)


def _has_all(jit: Jit) -> bool:
    if jit.parameters is None or jit.static is None or jit.donated is None:
        return False
    static, donated = (_positions(jit.parameters, chosen) for chosen in (jit.static, jit.donated))
    return None not in static | donated and not static & donated


def _positions(parameters: Sequence[str], chosen: Sequence[Argument]) -> set[int | None]:
    """The positions of the parameters; None for a parameter that the function lacks."""
    named = {name: position for position, name in enumerate(parameters)}
    return {named.get(one) if isinstance(one, str) else one if 0 <= one < len(parameters) else None for one in chosen}


def _is_none(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _is_number(expr: ast.expr) -> bool:
    match expr:
        case ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult(), left=left, right=right):
            return _is_number(left) and _is_number(right)
    return False
