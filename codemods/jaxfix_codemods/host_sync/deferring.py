"""A statement that reads a value, and can do with it after the loop what it does with it now."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Code, Declined, Module, Reason, frozen, walk
from jaxfix.api.analysis import Form, Values, is_bound_before, reaching
from jaxfix.api.library import Iteration, Result, short_names
from jaxfix_codemods.collecting import check_scope, check_way, value_bound
from jaxfix_codemods.host_sync.reads import Read, periodic_around, periodic_in

_COUNTING = short_names(Iteration.COUNTS, "builtins")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_READERS = ("len", "sum", "print", "min", "max", "str", "repr")
_NUMBERS = short_names(Result.NUMBER, "builtins")


@frozen
class Deferred:
    """A statement of the loop, and where it may be done instead.

    Attributes:
      reads: what it reads, in the order of the text.
      appended: what it appends to a list; None of any other statement.
      target: the variable that it changes.
      numbers: the Python numbers that it needs as well, as they are in the iteration.
      shown_in: the `if`s of the loop that read the target every so many steps; else one in which the loop does
        something every so many steps, so that no more is kept on the device than between two of them.
      moves_to: the `if` that alone reads what is bound, whose block it becomes the first statement of; None otherwise.
    """

    statement: ast.Expr | ast.AugAssign | ast.Assign
    reads: tuple[Read, ...]
    appended: ast.expr | None
    target: ast.Name
    numbers: tuple[ast.expr, ...] = ()
    shown_in: tuple[ast.If, ...] = ()
    moves_to: ast.If | None = None


def deferred_of(module: Module, loop: ast.For, statement: ast.stmt, reads: Sequence[Read]) -> Deferred:
    """What may be done later in place of `statement`.

    Raises:
      Declined: it has to be done at once.
    """
    _check_place(module, loop, statement)
    for read in reads:
        _check_size(module, read)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[appended], keywords=[])) if (
            target := _root(owner)
        ) is not None:
            numbers = tuple(_numbers(module, loop, appended, reads))
            shown = _shown_in(module, loop, statement, target)
            _check_list(module, loop, owner, target)
            return Deferred(statement, tuple(reads), appended, target, numbers, shown)
        case ast.AugAssign(target=ast.Name(), op=op, value=value) if isinstance(op, _ARITHMETIC):
            return _sum(module, loop, statement, value, reads)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=same), op=op, right=value)):
            if name == same and isinstance(op, _ARITHMETIC):
                return _sum(module, loop, statement, value, reads)
        case ast.Assign(targets=[ast.Name() as target], value=value) if [value] == [read.at for read in reads]:
            return Deferred(
                statement, tuple(reads), None, target, moves_to=_moves_to(module, loop, statement, reads[0])
            )
    raise Declined(Reason(Code.NEEDS_VALUE, f"line {statement.lineno} needs the value at once", statement.lineno))


def _check_place(module: Module, loop: ast.For, statement: ast.stmt) -> None:
    """It must be a statement of the loop itself, or under an `if` of it."""
    for outer in module.ancestors(statement):
        if outer is loop:
            break
        if isinstance(outer, ast.For | ast.While):
            raise Declined(Reason(Code.LAYOUT, f"line {statement.lineno} is in an inner loop", statement.lineno))
        if not isinstance(outer, ast.If):
            text = f"line {statement.lineno} is in a block that may time it, or catch its errors"
            raise Declined(Reason(Code.ON_PURPOSE, text, statement.lineno))
    check_way(module, loop)
    if not module.has_exact_spans(statement):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))


def _check_size(module: Module, read: Read) -> None:
    is_small = read.is_number or module.get(Values).of(read.value).scalar
    if not is_small and not (fetches(module, read) and _holds_numbers(module, read.value)):
        shown = module.text(read.value)
        raise Declined(
            Reason(Code.COST, f"`{shown}` may be large, and there would be one on the device for each iteration")
        )


def fetches(module: Module, read: Read) -> bool:
    """Whether it gives what `jax.device_get` gives, of a tree each of its arrays."""
    return module.qualname(read.at.func) == "jax.device_get"


def _holds_numbers(module: Module, value: ast.expr) -> bool:
    """Whether it is a dictionary or a tuple that is written out, of single numbers alone."""
    values = module.get(Values)
    parts = [_parts(each) for each in values.origins.of(value)]
    return bool(parts) and all(each and all(values.of(part).scalar for part in each) for each in parts)


def _parts(source: ast.AST) -> Sequence[ast.expr]:
    """What a display holds; nothing of one that takes another one in, and of all else."""
    match source:
        case ast.Dict(keys=keys, values=parts) if None not in keys:
            return parts
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if not any(isinstance(e, ast.Starred) for e in parts):
            return parts
    return ()


def _root(owner: ast.expr) -> ast.Name | None:
    """The variable behind `losses`, or behind `history["loss"]`."""
    match owner:
        case ast.Name():
            return owner
        case ast.Subscript(value=ast.Name() as name, slice=ast.Constant(value=str())):
            return name
    return None


# --- what is done with the value ----------------------------------------------------------------------------------


def _numbers(module: Module, loop: ast.For, expr: ast.expr, reads: Sequence[Read]) -> Iterator[ast.expr]:
    """The numbers of an iteration in `expr`, which is made of reads, of numbers and of displays of them.

    Raises:
      Declined: it is made of something else, which may be another thing later.
    """
    if expr in [read.at for read in reads]:
        return
    match expr:
        case ast.Constant():
            return
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            parts = values
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            parts = [left, right]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            parts = [operand]
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as parts, keywords=[]) if name in _NUMBERS:
            if module.scope_of(name, expr) is not None:
                raise _unstable(module, expr)
        case ast.Name() | ast.Call() | ast.Subscript() if _is_whole(module, loop, expr):
            yield expr
            return
        case ast.Name() if _is_fixed(module, loop, expr):
            return
        case _:
            raise _unstable(module, expr)
    for part in parts:
        yield from _numbers(module, loop, part, reads)


def _is_whole(module: Module, loop: ast.For, expr: ast.expr) -> bool:
    """Whether it is an integer of Python: that of the iteration, a length, an entry of a shape."""
    match expr:
        case ast.Name():
            return _is_counter(module, loop, expr) or _is_measured(module, loop, expr)
        case ast.Call(func=ast.Name(id="len" as name), args=[whole], keywords=[]):
            return module.scope_of(name, expr) is None and _is_part(whole)
        case ast.Subscript(value=ast.Attribute(value=whole, attr="shape"), slice=ast.Constant(value=int())):
            return _is_part(whole)
    return False


def _is_part(expr: ast.expr) -> bool:
    """Whether it is a variable, or a part of one that is spelled."""
    match expr:
        case ast.Subscript(value=whole, slice=ast.Constant()) | ast.Attribute(value=whole):
            return _is_part(whole)
    return isinstance(expr, ast.Name)


def _is_measured(module: Module, loop: ast.For, name: ast.Name) -> bool:
    """Whether an iteration binds it to a length, or to an entry of a shape, and to nothing else."""
    found = reaching(module, name, module.bindings(name.id, module.scope_of(name.id, name)))
    if len(found) != 1 or loop not in module.ancestors(found[0].node):
        return False
    value = module.value_of(found[0].node) if isinstance(found[0].node, ast.Name) else None
    return isinstance(value, ast.Call | ast.Subscript) and _is_whole(module, loop, value)


def _unstable(module: Module, expr: ast.expr) -> Declined:
    text = f"`{' '.join(module.text(expr).split())}` may differ after the loop"
    return Declined(Reason(Code.UNSTABLE, text, expr.lineno))


def _is_counter(module: Module, loop: ast.For, name: ast.Name) -> bool:
    """Whether it is the number of the iteration, which nothing else in the loop binds."""
    match loop:
        case ast.For(target=target, iter=ast.Call(func=ast.Name(id=by))) if by in _COUNTING:
            first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts and by == "enumerate" else target
            is_builtin = module.scope_of(by, loop) is None
            is_it = isinstance(first, ast.Name) and first.id == name.id and (by == "range") is (first is target)
            return is_builtin and is_it and not _is_bound_in(module, loop, name, but=first)
    return False


def _is_fixed(module: Module, loop: ast.For, name: ast.Name) -> bool:
    """Whether it is a number or a text of Python, and nothing binds it again."""
    is_once = module.names.only_binding(name) is not None
    return is_once and module.get(Values).of(name).form is Form.PYTHON and not _is_bound_in(module, loop, name)


def _is_bound_in(module: Module, loop: ast.For, name: ast.Name, but: ast.AST | None = None) -> bool:
    found = module.bindings(name.id, module.scope_of(name.id, name))
    return any(binding.node is not but and loop in module.ancestors(binding.node) for binding in found)


def _sum(
    module: Module, loop: ast.For, statement: ast.AugAssign | ast.Assign, value: ast.expr, reads: Sequence[Read]
) -> Deferred:
    """A variable that begins as a Python number, and becomes itself with the values."""
    target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
    assert isinstance(target, ast.Name)
    numbers = tuple(_numbers(module, loop, value, reads))
    for binding in module.bindings(target.id, module.scope_of(target.id, target)):
        start = value_bound(module, binding.node)
        if not _is_update(module, binding.node) and not isinstance(start, ast.Constant):
            raise Declined(Reason(Code.DTYPE, f"`{target.id}` may begin as something else than a Python number"))
    shown = _shown_in(module, loop, statement, target)
    return Deferred(statement, tuple(reads), None, target, numbers, shown)


def _is_update(module: Module, target: ast.AST) -> bool:
    """Whether a binding computes the variable from its own value."""
    match module.statement(target):
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=same))):
            return name == same
    return False


# --- who looks at it ----------------------------------------------------------------------------------------------


def _shown_in(module: Module, loop: ast.For, statement: ast.stmt, target: ast.Name) -> tuple[ast.If, ...]:
    """The `if`s of the loop that use the variable every so many steps, the only other ones that do in the loop.

    Raises:
      Declined: others may see that it is late.
    """
    name, scope = target.id, module.scope_of(target.id, target)
    uses = module.uses(name, scope)
    check_scope(module, target, uses)
    shown: dict[ast.If, None] = {}
    for use in uses:
        if loop not in module.ancestors(use) or statement in module.ancestors(use):
            continue
        if _key(module, use) not in (None, _key(module, target)):
            continue  # another list of the same dictionary
        around = periodic_around(module, use, loop)
        if around is None or around in module.ancestors(statement):
            text = f"line {use.lineno} uses `{name}` in each iteration"
            raise Declined(Reason(Code.OTHER_USES, text, use.lineno))
        shown[around] = None
    _check_start(module, loop, target)
    return tuple(shown) or tuple(each for each in periodic_in(loop) if each not in module.ancestors(statement))


def _key(module: Module, use: ast.Name) -> str | None:
    """The key in `history["loss"].append(...)`, where `use` is `history`; None of any other use."""
    match module.parent(use):
        case ast.Subscript(slice=ast.Constant(value=str() as key)) as entry:
            match module.parent(entry):
                case ast.Attribute(attr="append") as method if isinstance(module.parent(method), ast.Call):
                    return key
    return None


def _check_start(module: Module, loop: ast.For, target: ast.Name) -> None:
    """It must be bound before the loop, by the function itself."""
    found = module.bindings(target.id, module.scope_of(target.id, target))
    if any(isinstance(binding.node, ast.arg) for binding in found):
        raise Declined(Reason(Code.LIVE, f"`{target.id}` is what the caller passed, who may look at it after an error"))
    before = [module.statement(binding.node) for binding in found]
    if not any(is_bound_before(module, each, loop) for each in before):
        text = f"`{target.id}` is bound before the loop only under a condition"
        raise Declined(Reason(Code.CONDITIONAL, text))


def _check_list(module: Module, loop: ast.For, owner: ast.expr, target: ast.Name) -> None:
    """It must be a list of the function's own, which has no other name while the loop runs."""
    key = _key(module, target)
    for binding in module.bindings(target.id, module.scope_of(target.id, target)):
        value = value_bound(module, binding.node) if _has_one_target(module, binding.node) else None
        if not (_is_new_list(module, value) if owner is target else _holds_list(module, value, key)):
            raise Declined(Reason(Code.UNREAD, f"`{target.id}` may have another name, under which it is read"))
    for use in module.reads(target.id, module.scope_of(target.id, target)):
        is_within = loop in module.ancestors(use) and module.statement(use) is not module.statement(target)
        if _may_be_named(module, use) and (is_within or _runs_before(module, use, loop)):
            text = f"line {use.lineno} passes `{target.id}` on before the loop ends"
            raise Declined(Reason(Code.ESCAPES, text, use.lineno))


