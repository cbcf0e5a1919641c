"""Python numbers: which expressions are some that change from round to round, and what a function does with one."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from jaxfix.library.facets import Result, Scalar, Takes
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging import traced_uses
from jaxfix.staging.jit import jitted_of
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import positional_of

_DEPTH = 6
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CONVERSIONS = short_names(Result.NUMBER, "builtins")
_TO_ARRAYS = short_names(Takes.SCALAR, "jax.numpy")
_NUMBERS = short_names(Scalar.INT, "builtins") | short_names(Scalar.FLOAT, "builtins")
_CHOOSING = where(Takes.CONDITION)
_LARGE = 1 << 15
"""What multiplies or adds to a counter without leaving 32 bits soon."""


@frozen
class Number:
    """A Python number.

    Attributes:
      changes: whether it is another one in each round of a loop around it.
      surely: whether nothing says that it does so at times only.
      by: the variable that changes, if one does.
    """

    changes: bool = False
    surely: bool = True
    by: ast.Name | None = None


def number(module: Module, expr: ast.expr, at: ast.AST, depth: int = _DEPTH) -> Number | None:
    """The kind of Python number that `expr` is where `at` runs.

    Returns:
      None if it may be something else, or that cannot be told.
    """
    match expr:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float()):
            return Number()
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return number(module, operand, at, depth)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            found = _both(number(module, left, at, depth), number(module, right, at, depth))
            is_rough = isinstance(op, ast.FloorDiv)  # the same for several rounds
            return replace(found, surely=found.surely and not is_rough) if found is not None else None
        case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in _CONVERSIONS:
            found = number(module, only, at, depth) if module.scope_of(name, expr) is None else None
            return replace(found, surely=found.surely and name == "float") if found is not None else None
        case ast.Call(func=func, args=[only], keywords=[]) if (module.qualname(func) or "").startswith("math."):
            return number(module, only, at, depth)
        case ast.Name() if depth:
            return _of_name(module, expr, at, depth)
    return None


def calls_in_loops(module: Module) -> list[ast.Call]:
    """The calls in which a number can be another one in each iteration of a loop around them.

    Returns:
      In the order of the text.
    """
    inside: set[ast.AST] = set()
    for loop in module.nodes(*_LOOPS):  # the outer ones first
        if loop not in inside:
            inside.update(walk(loop))
    return [call for call in module.nodes(ast.Call) if call in inside]


def is_small(expr: ast.expr) -> bool:
    """Whether no part of a number says that it leaves 32 bits."""
    for node in walk(expr):
        match node:
            case ast.Constant(value=int() as value) if abs(value) >= 1 << 31:
                return False
            case ast.BinOp(left=ast.Constant(value=int()), op=ast.Pow() | ast.LShift()):
                return False
    return True


def _both(left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return None
    changing = [side for side in (left, right) if side.changes]
    surely = any(side.surely for side in changing) if changing else True
    return Number(bool(changing), surely, changing[0].by if changing else None)


def _of_name(module: Module, name: ast.Name, at: ast.AST, depth: int) -> Number | None:
    scope = module.scope_of(name.id, name)
    if scope is None:
        return None
    found = [binding.node for binding in module.bindings(name.id, scope)]
    if not found or any(isinstance(node, ast.arg) and not _is_annotated(node) for node in found):
        return None
    if len(found) == 1 and isinstance(found[0], ast.Name) and (value := module.value_of(found[0])) is not None:
        return number(module, value, at, depth - 1)
    around: list[ast.AST] = [loop for loop in module.ancestors(at) if isinstance(loop, _LOOPS)]
    stores: list[ast.Name] = []
    for node in found:
        if isinstance(node, ast.arg):
            continue
        if not isinstance(node, ast.Name) or not _keeps_number(module, node, name.id, depth):
            return None
        if any(loop in module.ancestors(node) or node in _targets(loop) for loop in around):
            stores.append(node)
    surely = any(_is_sure(module, node, around) for node in stores)
    return Number(bool(stores), surely, stores[0] if stores else None)


def _is_annotated(node: ast.arg) -> bool:
    return isinstance(node.annotation, ast.Name) and node.annotation.id in _NUMBERS


def _keeps_number(module: Module, target: ast.Name, name: str, depth: int) -> bool:
    """Whether what binds `target` binds a Python number, if the variable was one before."""
    match module.parent(target):
        case ast.AugAssign(op=op, value=by) if isinstance(op, _ARITHMETIC):
            return number(module, by, target, depth - 1) is not None
        case ast.Assign() | ast.AnnAssign() if (value := module.value_of(target)) is not None:
            return _is_number_of_itself(module, value, name, target, depth)
        case ast.Tuple(elts=targets) as pattern:
            match module.parent(pattern):
                case ast.Assign(targets=[only], value=ast.Tuple(elts=values)) if only is pattern:
                    value = values[targets.index(target)] if len(values) == len(targets) else None
                    return value is not None and _is_number_of_itself(module, value, name, target, depth)
    return _is_counter(module, target) or comes_back(module, target) is not None


def _is_number_of_itself(module: Module, value: ast.expr, name: str, at: ast.AST, depth: int) -> bool:
    """As `number`, where the variable `name` itself counts as one."""
    match value:
        case ast.Name(id=own) if own == name:
            return True
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            return all(_is_number_of_itself(module, side, name, at, depth) for side in (left, right))
    return number(module, value, at, depth - 1) is not None


def _is_counter(module: Module, target: ast.Name) -> bool:
    """Whether a loop binds `target` to the number of the round: over `range`, `enumerate`, `itertools.count`."""
    pattern: ast.AST = target
    index: int | None = None
    parent = module.parent(target)
    if isinstance(parent, ast.Tuple):
        pattern, index, parent = parent, parent.elts.index(target), module.parent(parent)
    match parent:
        case ast.For(target=bound, iter=over) | ast.comprehension(target=bound, iter=over) if bound is pattern:
            return _counts(module, over, index)
    return False


def _counts(module: Module, over: ast.expr, index: int | None) -> bool:
    """Whether what a loop goes over counts its rounds, in the part `index` of each entry; None for all of it."""
    if not isinstance(over, ast.Call):
        return False
    func = over.func
    name = func.id if isinstance(func, ast.Name) and module.scope_of(func.id, func) is None else None
    if index is None:
        return name == "range" or module.qualname(func) == "itertools.count"
    is_plain = not any(isinstance(argument, ast.Starred) for argument in over.args)
    if name == "zip" and is_plain and index < len(over.args):
        return _counts(module, over.args[index], None)
    return name == "enumerate" and index == 0


def comes_back(module: Module, target: ast.Name) -> ast.Call | None:
    """The call in `state, step = f(state, step)` whose jitted function returns `step + 1` there, as a number.

    Returns:
      None where `target` is bound in another way.
    """
    parent = module.parent(target)
    assign = module.parent(parent) if isinstance(parent, ast.Tuple) and parent is not None else parent
    if not isinstance(assign, ast.Assign) or not isinstance(assign.value, ast.Call) or len(assign.targets) != 1:
        return None
    call = assign.value
    found = jitted_of(module, call.func)
    if found is None or found.function is None or found.jit.by != "equinox.filter_jit":
        return None
    index = parent.elts.index(target) if isinstance(parent, ast.Tuple) else None
    parameter = _parameter_of(call, found.jit.parameters or (), target.id)
    results = [_part(value, index) for value in _results(module, found.function)]
    is_number = bool(results) and all(r is not None and _is_step_of(r, parameter) for r in results)
    return call if parameter is not None and is_number else None


def _parameter_of(call: ast.Call, parameters: tuple[str, ...], name: str) -> str | None:
    for position, argument in enumerate(call.args[: len(parameters)]):
        if isinstance(argument, ast.Name) and argument.id == name:
            return parameters[position]
    named = (k.arg for k in call.keywords if isinstance(k.value, ast.Name) and k.value.id == name)
    return next(named, None)


def _results(module: Module, function: Function) -> list[ast.expr | None]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [n.value for n in walk(function) if isinstance(n, ast.Return) and module.function(n) is function]


def _part(value: ast.expr | None, index: int | None) -> ast.expr | None:
    if index is None:
        return value
    return value.elts[index] if isinstance(value, ast.Tuple) and index < len(value.elts) else None


def _is_step_of(value: ast.expr, parameter: str | None) -> bool:
    match value:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            return name == parameter
    return False


def _targets(loop: ast.AST) -> Iterator[ast.AST]:
    generators = getattr(loop, "generators", [])
    for target in [getattr(loop, "target", None), *(generator.target for generator in generators)]:
        if target is not None:
            yield from walk(target)


def _is_sure(module: Module, store: ast.AST, around: list[ast.AST]) -> bool:
    for loop in around:
        if store in _targets(loop):
            return True
        if loop in module.ancestors(store):
            return always_runs(module, store, loop)
    return False


# --- what a function does with one --------------------------------------------------------------------------------


@frozen
class Treatment:
    """What a function does with a parameter that is a Python number.

    Attributes:
      reason: what it does that it could not do with a traced array, or not with the same result; None if nothing.
      returned: whether the number itself, or one that was computed of it, is part of the result.
    """

    reason: Reason | None = None
    returned: bool = False


def treatment(module: Module, function: Function, parameter: str, depth: int = 3) -> Treatment:
    """What `function` does with its parameter."""
    if len(module.bindings(parameter, function)) != 1:
        return Treatment(Reason(Code.REBOUND, f"binds `{parameter}` anew"))
    return _of_reads(module, function, function, parameter, depth)


def _of_reads(module: Module, function: Function, scope: ast.AST, name: str, depth: int) -> Treatment:
    returned = False
    for read in module.reads(name, scope):
        found = _of_read(module, function, read, depth)
        if found.reason is not None:
            return found
        returned = returned or found.returned
    return Treatment(None, returned)


def _of_read(module: Module, function: Function, read: ast.Name, depth: int) -> Treatment:
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
            return _of_reads(module, function, function, target.id, depth)
        case ast.Compare():
            return _of_comparison(module, parent)
        case ast.Call(args=args) if node in args:
            return _of_argument(module, parent, node, args.index(node), depth)
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


def _of_argument(module: Module, call: ast.Call, node: ast.expr, position: int, depth: int) -> Treatment:
    qualname = module.qualname(call.func) or ""
    package, _, last = qualname.rpartition(".")
    if package == "jax.numpy" and last in _TO_ARRAYS and position == 0:
        return Treatment()
    if qualname == "jax.random.fold_in":
        return Treatment()
    function = module.definition(call.func)
    if depth and isinstance(function, ast.FunctionDef) and not function.decorator_list:
        names = [a.arg for a in positional_of(function.args)]
        if position < len(names) and not any(isinstance(a, ast.Starred) for a in call.args):
            found = treatment(module, function, names[position], depth - 1)
            if found.reason is None:
                return found
            return Treatment(found.reason.restated(f"calls `{function.name}`, which {found.reason}"))
    if traced_uses.concrete_use(module, node) is None:
        return Treatment()
    return Treatment(Reason(Code.NO_ARRAY, f"hands `{module.text(node)}` to `{module.text(call.func)}`"))


def _use_in(module: Module, node: ast.AST) -> str:
    first, *more = module.text(node).splitlines()
    return f"uses it in `{first}{' ...' if more else ''}`"
