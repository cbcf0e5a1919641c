"""What becomes of a function that is made during a call: used there, or passed on."""

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.module import Module
from jaxfix.staging.jit import transform_of
from jaxfix.staging.scripts import is_script
from jaxfix.syntax.nodes import Function, in_order

_WRAPPERS = where(Transform.TRACES) | where(Transform.DIFFERENTIATES) | where(Transform.BATCHES) | {"functools.partial"}
"""What makes a function of a function."""
_USERS = where(Transform.CONTROL_FLOW) | where(Transform.CALLS_AT_ONCE) | where(Transform.SHAPES_ONLY)
"""What calls a function there and then."""
_ESCAPES = Reason(Code.ESCAPES, "it is returned, stored or passed on")


@dataclass(slots=True)
class LocalUses:
    """The uses of a function that nobody keeps.

    Attributes:
      calls: of the function itself.
      passed: where it is passed to what transforms or calls it.
      names: the expressions, a name each, that read it; none where it is used in the expression that makes it.
      targets: the variables that it is bound to.
    """

    calls: list[ast.Call] = field(default_factory=list)
    handed: list[ast.AST] = field(default_factory=list)
    names: list[ast.Name] = field(default_factory=list)
    targets: list[ast.Name] = field(default_factory=list)


def local_uses(
    module: Module, made: ast.expr | ast.FunctionDef, apart: frozenset[ast.AST] = frozenset()
) -> LocalUses | None:
    """The uses of the function that `made` defines or evaluates to.

    Args:
      apart: reads of its name that do not count, such as that in `step = jax.jit(step)`.

    Returns:
      None where it escapes: it is returned, stored, or passed to unknown code.
    """
    escape = _Escape(module, made, apart)
    fate = escape.fate(made)
    if fate.escapes or escape.variable(made) in {variable for variable, _ in fate.reached}:
        return None
    calls, handed, names, targets = escape.all_uses(made)
    return LocalUses(in_order(calls), in_order(handed), in_order(names), in_order(targets))


_Variable = tuple[str, ast.AST]
"""A name and its scope."""


class _Fate(NamedTuple):
    """What becomes of a function.

    Attributes:
      reached: the variables that are bound to it or to what is made of it, and those whose functions use it, each with
        whether the first alone lead there.
    """

    escapes: bool = False
    reached: frozenset[tuple[_Variable, bool]] = frozenset()


def _both(one: _Fate, other: _Fate) -> _Fate:
    return _Fate(one.escapes or other.escapes, one.reached | other.reached)


_FATE = Lattice(_Fate(), _both, _Fate(escapes=True))


@dataclass(slots=True)
class _Direct:
    """Where a function goes from one variable, or from the expression that makes it.

    Attributes:
      made: the variables that are bound to what is made of it.
      around: the functions that use it.
    """

    uses: LocalUses = field(default_factory=LocalUses)
    made: list[ast.Name] = field(default_factory=list)
    around: dict[Function, None] = field(default_factory=dict)


