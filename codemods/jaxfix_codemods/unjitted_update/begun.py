"""A state of an optimizer that is made eagerly: a program for each shape of its arrays, in place of one for all."""

import ast
from collections.abc import Iterator

from jaxfix.api import Declined, Module, Rewriter, Staging, jit_of, walk
from jaxfix.api.analysis import MAY, Solver, Values
from jaxfix_codemods.jitting.whole import check_made_once
from jaxfix_codemods.unjitted_update.device import is_made_by_library

_SEVERAL = 3
"""Shapes of parameters, as the text spells them, from which on one program for the state of all is worth a line."""


def begun(module: Module) -> Iterator[ast.Call]:
    """The calls `optimizer.init(params)` that run eagerly, and once, of optimizers that a library made."""
    for call in module.spelled_calls({"init"}):
        match call, module.parent(call):
            case (
                ast.Call(func=ast.Attribute(value=ast.Name() as owner), args=[given], keywords=[]),
                ast.Assign() as statement,
            ):
                is_several = isinstance(given, ast.Name) and _shapes(module, given, statement) >= _SEVERAL
                if is_several and _is_optimizer(module, owner) and _is_made_once(module, call):
                    yield call


def put_under_jit(module: Module, call: ast.Call, edit: Rewriter) -> None:
    """Wraps what is called: the function of an optimizer is the same object as long as that is."""
    jit = edit.member("jax.jit", prefer="jax", at=call)
    edit.replace(call.func, f"{jit}({module.text(call.func)})")


def _shapes(module: Module, params: ast.Name, begins: ast.stmt) -> int:
    """How many shapes the code of this file spells out that makes the parameters, in the same block before."""
    made = None
    for statement in getattr(module.parent(begins), "body", ()):
        if statement is begins:
            break
        for target in statement.targets if type(statement) is ast.Assign else ():
            if type(target) is ast.Name and target.id == params.id:
                made = statement.value
    if not isinstance(made, ast.Call | ast.Dict):
        return 0
    function = module.definition(made.func) if isinstance(made, ast.Call) else None
    shapes = set[tuple[object, ...]]()
    for node in walk(function or made):
        for given in node.args if type(node) is ast.Call else ():
            if type(given) is ast.Tuple:
                shapes.add((*map(_spelled, given.elts),))
    return len(shapes)


def _spelled(size: ast.expr) -> object:
    return getattr(size, "id", getattr(size, "value", size))


def _is_optimizer(module: Module, owner: ast.Name) -> bool:
    if not any(isinstance(each.value, ast.Name) and each.value.id == owner.id for each in module.attributes("update")):
        return False
    return module.get(_Library).made(owner)


class _Library:
    """What of a module is made by functions of libraries alone, of numbers and of what they have made.

    The `init` of a transformation that the file writes may count, print, or return what `jit` makes an array.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self.made: Solver[ast.AST, bool] = Solver(self._is_made, MAY)

    def _is_made(self, source: ast.AST) -> bool:
        match source:
            case ast.Constant():
                return True
            case ast.UnaryOp(operand=operand):
                return self.made(operand)
            case ast.Call(args=args, keywords=keywords) if is_made_by_library(self._module, source):
                return all(self.made(each) for each in (*args, *(keyword.value for keyword in keywords)))
            case ast.Name():
                sources = self._module.get(Values).origins.of(source)
                return len(sources) > 0 and all(each is not source and self.made(each) for each in sources)
        return False


def _is_made_once(module: Module, call: ast.Call) -> bool:
    staging = module.get(Staging)
    if module.loops(call) or jit_of(module, call.func) is not None or not staging.is_eager(call):
        return False
    try:
        check_made_once(module, module.statement(call))
    except Declined:
        return False
    return True
