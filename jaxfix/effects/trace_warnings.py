"""What may warn while a function is traced: traced at every call it warns at each, traced once it warns once.

A filter such as `simplefilter("error")` makes an exception of a warning, so that it is no more than an effect.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf

from jaxfix.dataflow.call_graph import callers
from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.dataflow.types import Values
from jaxfix.library.facets import Package, Result, Scalar
from jaxfix.library.lasting import lasts
from jaxfix.library.options import is_wide
from jaxfix.library.table import CONTROL_FLOW, dtype_positions, short_names, where
from jaxfix.report.abstract_value import Form, Kind
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import root
from jaxfix.staging.control_flow_calls import function_arguments
from jaxfix.staging.jit import jitted_of
from jaxfix.syntax.nodes import FUNCTIONS, walk
from jaxfix.syntax.signatures import parameters_of

_LARGEST_SINGLE = 3.4028235e38
_REAL = (Kind.BOOL, Kind.INT, Kind.FLOAT)
_COUNTING = where(Result.COUNTS)
_KIND: Lattice[Kind | None] = Lattice(
    None, lambda one, other: one if other in (one, None) else other if one is None else Kind.UNKNOWN, Kind.UNKNOWN
)
_NUMPY = where(Package.NUMPY)
_ON_THE_HOST = _NUMPY & where(Package.HOST)
_WIDE = short_names(Scalar.WIDE)
_COMPLEX = short_names(Scalar.COMPLEX)
_SCALARS = short_names(Scalar.INT) | short_names(Scalar.FLOAT) | short_names(Scalar.BOOL)
_MADE = short_names(Result.FILLED) | short_names(Result.ALIKE) | short_names(Result.CONVERTED)
_UNRELATED = short_names(Result.FRESH, "jax.numpy") - short_names(Result.CONVERTED)
_DTYPE_AT = {**dtype_positions(Result.FILLED), **dtype_positions(Result.ALIKE)}


def may_warn(module: Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The text of the expressions among `nodes` that a trace evaluates and that may warn."""
    for node in nodes:
        if _warns(module, node):
            yield module.text(node)


