"""What a step may do with its values that it cannot do, or does otherwise, with those of a trace."""

import ast
from collections.abc import Callable, Collection, Iterator
from functools import partial
from math import inf
from sys import stdlib_module_names

from jaxfix.api import FUNCTIONS, Function, Module, arguments_of, jit_of, jitted_by_decorator, walk
from jaxfix.api.analysis import Form, Kind, Values, class_of, is_no_tree_class
from jaxfix.api.library import Result, Transform, where

_BINDING = where(Transform.BINDS)
_PASSING = _BINDING | where(Result.REPLACED)
_GROWING = (ast.Mult, ast.Pow, ast.LShift)
_EXACT = 2**24
"""Up to which single precision counts."""


def picks(module: Module, values: Values, item: ast.Subscript) -> bool:
    """Whether a variable picks an item of a list or a tuple, or one that is a record, as no item of an array is."""
    if not isinstance(item.ctx, ast.Load) or not any(isinstance(node, ast.Name) for node in walk(item.slice)):
        return False
    is_record = isinstance(item.slice, ast.Name) and _is_record(module, item)
    return is_record or any(map(_is_sequence, values.origins.of(item.value)))


def _is_sequence(source: ast.AST) -> bool:
    if isinstance(source, ast.BinOp):
        return _is_sequence(source.left) or _is_sequence(source.right)
    return isinstance(source, ast.List | ast.Tuple | ast.ListComp)


def _is_record(module: Module, item: ast.Subscript) -> bool:
    """Whether `item` is read by a text as its key, here or where it is passed to."""
    match module.parent(item):
        case ast.Subscript(value=value, slice=ast.Constant(value=str())) if value is item:
            return True
        case ast.Call(func=func) as call if isinstance(function := module.definition(func), ast.FunctionDef):
            passed = arguments_of(function, call, bound=module.method_of(function) is not None) or {}
            names = {name for name, value in passed.items() if value is item}
            reads = (read for name in names for read in module.reads(name, function))
            return any(_has_text_as_key(module, read) for read in reads)
    return False


def _has_text_as_key(module: Module, read: ast.expr) -> bool:
    match module.parent(read):
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return value is read
    return False


def is_no_tree(module: Module, source: ast.AST) -> bool:
    """Whether `source` makes an object of a class of this file that `jit` takes for no tree of arrays."""
    owner = class_of(module, source.func) if isinstance(source, ast.Call) else None
    return owner is not None and is_no_tree_class(module, owner)


def overflows(
    module: Module, read: ast.expr, may_be_integer: Callable[[ast.expr], bool], *, is_known: bool = True
) -> bool:
    """Whether `read`, a Python integer, takes part in a product or a power of integers: a traced one has 32 bits.

    Also under the name of a variable or a parameter that it is bound to.

    Args:
      may_be_integer: answers of what an operation combines, of no operation itself.
      is_known: `read` is surely an integer, and followed through transformations of functions.
    """
    pending, seen = [read], {read}
    while pending:
        inner: ast.AST = pending.pop()
        while (outer := module.parent(inner)) is not None and (other := _combined(outer, inner)) is not None:
            if other is not inner and not may_yield_integer(other, may_be_integer):
                break
            if isinstance(outer, ast.Call) or isinstance(getattr(outer, "op", None), _GROWING):
                return True
            inner = outer
        if is_known and _is_passed_to_python(module, inner):
            return True
        after = [each for each in _reads_after(module, inner, may_be_integer, is_known=is_known) if each not in seen]
        seen |= {*after}
        pending += after
    return False


def _combined(operation: ast.AST, inner: ast.AST) -> ast.expr | None:
    """What an operation of integers combines `inner` with, that itself where it is alone; None of another node."""
    match operation:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return operand
        case ast.IfExp(test=test, body=body, orelse=other) if test is not inner:
            return body if body is inner else other if other is inner else None
        case ast.BinOp(op=ast.Div() | ast.MatMult()) | ast.AugAssign(op=ast.Div() | ast.MatMult()):
            return None
        case ast.BinOp(left=left, right=right) | ast.AugAssign(target=left, value=right):
            return right if left is inner else left
        case ast.Call(func=ast.Name(id="pow"), args=[base, power]):
            return power if base is inner else base
    return None


def _is_passed_to_python(module: Module, value: ast.AST) -> bool:
    """Whether a function of the standard library computes with `value`, alone or in a list: `math.prod([n, n])`."""
    call = module.parent(value)
    while isinstance(call, ast.List | ast.Tuple | ast.keyword):
        call = module.parent(call)
    qualname = module.qualname(call.func) if isinstance(call, ast.Call) and call.func is not value else None
    return qualname is not None and qualname not in _PASSING and qualname.partition(".")[0] in stdlib_module_names


def _reads_after(
    module: Module, value: ast.AST, may_be_integer: Callable[[ast.expr], bool], *, is_known: bool
) -> Iterator[ast.expr]:
    """Where a variable or a parameter that `value` is bound to is read; and what a call of no library makes of it."""
    yield from reads_of_variable(module, value)
    outer = module.parent(value)
    call = module.parent(outer) if isinstance(outer, ast.keyword) else outer
    if not isinstance(call, ast.Call) or call.func is value:
        return
    is_bound = is_known and module.qualname(call.func) in _BINDING
    if is_bound or module.qualname(call.func) is None:
        yield from reads_of_parameter(module, value, call, is_known=is_known)
    if not is_bound and module.qualname(call.func) is None and may_be_integer(call):
        yield call


