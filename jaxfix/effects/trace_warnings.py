"""What may warn while a function is traced: traced at every call it warns at each, traced once it warns once.

A filter such as `simplefilter("error")` makes an exception of a warning, so that it is no more than an effect.
"""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.dataflow.types import Values
from jaxfix.library.facets import Member, Package, Result, Scalar
from jaxfix.library.lasting import lasts
from jaxfix.library.options import is_wide
from jaxfix.library.table import short_names, where
from jaxfix.report.abstract_value import Form, Kind
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import root

_NUMPY = where(Package.NUMPY)
_ON_THE_HOST = _NUMPY & where(Package.HOST)
_WIDE = short_names(Scalar.WIDE)
_COMPLEX = short_names(Scalar.COMPLEX)
_SCALARS = short_names(Scalar.INT) | short_names(Scalar.FLOAT) | short_names(Scalar.BOOL)
_MADE = short_names(Result.FILLED) | short_names(Result.ALIKE) | short_names(Result.CONVERTED)
_UNRELATED = short_names(Result.FRESH, "jax.numpy") - short_names(Result.CONVERTED)
_UPDATES = short_names(Member.UPDATE)


def may_warn(module: Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The text of what may warn among `nodes`, which a trace evaluates."""
    for node in nodes:
        if _warns(module, node):
            yield module.text(node)


def _warns(module: Module, node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return is_wide(text)
        case ast.Name() | ast.Attribute():
            return _is_read_with_a_warning(module, node)
        case ast.Import() | ast.ImportFrom():
            return not all(lasts(f"{getattr(node, 'module', None) or ''}.{alias.name}") for alias in node.names)
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
            return attr in _UPDATES and not _fits(module, array, call.args[0])
        case ast.Attribute(value=value, attr="astype"):
            return _is_cast_with_a_warning(module, value, [*call.args, *(k.value for k in call.keywords)])
    if package not in _NUMPY:
        return any(_is_dtype(keyword) for keyword in call.keywords)
    if last in _SCALARS and call.args:
        return not _is_real(module, call.args[0])
    if last in _UNRELATED:
        return last in ("full", "full_like") and not all(_is_real(module, fill) for fill in call.args[1:2])
    given = [keyword.value for keyword in call.keywords if _is_dtype(keyword)]
    given += call.args[1:2] if last in _MADE else []
    return bool(given) and bool(call.args) and _is_cast_with_a_warning(module, call.args[0], given)


def _is_dtype(keyword: ast.keyword) -> bool:
    return keyword.arg is None or "dtype" in keyword.arg or "type" in keyword.arg


def _is_cast_with_a_warning(module: Module, value: ast.expr, dtypes: Iterable[ast.expr]) -> bool:
    """Whether it may make a real number of a complex one."""
    names = (module.qualname(dtype) or module.text(dtype) for dtype in dtypes)
    return not all(name.rpartition(".")[2] in _COMPLEX for name in names) and not _is_real(module, value)


def _is_real(module: Module, value: ast.expr) -> bool:
    if isinstance(value, ast.Compare):
        return True
    return module.get(Values).of(value).kind in (Kind.BOOL, Kind.INT, Kind.FLOAT)


def _fits(module: Module, array: ast.expr, value: ast.expr) -> bool:
    """Whether an array takes a value without a cast that may lose something."""
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return True
    into, given = (module.get(Values).of(expr) for expr in (array, value))
    known = (Kind.BOOL, Kind.INT, Kind.FLOAT)
    if into.kind not in known or given.kind not in known:
        return False
    return given.kind.value < into.kind.value or (given.kind is into.kind and given.form is Form.PYTHON)