def _warns(module: Module, node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return is_wide(text) or isinstance(module.parent(node), ast.BinOp | ast.Attribute)
        case ast.Constant(value=float(number)):
            return _LARGEST_SINGLE < number < inf  # NumPy warns of the overflow when it is cast
        case ast.JoinedStr():
            return True  # whatever type it spells
        case ast.Name() | ast.Attribute():
            return _is_read_with_a_warning(module, node)
        case ast.Import(names=names):
            return any(alias.name.startswith("jax") and not lasts(alias.name) for alias in names)
        case ast.ImportFrom(module=package, names=names):
            return not all(lasts(f"{package}.{alias.name}") for alias in names)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            name = root(operand)
            return isinstance(operand, ast.Constant) or (
                name is not None and module.scope_of(name.id, name) is module.tree
            )
        case ast.Call():
            return _is_called_with_a_warning(module, node)
    return False


def _is_read_with_a_warning(module: Module, node: ast.Name | ast.Attribute) -> bool:
    """Whether it is a type of 64 bits, or a name of JAX or NumPy that some release warns of, or has not."""
    if isinstance(module.parent(node), ast.Attribute):
        node_is_whole = module.qualname(module.parent(node) or node) is None
    else:
        node_is_whole = True
    qualname = module.qualname(node)
    if qualname is None or not node_is_whole:
        return False
    package, _, last = qualname.rpartition(".")
    if package in _NUMPY and last in _WIDE:
        return True
    called = module.parent(node)
    is_called = isinstance(called, ast.Call) and called.func is node
    if package.partition(".")[0] in _ON_THE_HOST and not is_called:
        return not lasts(qualname)
    return isinstance(node, ast.Attribute) and package.partition(".")[0] == "jax" and not lasts(qualname)


def _is_called_with_a_warning(module: Module, call: ast.Call) -> bool:
    package, _, last = (module.qualname(call.func) or "").rpartition(".")
    if package.partition(".")[0] in _ON_THE_HOST:
        return True  # `log` of zero, and whatever else NumPy computes
    match call.func:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at")), attr=attr) if call.args:
            return attr != "get" and not _fits(module, array, call.args[0])
        case ast.Attribute(value=value, attr="astype"):
            return _is_cast_with_a_warning(module, value, [*call.args, *(k.value for k in call.keywords)])
    if package not in _NUMPY:
        typed = any(_names_dtype(module, argument) for argument in call.args[1:])
        return any(_is_dtype(keyword) for keyword in call.keywords) or (typed and not _is_real(module, call.args[0]))
    if last in _SCALARS and call.args:
        return not _is_real(module, call.args[0])
    if last in _UNRELATED:
        return not all(_is_real(module, fill) for fill in call.args[1 : _DTYPE_AT.get(last, 0)])
    given = [keyword.value for keyword in call.keywords if _is_dtype(keyword)]
    given += call.args[1:2] if last in _MADE else []
    return bool(given) and bool(call.args) and _is_cast_with_a_warning(module, call.args[0], given)


def _names_dtype(module: Module, expr: ast.expr) -> bool:
    package, _, last = (module.qualname(expr) or "").rpartition(".")
    return package in _NUMPY and last in _SCALARS


def _is_dtype(keyword: ast.keyword) -> bool:
    return keyword.arg is None or "dtype" in keyword.arg or "type" in keyword.arg


def _is_cast_with_a_warning(module: Module, value: ast.expr, dtypes: Iterable[ast.expr]) -> bool:
    """Whether it may make a real number of a complex one."""
    names = (module.qualname(dtype) or module.text(dtype) for dtype in dtypes)
    return not all(name.rpartition(".")[2] in _COMPLEX for name in names) and not _is_real(module, value)


def _is_real(module: Module, value: ast.expr) -> bool:
    return isinstance(value, ast.Compare) or _kind(module, value) in _REAL


def _fits(module: Module, array: ast.expr, value: ast.expr) -> bool:
    """Whether an array takes a value without a cast that may lose something."""
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return True
    into, given = _kind(module, array), _kind(module, value)
    if into not in _REAL or given not in _REAL:
        return False
    is_python = module.get(_values).of(value).form is Form.PYTHON
    return given.value < into.value or (given is into and is_python)


def _kind(module: Module, expr: ast.expr) -> Kind:
    """What sort of numbers it is; of a parameter that of the arguments in this file, where they agree."""
    return module.get(_kinds)(expr) or Kind.UNKNOWN


def _values(module: Module) -> Values:
    """Values as far as the calls that make them were all read."""
    return Values(
        module, frozenset(parameter for each in _open_functions(module) for parameter in parameters_of(each.args))
    )


def _open_functions(module: Module) -> Iterator[ast.FunctionDef]:
    """The functions that are called in the file, and that other code may call too."""
    handed = {
        id(part)
        for call in module.calls(*CONTROL_FLOW)
        for use, _ in function_arguments(module, call)
        for part in walk(use)
    }
    for function in module.functions:
        if isinstance(function, ast.FunctionDef):
            found = callers(module, function)
            others = tuple(use for use in found.others if id(use) not in handed)
            if found.calls and not replace(found, others=others).are_all_here():
                yield function


def _kinds(module: Module) -> Solver[ast.AST, Kind | None]:
    return Solver(lambda node: _kind_of(module, node), _KIND)


def _kind_of(module: Module, node: ast.AST) -> Kind | None:
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return Kind.INT
        case ast.Subscript(value=value):
            return module.get(_kinds)(value)
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at")))):
            return module.get(_kinds)(array)
        case ast.Call(func=func, args=args) if module.qualname(func) in _COUNTING:
            kinds = {_kind(module, bound_by) for bound_by in args}
            return Kind.FLOAT if Kind.FLOAT in kinds and kinds <= {Kind.INT, Kind.FLOAT} else Kind.UNKNOWN
        case ast.Name() if passed := list(_passed(module, node)):
            kinds = {_kind(module, argument) for argument in passed}
            return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
        case ast.Name() if (bound := module.only_value(node)) is not None:
            return module.get(_kinds)(bound)
        case ast.expr():
            return module.get(_values).of(node).kind
    return Kind.UNKNOWN


def _passed(module: Module, name: ast.Name) -> Iterator[ast.expr]:
    """The arguments that calls in this file pass for a parameter, also those of a lambda under `jit`, called there."""
    binding = module.names.only_binding(name)
    parameters = module.parent(binding.node) if binding is not None and isinstance(binding.node, ast.arg) else None
    function = module.parent(parameters) if parameters is not None else None
    calls: list[ast.AST | None] = []
    if isinstance(function, ast.Lambda):
        made = module.parent(function)
        is_jitted = isinstance(made, ast.Call) and jitted_of(module, made) is not None
        calls = [module.parent(made)] if is_jitted and made is not None else []
    elif isinstance(function, ast.FunctionDef):
        found = callers(module, function)
        calls = [*found.calls] if found.are_all_here() else []
    for call in calls:
        if isinstance(call, ast.Call) and isinstance(function, FUNCTIONS):
            argument = (arguments_of(function, call) or {}).get(name.id)
            if argument is not None:
                yield argument