def _has_one_target(module: Module, bound: ast.AST) -> bool:
    """Whether nothing else is bound to the same object, as by `self.losses = losses = []`."""
    statement = module.statement(bound)
    return not isinstance(statement, ast.Assign) or len(statement.targets) == 1


def _is_new_list(module: Module, value: ast.expr | None) -> bool:
    match value:
        case ast.List() | ast.ListComp():
            return True
        case ast.Call(func=ast.Name(id="list")):
            return module.scope_of("list", value) is None
    return False


def _holds_list(module: Module, value: ast.expr | None, key: str | None) -> bool:
    """Whether it is a dictionary that is written out, of lists of its own, with that key among its keys."""
    match value:
        case ast.Dict(keys=keys, values=values):
            has_key = any(isinstance(each, ast.Constant) and each.value == key for each in keys)
            return has_key and all(_is_new_list(module, each) for each in values)
    return False


def _runs_before(module: Module, use: ast.expr, loop: ast.For) -> bool:
    """Whether a use may run before an iteration of the loop, with the list that it then fills."""
    if use.lineno < loop.lineno:
        return True
    around = [outer for outer in module.loops(loop) if outer in module.ancestors(use)]
    scope = module.scope_of(use.id, use) if isinstance(use, ast.Name) else None
    starts = [binding.node for binding in module.bindings(use.id, scope)] if isinstance(use, ast.Name) else []
    is_new = any(around[0] in module.ancestors(start) for start in starts) if around else True
    return bool(around) and not is_new


