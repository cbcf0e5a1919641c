"""What becomes of a function that is made during a call: used there, or given away."""

import ast
from dataclasses import dataclass, field

from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.module import Module
from jaxfix.staging.jit import transform_of
from jaxfix.staging.scripts import is_script
from jaxfix.syntax.nodes import Function

_WRAPPERS = where(Transform.TRACES) | where(Transform.DIFFERENTIATES) | where(Transform.BATCHES) | {"functools.partial"}
"""What makes a function of a function."""
_USERS = where(Transform.CONTROL_FLOW) | where(Transform.CALLS_AT_ONCE) | where(Transform.SHAPES_ONLY)
"""What calls a function there and then."""
_ESCAPES = Reason(Code.ESCAPES, "it is returned, stored or given away")


@dataclass(slots=True)
class LocalUses:
    """The uses of a function that nobody keeps.

    Attributes:
      calls: of the function itself.
      handed: where it is handed to what transforms or calls it.
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
      None where it escapes: it is returned, stored, or passed to code that was not read.
    """
    found = LocalUses()
    follower = _Follower(module, found, apart)
    try:
        if isinstance(made, ast.FunctionDef):
            follower.name(made.name, made, module.function(made))
        else:
            follower.value(made, of_itself=True)
    except Declined:
        return None
    return found


class _Follower:
    def __init__(self, module: Module, found: LocalUses, apart: frozenset[ast.AST] = frozenset()) -> None:
        self._module, self._found, self._apart = module, found, apart
        self._inside: set[Function] = set()
        self._followed: set[tuple[str, ast.AST]] = set()

    def name(self, name: str, node: ast.AST, around: Function | None) -> None:
        """Follows every use of a variable, which must be one of the function around its definition."""
        scope = around or self._module.tree
        if isinstance(node, ast.Name) and self._module.scope_of(name, node) is not scope:
            raise Declined(_ESCAPES)
        if around is None and not is_script(self._module):
            raise Declined(_ESCAPES)
        if (name, scope) in self._followed:
            raise Declined(_ESCAPES)  # bound again to what is made of it
        self._followed.add((name, scope))
        self._uses(name, node, around, scope)
        self._followed.remove((name, scope))

    def _uses(self, name: str, node: ast.AST, around: Function | None, scope: ast.AST) -> None:
        for use in self._module.reads(name, scope):
            if isinstance(node, ast.FunctionDef) and node in self._module.ancestors(use):
                continue  # it calls itself
            if use in self._apart:
                continue
            self._within(use, around)
            self._found.names.append(use)
            self.value(use, of_itself=True)

    def _within(self, use: ast.AST, around: Function | None) -> None:
        """A use inside another function: that one must not be given away either."""
        for outer in self._module.functions_around(use):
            if outer is around:
                return
            if outer in self._inside:
                continue
            self._inside.add(outer)
            inner = _Follower(self._module, LocalUses())
            inner._inside, inner._followed = self._inside, self._followed
            if isinstance(outer, ast.FunctionDef):
                if self._module.method_of(outer) is not None or outer.decorator_list:
                    raise Declined(_ESCAPES)
                inner.name(outer.name, outer, self._module.function(outer))
            elif isinstance(outer, ast.Lambda):
                inner.value(outer, of_itself=True)
            else:
                raise Declined(_ESCAPES)

    def value(self, node: ast.AST, *, of_itself: bool) -> None:
        """Follows one expression; `of_itself` while it is the function, not something that was made of it."""
        parent = self._module.parent(node)
        if isinstance(parent, ast.keyword):
            node, parent = parent, self._module.parent(parent)
        match parent:
            case ast.Call(func=func) if func is node:
                if of_itself:
                    self._found.calls.append(parent)
                else:
                    self._found.handed.append(node)
            case ast.Call():
                self._argument(node, parent)
            case ast.List() | ast.Tuple() if _is_branches(self._module, parent):
                self._found.handed.append(node)
            case ast.Assign(targets=[ast.Name() as target]) | ast.AnnAssign(target=ast.Name() as target):
                self._variable(target, of_itself=of_itself)
            case ast.NamedExpr(target=target):
                self._variable(target, of_itself=of_itself)
                self.value(parent, of_itself=of_itself)
            case ast.IfExp(test=test) if test is not node:
                self.value(parent, of_itself=of_itself)
            case ast.Expr():
                return
            case _:
                raise Declined(_ESCAPES)

    def _variable(self, target: ast.Name, *, of_itself: bool) -> None:
        around = self._module.function(target)
        if of_itself:
            self._found.targets.append(target)
            self.name(target.id, target, around)
            return
        made_of_it = _Follower(self._module, LocalUses())
        made_of_it._inside, made_of_it._followed = self._inside, self._followed
        made_of_it.name(target.id, target, around)
        self._found.handed.append(target)

    def _argument(self, node: ast.AST, call: ast.Call) -> None:
        transform = transform_of(self._module, call.func) or ""
        if transform in _USERS:
            self._found.handed.append(node)
        elif transform in _WRAPPERS and not isinstance(call.func, ast.Call):
            self._found.handed.append(node)
            self.value(call, of_itself=False)
        else:
            raise Declined(_ESCAPES)


def _is_branches(module: Module, node: ast.AST) -> bool:
    call = module.parent(node)
    return isinstance(call, ast.Call) and module.qualname(call.func) == "jax.lax.switch"


def is_inside(module: Module, node: ast.AST, outer: ast.AST) -> bool:
    """Whether `node` is `outer`, or stands in it."""
    return node is outer or outer in module.ancestors(node)