def reads_of_variable(module: Module, value: ast.AST) -> Iterator[ast.expr]:
    """Where a variable that `value` is bound to is read."""
    statement = module.statement(value)
    for target in walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
        if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store) and module.value_of(target) is value:
            uses = module.uses(target.id, module.scope_of(target.id, target))
            yield from (use for use in uses if use is not target)


def reads_of_parameter(module: Module, value: ast.AST, call: ast.Call, *, is_known: bool = True) -> Iterator[ast.expr]:
    """Where the parameter that `call` passes `value` for is read, also of what `functools.partial` takes first."""
    if module.qualname(call.func) in _BINDING and call.args:
        call = ast.Call(call.args[0], call.args[1:], call.keywords)
    function = _called(module, call.func) if is_known else module.definition(call.func)
    if not isinstance(function, FUNCTIONS) or _is_jitted(module, function):
        return
    passed = arguments_of(function, call, bound=module.method_of(function) is not None) or {}
    for name in (name for name, argument in passed.items() if argument is value):
        yield from module.reads(name, function)


def _is_jitted(module: Module, function: Function) -> bool:
    return not isinstance(function, ast.Lambda) and jitted_by_decorator(module, function) is not None


def _called(module: Module, func: ast.expr) -> Function | None:
    """The function that is called, or that a transformation of it takes first, as `jax.grad(f)`."""
    if isinstance(func, ast.Name) and (only := module.names.only_binding(func)) is not None:
        made = module.value_of(only.node) if isinstance(only.node, ast.Name) else None
        func = made if isinstance(made, ast.Call) else func
    while isinstance(func, ast.Call) and func.args and jit_of(module, func) is None:
        func = func.args[0]
    return module.definition(func)


def may_yield_integer(expr: ast.expr, may_be_integer: Callable[[ast.expr], bool]) -> bool:
    """Whether `expr` may be a Python integer, by its operations and by what they combine."""
    match expr:
        case ast.Constant(value=value):
            return isinstance(value, int)
        case ast.UnaryOp(operand=operand):
            return may_yield_integer(operand, may_be_integer)
        case ast.BinOp(op=ast.Div() | ast.MatMult()):
            return False
        case ast.BinOp(left=left, right=right):
            return may_yield_integer(left, may_be_integer) and may_yield_integer(right, may_be_integer)
        case ast.IfExp(body=body, orelse=other):
            return may_yield_integer(body, may_be_integer) or may_yield_integer(other, may_be_integer)
    return may_be_integer(expr)


def cancels(module: Module, values: Values, name: ast.expr) -> bool:
    """Whether a Python number, beyond what single precision counts at first, is less or more by another one.

    Of a traced one few digits would remain; what is multiplied by an array keeps as many as it has without a trace.
    """
    match module.parent(name):
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mod() | ast.FloorDiv(), right=right):
            other = right if left is name else left
            return not values.of(other).is_array and _is_beyond_single(values, name)
    return False


def adds_truths(module: Module, values: Values, read: ast.expr, others: Collection[str] = ()) -> bool:
    """Whether `read`, or a comparison of it, is added to a truth value, or inverted: of traced ones `or` and `not`.

    Args:
      others: variables that may be truth values where nothing is known of them.
    """
    compared = module.parent(read)
    truth = compared if isinstance(compared, ast.Compare) else read
    match module.parent(truth):
        case ast.UnaryOp(op=ast.Invert() | ast.USub()):
            other = truth
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            other = right if left is truth else left
        case _:
            return False
    if values.of(read).is_array or not _is_truth(values, truth):
        return False
    is_open = isinstance(other, ast.Name) and other.id in others and values.of(other).form is Form.UNKNOWN
    return is_open or _is_truth(values, other)


def _is_truth(values: Values, expr: ast.expr) -> bool:
    """Whether `expr` is a truth value, as far as is known, for one of several callers."""
    return any(map(partial(_is_truth_source, values), [expr, *values.origins.of(expr)]))


def _is_truth_source(values: Values, source: ast.AST) -> bool:
    match source:
        case ast.Compare(left=left, comparators=comparators):
            return not any(values.of(each).is_array for each in (left, *comparators))
        case ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.arg(annotation=ast.Name(id="bool")):
            return True
    value = values.of(source)
    return value.form is Form.PYTHON and value.kind is Kind.BOOL


def _is_beyond_single(values: Values, name: ast.expr) -> bool:
    numbers = (source.value for source in values.origins.of(name) if isinstance(source, ast.Constant))
    return any(isinstance(number, int | float) and _EXACT < abs(number) < inf for number in numbers)


def is_integer_field(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` reads a field that a class of this file declares as `int`."""
    return isinstance(expr, ast.Attribute) and expr.attr in integer_fields(module)


def integer_fields(module: Module) -> frozenset[str]:
    """The fields that classes of this file declare as `int`."""
    return module.get(_integer_fields)


def _integer_fields(module: Module) -> frozenset[str]:
    return frozenset(
        each.target.id
        for each in module.nodes(ast.AnnAssign)
        if isinstance(each.target, ast.Name)
        and isinstance(each.annotation, ast.Name)
        and each.annotation.id == "int"
        and isinstance(module.parent(each), ast.ClassDef)
    )


def is_integer(values: Values, expr: ast.expr) -> bool:
    """Whether `expr` is known to be a Python integer, also for one of several callers, or what `range` yields."""
    sources = values.origins.of(expr)
    numbers = [source.value for source in sources if isinstance(source, ast.Constant)]
    if len(numbers) == len(sources) and any(type(number) is int for number in numbers):
        return True
    counted = (isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
    value = values.of(expr)
    return any(counted) or (value.form is Form.PYTHON and value.kind is Kind.INT)