def _may_be_named(module: Module, use: ast.expr) -> bool:
    """Whether a use may give the list another name: not one by a method, a copy of a part, or a reader."""
    parent = module.parent(use)
    match parent:
        case ast.Attribute() | ast.FormattedValue():
            return False
        case ast.Subscript(value=value, slice=where_) if value is use:
            return not isinstance(where_, ast.Slice) and _may_be_named(module, parent)
        case ast.Call(func=ast.Name(id=name)) if module.scope_of(name, use) is None:
            return name not in _READERS
        case ast.Call(func=func) if func is not use:
            return (module.qualname(func) or "").partition(".")[0] not in ("numpy", "jax")
    return True


# --- a value that is bound, and shown at times --------------------------------------------------------------------


def _moves_to(module: Module, loop: ast.For, statement: ast.Assign, read: Read) -> ast.If:
    """The `if` below in the same block, which asks for a remainder, and in which alone the variable is read.

    Raises:
      Declined: there is none.
    """
    target = statement.targets[0]
    assert isinstance(target, ast.Name)
    scope = module.scope_of(target.id, target)
    found = module.bindings(target.id, scope)
    check_scope(module, target, module.uses(target.id, scope))
    uses = [u for u in module.reads(target.id, scope) if target in [b.node for b in reaching(module, u, found)]]
    shown = dict.fromkeys(periodic_around(module, use, loop) if loop in module.ancestors(use) else None for use in uses)
    match [*shown]:
        case [ast.If() as only] if only in loop.body and statement in loop.body:
            between = loop.body[loop.body.index(statement) + 1 : loop.body.index(only)]
            names = {node.id for node in walk(read.value) if isinstance(node, ast.Name)}
            mentioned = (n for s in (*between, only.test) for n in walk(s) if isinstance(n, ast.Name))
            if statement.lineno < only.lineno and not any(node.id in names for node in mentioned):
                return only
    text = f"line {statement.lineno} reads it for what each iteration does"
    raise Declined(Reason(Code.NEEDS_VALUE, text, statement.lineno))