class _Escape:
    """Answers for one function; each question is a `def`, a variable where it is bound, or an expression."""

    def __init__(self, module: Module, start: ast.AST, apart: frozenset[ast.AST]) -> None:
        self._module, self._start, self._apart = module, start, apart
        self.fate: Solver[ast.AST, _Fate] = Solver(self._fate, _FATE)

    def all_uses(self, key: ast.AST) -> tuple[list[ast.Call], list[ast.AST], list[ast.Name], list[ast.Name]]:
        """The direct uses, and those of the variables that are bound to the function itself; none escapes."""
        found = self._direct(key).uses
        every = [(found.calls, found.handed, found.names, found.targets), *map(self.all_uses, found.targets)]
        calls, handed, names, targets = (
            [node for part in parts for node in part] for parts in zip(*every, strict=True)
        )
        return calls, handed, names, targets

    def variable(self, key: ast.AST) -> _Variable | None:
        match key:
            case ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                return name, self._module.function(key) or self._module.tree
        return None

    def _fate(self, key: ast.AST) -> _Fate:
        try:
            direct = self._direct(key)
        except Declined:
            return _Fate(escapes=True)
        found = _Fate()
        for after, is_bound in (
            *((name, True) for name in (*direct.uses.targets, *direct.made)),
            *((f, False) for f in direct.around),
        ):
            later, variable = self.fate(after), self.variable(after)
            own = {(variable, is_bound)} if variable is not None else set()
            reached = own | {(each, is_bound and only) for each, only in later.reached}
            found = _both(found, _Fate(later.escapes, frozenset(reached)))
        is_bound_again = (self.variable(key), True) in found.reached
        return found._replace(escapes=found.escapes or is_bound_again)

    def _direct(self, key: ast.AST) -> _Direct:
        found = _Direct()
        if isinstance(key, ast.FunctionDef) and key is not self._start and self._is_changed(key):
            raise Declined(_ESCAPES)
        if self.variable(key) is not None:
            self._reads(key, found)
        else:
            self._value(key, found, of_itself=True)
        return found

    def _is_changed(self, function: ast.FunctionDef) -> bool:
        return self._module.method_of(function) is not None or bool(function.decorator_list)

    def _reads(self, key: ast.AST, found: _Direct) -> None:
        """Every use of a variable, which must be one of the function around its definition."""
        module, around = self._module, self._module.function(key)
        name, scope = self.variable(key) or ("", module.tree)
        if isinstance(key, ast.Name) and module.scope_of(name, key) is not scope:
            raise Declined(_ESCAPES)
        if around is None and not is_script(module):
            raise Declined(_ESCAPES)
        for use in module.reads(name, scope):
            if isinstance(key, ast.FunctionDef) and key in module.ancestors(use):
                continue  # it calls itself
            if use not in self._apart or key is not self._start:
                self._around(use, around, found)
                found.uses.names.append(use)
                self._value(use, found, of_itself=True)

    def _around(self, use: ast.AST, around: Function | None, found: _Direct) -> None:
        """A use inside another function: that one must not be passed on either."""
        for outer in self._module.functions_around(use):
            if outer is around:
                return
            if not isinstance(outer, ast.FunctionDef | ast.Lambda):
                raise Declined(_ESCAPES)
            found.around[outer] = None

    def _value(self, node: ast.AST, found: _Direct, *, of_itself: bool) -> None:
        """Where one expression goes; `of_itself` while it is the function, not something that was made of it."""
        parent = self._module.parent(node)
        if isinstance(parent, ast.keyword):
            node, parent = parent, self._module.parent(parent)
        match parent:
            case ast.Call(func=func) if func is node:
                if of_itself:
                    found.uses.calls.append(parent)
                else:
                    found.uses.handed.append(node)
            case ast.Call():
                self._argument(node, parent, found)
            case ast.List() | ast.Tuple() if _is_branches(self._module, parent):
                found.uses.handed.append(node)
            case ast.Assign(targets=[ast.Name() as target]) | ast.AnnAssign(target=ast.Name() as target):
                self._variable(target, found, of_itself=of_itself)
            case ast.NamedExpr(target=target):
                self._variable(target, found, of_itself=of_itself)
                self._value(parent, found, of_itself=of_itself)
            case ast.IfExp(test=test) if test is not node:
                self._value(parent, found, of_itself=of_itself)
            case ast.Expr():
                return
            case _:
                raise Declined(_ESCAPES)

    def _variable(self, target: ast.Name, found: _Direct, *, of_itself: bool) -> None:
        if of_itself:
            found.uses.targets.append(target)
        else:
            found.made.append(target)
            found.uses.handed.append(target)

    def _argument(self, node: ast.AST, call: ast.Call, found: _Direct) -> None:
        transform = transform_of(self._module, call.func) or ""
        if transform in _USERS:
            found.uses.handed.append(node)
        elif transform in _WRAPPERS and not isinstance(call.func, ast.Call):
            found.uses.handed.append(node)
            self._value(call, found, of_itself=False)
        else:
            raise Declined(_ESCAPES)


def _is_branches(module: Module, node: ast.AST) -> bool:
    call = module.parent(node)
    return isinstance(call, ast.Call) and module.qualname(call.func) == "jax.lax.switch"


def is_inside(module: Module, node: ast.AST, outer: ast.AST) -> bool:
    """Whether `node` is `outer`, or is in it."""
    return node is outer or outer in module.ancestors(node)
