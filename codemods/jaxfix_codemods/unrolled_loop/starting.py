"""What a carry is before the first iteration: what it becomes must be of the same kind."""

import ast
from collections.abc import Sequence

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import Form
from jaxfix_codemods.looping.arrays import Arrays, form_of
from jaxfix_codemods.unrolled_loop.carried import Carry

_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def check_starts(module: Module, loop: ast.For, carry: Carry) -> None:
    """The first iteration must compute as all others do.

    Raises:
      Declined: what it begins with is not an array, or a number that Python computes with.
    """
    for name in carry.names:
        values = [start_of(module, start, name) for start in carry.starts[name]]
        for value in values:
            if value is not None:
                _check_start(module, loop, name, value)
        if not carry.starts[name] or not all(map(module.get(Arrays).has_axes, carry.starts[name])):
            _check_updates(module, loop, name, values)
    for name in carry.lasts:
        _check_last(module, loop, name)


def _check_last(module: Module, loop: ast.For, name: str) -> None:
    for value in updates(module, loop, name):
        if not module.get(Arrays).is_sure(value) and not isinstance(value, ast.Call):
            text = f"its last `{name}` is read after it, and may be no array"
            raise Declined(Reason(Code.LIVE, text, value.lineno))


def start_of(module: Module, start: ast.AST, name: str) -> ast.expr | None:
    """What a start is, as far as its statement spells it out."""
    if not isinstance(start, ast.Name):
        return None
    statement = module.statement(start)
    if not isinstance(statement, ast.Assign):
        return module.value_of(start)
    parts = (_part(target, statement.value, name) for target in statement.targets)
    part = next((part for part in parts if part is not None), None)
    return module.value_of(start) if part is statement.value else part


def _check_updates(module: Module, loop: ast.For, name: str, starts: Sequence[ast.expr | None]) -> None:
    """What is not known to be an array, and is computed by arithmetic alone, may be a Python number."""
    arrays = module.get(Arrays)
    if starts and all(start is not None and arrays.is_sure(start) for start in starts):
        return
    for value in updates(module, loop, name):
        if not arrays.is_sure(value) and not any(isinstance(node, ast.Call) for node in walk(value)):
            text = f"`{name}` may be a number, with which Python computes in double precision"
            raise Declined(Reason(Code.DTYPE, text, value.lineno))


def _check_start(module: Module, loop: ast.For, name: str, value: ast.expr) -> None:
    match value:
        case ast.Constant(value=None | str() | bytes()) | ast.JoinedStr():
            raise Declined(Reason(Code.STRUCTURE, f"`{name}` begins as `{module.text(value)}`, which is not an array"))
        case _ if isinstance(value, _MUTABLE):
            raise Declined(
                Reason(Code.STRUCTURE, f"`{name}` begins as a list or a dictionary, which may change in place")
            )
    form = form_of(module, value)
    if form is Form.NUMPY:
        text = f"the first iteration computes `{name}` with NumPy, perhaps in double precision"
        raise Declined(Reason(Code.ROUNDING, text))
    if form is Form.PYTHON or isinstance(value, ast.Constant | ast.UnaryOp):
        _check_number(module, loop, name, value)


def _check_number(module: Module, loop: ast.For, name: str, value: ast.expr) -> None:
    """A Python number must meet an array at once: else Python computes in double precision each time."""
    if not (isinstance(value, ast.Constant) and value.value in (0, 1)):
        text = f"`{name}` begins as the number `{module.text(value)}`, with which Python computes in double precision"
        raise Declined(Reason(Code.ROUNDING, text))
    arrays = module.get(Arrays)
    if not all(map(arrays.is_sure, updates(module, loop, name))):
        text = f"`{name}` begins as a Python number, and nothing says that an iteration makes an array of it"
        raise Declined(Reason(Code.DTYPE, text))
    nodes = (node for statement in loop.body for node in walk(statement))
    for node in nodes:
        is_read = isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        if is_read and isinstance(node, ast.expr) and not meets_array(module, node, is_zero=not value.value):
            text = f"the first iteration computes `{name}` in Python, the others on the device"
            raise Declined(Reason(Code.ROUNDING, text, node.lineno))


def meets_array(module: Module, read: ast.expr, *, is_zero: bool) -> bool:
    """Whether an array is what it is computed with, of a zero at the second operation at the latest."""
    arrays, left = module.get(Arrays), 2 if is_zero else 1
    outer = module.parent(read)
    while isinstance(outer, ast.BinOp) and left:
        other = outer.right if outer.left is read else outer.left
        if arrays.is_sure(other):
            return True
        read, outer, left = outer, module.parent(outer), left - 1
    if isinstance(outer, ast.AugAssign):
        return arrays.is_sure(outer.value)
    match outer:
        case ast.Call() | ast.Return() | ast.Tuple():
            return left == 2 or (not is_zero and left == 1)
    return False


def updates(module: Module, loop: ast.For, name: str) -> Sequence[ast.expr]:
    """What an iteration binds `name` to."""
    found: list[ast.expr] = []
    for statement in loop.body:
        for node in walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    found += [part for target in targets if (part := _part(target, value, name)) is not None]
                case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
                    found.append(value)
                case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                    found.append(value)
    return found


def _part(target: ast.expr, value: ast.expr, name: str) -> ast.expr | None:
    match target, value:
        case ast.Name(id=bound), _:
            return value if bound == name else None
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), (ast.Tuple(elts=values) | ast.List(elts=values))):
            found = (_part(t, v, name) for t, v in zip(names, values, strict=False))
            return next((part for part in found if part is not None), None)
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), _):
            found = (_part(t, value, name) for t in names)
            return next((part for part in found if part is not None), None)
    return None
