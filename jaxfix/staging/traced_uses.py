"""Whether a captured variable may become an operand: every use of it treats it as an array.

A traced array in the place of a Python value mostly fails loudly (`if`, `range`, `axis=`), but not always:
`isinstance(k, int)` answers differently silently. So only uses that are known to be an array's count.
"""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.library.facets import Member, Takes, Transform
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import positional_of

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_STATIC_ATTRIBUTES = short_names(Member.STATIC)
_ONE_ARRAY = short_names(Takes.ARRAY, "jax.numpy")
_ARRAYS = short_names(Takes.ARRAYS, "jax.numpy")
_METHODS = short_names(Member.UPDATE) | (short_names(Member.USUAL) - short_names(Member.ATTRIBUTE))
_SEEDED = short_names(Takes.NO_KEY, "jax.random")
_TREES = where(Transform.MAPS_LEAVES)


def concrete_use(module: Module, name: ast.expr) -> Reason | None:
    """What the code does with `name` that it could not do with a traced array.

    Returns:
      None if nothing.
    """
    node: ast.AST = name
    while True:
        parent = module.parent(node)
        match parent:
            case ast.BinOp(op=ast.Pow(), right=right) if right is node:
                return Reason(Code.NEEDS_VALUE, "as an exponent")
            case ast.BinOp(op=op, left=left, right=right) if isinstance(op, _ARITHMETIC):
                other = right if left is node else left
                if _is_no_number(other):
                    return Reason(Code.NO_ARRAY, f"in `{_first_line(module.text(parent))}`")
                if not isinstance(other, ast.Constant) and _is_captured(module, name, other):
                    node = parent  # of numbers, if that is what they are: as one of them
                    continue
                return _concrete_use_of_number(module, parent) if isinstance(other, ast.Constant) else None
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                return None
            case ast.Compare(ops=ops, comparators=others) if any(_is_no_number(o) for o in (parent.left, *others)):
                return Reason(Code.NO_ARRAY, f"in `{_first_line(module.text(parent))}`")
            case ast.Compare(ops=[_, _, *_]):
                return Reason(Code.NEEDS_VALUE, "in a condition")  # `a < b < c` asks for the truth of `a < b`
            case ast.Compare(ops=ops) if all(isinstance(op, _COMPARISONS) for op in ops):
                return Reason(Code.NEEDS_VALUE, "in a condition") if _is_tested(module, parent) else None
            case ast.Attribute(attr=attr) if attr in _STATIC_ATTRIBUTES:
                return None
            case ast.Attribute() | ast.Tuple() | ast.Dict():
                node = parent  # a part of a pytree, or a pytree made of it
            case ast.Subscript(value=value) if value is node:
                node = parent
            case ast.Return():
                return None
            case ast.Lambda(body=body) if body is node:
                return None
            case ast.Call(func=func) if func is node:
                return None if _is_update_method(func) else Reason(Code.NO_ARRAY, "as a function")
            case ast.Call(func=ast.Call(func=mapping, keywords=[]) as mapped, args=args) if (
                node in args and len(mapped.args) == 1 and module.qualname(mapping) == "jax.vmap"
            ):
                return None  # what is mapped over is an array, or fails
            case ast.Call(args=args) if node in args:
                taken = _takes_array(module, parent, args.index(node)) or _hands_on(module, parent, node)
                return None if taken else Reason(Code.NO_ARRAY, f"in `{module.text(parent.func)}`")
            case _:
                return (
                    Reason(Code.NO_ARRAY, f"in `{_first_line(module.text(parent))}`")
                    if parent is not None
                    else Reason(Code.NO_ARRAY, "in an unsupported position")
                )


def _is_captured(module: Module, name: ast.expr, other: ast.expr) -> bool:
    """Whether `other` is made of nothing but variables from around the function that reads `name`."""
    inside = module.function(name)
    names = [node for node in walk(other) if isinstance(node, ast.Name)]
    owners = [module.scope_of(node.id, node) for node in names]
    calls = any(isinstance(node, ast.Call | ast.Lambda) for node in walk(other))
    return (
        not calls
        and inside is not None
        and all(inside in module.ancestors(n) for n in names)
        and not any(owner is inside or (owner is not None and inside in module.ancestors(owner)) for owner in owners)
    )


def is_array_in(module: Module, function: Function, parameter: str) -> bool:
    """Whether `function` treats its parameter as an array, wherever it reads it."""
    return not module.get(_needs_value)((function, parameter))


def _needs_value(module: Module) -> Solver[tuple[Function, str], bool]:
    """Whether a function may do with a parameter what it could not do with a traced array."""

    def needs_value(passed: tuple[Function, str]) -> bool:
        function, parameter = passed
        if len(module.bindings(parameter, function)) != 1:
            return True
        reads = (n for n in walk(function) if isinstance(n, ast.Name) and n.id == parameter)
        own = (read for read in reads if module.scope_of(parameter, read) is function)
        return any(concrete_use(module, read) is not None for read in own)

    return Solver(needs_value, MAY)


def uses(module: Module, function: Function, name: str) -> Iterator[ast.Name]:
    """The reads of the captured `name` inside `function`.

    Returns:
      In the order of `walk`; those of functions inside `function` too.
    """
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            scope = module.scope_of(name, node)
            if scope is not function and function not in (scope, *module.ancestors(scope or module.tree)):
                yield node


def _is_no_number(node: ast.expr) -> bool:
    """Whether `node` is a string or a sequence, with which a Python number does what an array does not."""
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, int | float | complex)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.Set | ast.Dict)


def _concrete_use_of_number(module: Module, node: ast.expr) -> Reason | None:
    """What the code does with `node`, a number if the variable is one, that it could not do with a traced array."""
    match module.parent(node):
        case ast.Call(func=func, args=args) as call if node in args and not _takes_array(
            module, call, args.index(node)
        ):
            return Reason(Code.NO_ARRAY, f"in `{module.text(func)}`")
        case ast.Subscript(slice=index) | ast.Slice(lower=index) if index is node:
            return Reason(Code.NEEDS_VALUE, "as an index")
        case ast.Compare() as compared if _is_tested(module, compared):
            return Reason(Code.NEEDS_VALUE, "in a condition")
    return None


def _hands_on(module: Module, call: ast.Call, node: ast.expr) -> bool:
    """Whether `call` passes the argument `node` to a function of the file that treats it as an array."""
    function = module.definition(call.func)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    if any(isinstance(a, ast.Starred) for a in call.args) or node not in call.args:
        return False
    names = [a.arg for a in positional_of(function.args)]
    position = call.args.index(node)
    return position < len(names) and is_array_in(module, function, names[position])


def _takes_array(module: Module, call: ast.Call, position: int) -> bool:
    qualname = module.qualname(call.func) or ""
    if qualname in _TREES:
        return position > 0
    package, _, last = qualname.rpartition(".")
    if package == "jax.lax" and last == "stop_gradient":
        return True
    if package == "jax.random":
        return position == 0 and last not in _SEEDED  # the key
    if package != "jax.numpy":
        return False
    return last in _ARRAYS or (last in _ONE_ARRAY and position == 0)


def _is_update_method(func: ast.AST) -> bool:
    """Whether `func` is `x.at[i].set` or the like, or a method that arrays have and traced arrays share."""
    return isinstance(func, ast.Attribute) and func.attr in _METHODS


def _is_tested(module: Module, node: ast.AST) -> bool:
    match module.parent(node):
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            return test is node
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _first_line(text: str) -> str:
    first, *rest = text.splitlines()
    return f"{first} ..." if rest else first
