"""What a function does with a parameter that is a Python number, and could not do with a traced array."""

import ast

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Takes
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging import traced_uses
from jaxfix.syntax.nodes import Function
from jaxfix.syntax.signatures import positional_of

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
_TO_ARRAYS = short_names(Takes.SCALAR, "jax.numpy")
_CHOOSING = where(Takes.CONDITION)
_LARGE = 1 << 15
"""What multiplies or adds to a counter without leaving 32 bits soon."""


@frozen
class Treatment:
    """How a function uses a parameter that is a Python number.

    Attributes:
      reason: what it does that it could not do with a traced array, or not with the same result; None if nothing.
      returned: whether the number itself, or one that was computed of it, is part of the result.
    """

    reason: Reason | None = None
    returned: bool = False


def _worse(one: Treatment, other: Treatment) -> Treatment:
    reason = one.reason or other.reason
    return Treatment(reason, reason is None and (one.returned or other.returned))


_TREATMENT = Lattice(Treatment(), _worse, Treatment(Reason(Code.UNREAD, "passes it to unknown code")))


def treatment(module: Module, function: Function, parameter: str) -> Treatment:
    """What `function` does with its parameter."""
    return module.get(_treatments)((function, parameter))


def _treatments(module: Module) -> Solver[tuple[Function, str], Treatment]:
    return Solver(lambda asked: _treat(module, *asked), _TREATMENT)


def _treat(module: Module, function: Function, parameter: str) -> Treatment:
    if len(module.bindings(parameter, function)) != 1:
        return Treatment(Reason(Code.REBOUND, f"rebinds `{parameter}`"))
    return _of_reads(module, function, parameter)


def _of_reads(module: Module, function: Function, name: str) -> Treatment:
    """Of a variable that is bound once: so is each that it is computed into, and none to itself."""
    returned = False
    for read in module.reads(name, function):
        found = _of_read(module, function, read)
        if found.reason is not None:
            return found
        returned = returned or found.returned
    return Treatment(None, returned)


def _of_read(module: Module, function: Function, read: ast.Name) -> Treatment:
    node, large = _as_number(module, read)
    if large is not None:
        return Treatment(Reason(Code.OVERFLOW, f"computes `{large}`, which can leave 32 bits"))
    parent = module.parent(node)
    match parent:
        case ast.Return() | ast.Tuple() | ast.Dict() | ast.List():
            if _is_result(module, node, function):
                return Treatment(None, True)
            return Treatment(Reason(Code.UNREAD, _use_in(module, parent)))
        case ast.Lambda(body=body) if body is node:
            return Treatment(None, True)
        case ast.Assign(targets=[ast.Name() as target]) if len(module.bindings(target.id, function)) == 1:
            return _of_reads(module, function, target.id)
        case ast.Compare():
            return _of_comparison(module, parent)
        case ast.Call(args=args) if node in args:
            return _of_argument(module, parent, node, args.index(node))
        case ast.Subscript(slice=index) if index is node:
            return Treatment(Reason(Code.NEEDS_VALUE, _use_in(module, parent)))
        case ast.BinOp(op=ast.Pow(), right=right) if right is node:
            return Treatment(Reason(Code.NEEDS_VALUE, f"takes `{module.text(node)}` as an exponent"))
    reason = traced_uses.concrete_use(module, node)
    if reason is None or parent is None:
        return Treatment()
    return Treatment(reason.restated(_use_in(module, parent)))


def _as_number(module: Module, read: ast.expr) -> tuple[ast.expr, str | None]:
    """The largest expression that is a Python number as `read` is, and a part of it that can become large."""
    node: ast.expr = read
    while True:
        match module.parent(node):
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()) as outer:
                node = outer
            case ast.BinOp(op=op, left=left, right=right) as outer if isinstance(op, _ARITHMETIC):
                other = right if left is node else left
                if isinstance(op, ast.Pow) and right is node:
                    return node, None
                if not (isinstance(other, ast.Constant) and isinstance(other.value, int | float)):
                    return node, None
                if isinstance(op, ast.Pow) or (isinstance(other.value, int) and abs(other.value) >= _LARGE):
                    return node, module.text(outer)
                node = outer
            case _:
                return node, None


def _is_result(module: Module, node: ast.AST, function: Function) -> bool:
    """Whether `node` is what `function` returns, or a part of the structure."""
    for outer in module.ancestors(node):
        if isinstance(outer, ast.Return):
            return module.function(outer) is function
        if not isinstance(outer, ast.Tuple | ast.Dict | ast.List):
            return False
    return False


def _of_comparison(module: Module, compared: ast.Compare) -> Treatment:
    call = module.parent(compared)
    is_first = isinstance(call, ast.Call) and compared in call.args[:1]
    if isinstance(call, ast.Call) and is_first and module.qualname(call.func) in _CHOOSING:
        return Treatment()
    return Treatment(Reason(Code.NEEDS_VALUE, f"compares, in `{module.text(compared)}`"))


def _of_argument(module: Module, call: ast.Call, node: ast.expr, position: int) -> Treatment:
    qualname = module.qualname(call.func) or ""
    package, _, last = qualname.rpartition(".")
    if package == "jax.numpy" and last in _TO_ARRAYS and position == 0:
        return Treatment()
    if qualname == "jax.random.fold_in":
        return Treatment()
    function = module.definition(call.func)
    if isinstance(function, ast.FunctionDef) and not function.decorator_list:
        names = [a.arg for a in positional_of(function.args)]
        if position < len(names) and not any(isinstance(a, ast.Starred) for a in call.args):
            found = treatment(module, function, names[position])
            if found.reason is None:
                return found
            return Treatment(found.reason.restated(f"calls `{function.name}`, which {found.reason}"))
    if traced_uses.concrete_use(module, node) is None:
        return Treatment()
    return Treatment(Reason(Code.NO_ARRAY, f"passes `{module.text(node)}` to `{module.text(call.func)}`"))


def _use_in(module: Module, node: ast.AST) -> str:
    first, *more = module.text(node).splitlines()
    return f"uses it in `{first}{' ...' if more else ''}`"
