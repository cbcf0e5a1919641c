"""What one trace for all iterations would change: reads of the loop number, and what is done beside computing."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import FUNCTIONS, Code, Declined, Module, Reason, frozen, walk
from jaxfix.api.analysis import During, Form, demands_of_statements, own_parameter, positional_of
from jaxfix.api.library import Effect, Member, Package, Result, Transform, index_of, members_of, short_names, where
from jaxfix_codemods.looping.arrays import Arrays, form_of
from jaxfix_codemods.looping.rounds import Rounds

_KEYS = where(Result.KEY)
_LAYERS = where(Package.LAYERS)
_DERIVED = where(Transform.ONLY_VALUES)
_SEES_NAMES = short_names(Effect.SEES_NAMES)
_ABSTRACT = short_names(Member.ABSTRACT)
_STATIC = short_names(Result.STATIC)
_MEMBERS = members_of("jax.Array")
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_WITH_ARRAYS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_LARGE = 10_000
"""Of a factor: with a larger one, the product of fewer iterations than anybody unrolls may leave 32 bits."""
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)


def check_reads(module: Module, rounds: Rounds, apart: Iterable[ast.AST] = (), *, is_scanned: bool) -> None:
    """Each read of the number of an iteration must be the same of an array.

    Args:
      apart: expressions that are written in another way.
      is_scanned: whether the numbers are those of an array, which are strongly typed, and none that JAX counts.

    Raises:
      Declined: one needs a Python number.
    """
    if rounds.number is None:
        return
    name, taken = rounds.number.id, {node for each in apart for node in walk(each)}
    for statement in rounds.loop.body:
        for node in walk(statement):
            if node not in taken and isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                _check(module, _Read(node, rounds.counts_up and not is_scanned, rounds.is_natural))


@frozen
class _Read:
    """A read of the number, or of a parameter that takes it.

    Attributes:
      is_counted: it is the number itself, which JAX counts.
      is_natural: it is not negative.
    """

    name: ast.Name
    is_counted: bool
    is_natural: bool


def _check(module: Module, read: _Read) -> None:
    """Checks a read, and those of the parameters that it is passed to: each once, whatever calls what."""
    waiting, met = [read], set[_Read]()
    while waiting:
        each = waiting.pop()
        if each not in met:
            met.add(each)
            waiting += reversed(_passed_on(module, each))


def _passed_on(module: Module, read: _Read) -> list[_Read]:
    """The reads of the parameter that takes what is read; none where it is an index, or meets an array."""
    name = read.name
    whole, outer = _whole(module, name)
    is_natural = read.is_natural and _only_adds(whole)
    if _is_index(module, whole, outer):
        if _is_of_key(module, outer) and not is_natural:
            text = f"`{module.text(whole)}` may be negative, as no key can be made of; of an array it can"
            raise Declined(Reason(Code.MAY_FAIL, text, name.lineno))
        return []
    inner = _parameter(module, whole, outer)
    if inner is not None:
        return [_Read(use, read.is_counted and whole is name, is_natural) for use in inner]
    if whole is name and _meets_array(module, whole, outer, is_counted=read.is_counted):
        return []
    shown = " ".join(module.text(outer if isinstance(outer, ast.expr) else whole).split())
    text = f"`{shown}` in line {name.lineno} takes `{name.id}` as a Python number"
    raise Declined(Reason(Code.NEEDS_VALUE, text, name.lineno))


def _parameter(module: Module, given: ast.expr, call: ast.AST | None) -> tuple[ast.Name, ...] | None:
    """The reads of the parameter that a function of the file is given `given` as; None where they are not known."""
    if not isinstance(call, ast.Call) or given not in call.args:
        return None
    function = module.definition(call.func)
    before = call.args[: call.args.index(given) + 1]
    if not isinstance(function, ast.FunctionDef) or any(isinstance(each, ast.Starred) for each in before):
        return None
    named = positional_of(function.args)[len(before) - 1 : len(before)]
    if module.method_of(function) is not None or not named or len(module.bindings(named[0].arg, function)) != 1:
        return None
    return tuple(use for use in module.uses(named[0].arg, function) if isinstance(use.ctx, ast.Load))


def _whole(module: Module, read: ast.expr) -> tuple[ast.expr, ast.AST | None]:
    """The arithmetic of integers that a read is a part of, and what is around it."""
    outer = module.parent(read)
    while isinstance(outer, ast.BinOp) and isinstance(outer.op, _WHOLE) and _is_whole_with(outer, read):
        read, outer = outer, module.parent(outer)
    return read, outer


def _is_whole_with(operation: ast.BinOp, part: ast.expr) -> bool:
    other = operation.right if operation.left is part else operation.left
    match other:
        case ast.Constant(value=int() as value):
            return not isinstance(value, bool) and abs(value) <= _LARGE
        case ast.Name() | ast.Attribute():
            return True  # in an index, it can only be whole
        case ast.Subscript(value=ast.Attribute(attr=attr)):
            return attr in _ABSTRACT
        case ast.BinOp(op=op, left=left, right=right):
            return isinstance(op, _WHOLE) and all(
                isinstance(e, ast.Constant | ast.Name | ast.Attribute) for e in (left, right)
            )
    return False


def _is_index(module: Module, whole: ast.expr, outer: ast.AST | None) -> bool:
    """Whether it says which element of an array is meant, or which number a key gets."""
    if isinstance(outer, ast.Tuple):
        whole, outer = outer, module.parent(outer)
    match outer:
        case ast.Subscript(slice=where_, value=value) if where_ is whole:
            return _may_be_array(module, value) and not _is_object(module, outer)
        case ast.Call(func=func):
            return index_of(outer, module.qualname(func) or "") is whole
    return False


def _is_of_key(module: Module, call: ast.AST | None) -> bool:
    return isinstance(call, ast.Call) and module.qualname(call.func) in _KEYS


def _only_adds(whole: ast.expr) -> bool:
    return not any(isinstance(getattr(node, "op", None), ast.Sub | ast.USub) for node in walk(whole))


def _may_be_array(module: Module, value: ast.expr) -> bool:
    """Whether nothing says that it is a list, a dictionary or a NumPy array."""
    if isinstance(value, _DISPLAYS) or form_of(module, value) in (Form.NUMPY, Form.PYTHON):
        return False
    if not isinstance(value, ast.Name):
        return True
    scope = module.scope_of(value.id, value)
    if scope is not module.function(value):  # as a caller of the maker, or another file, may have made it
        return module.get(Arrays).is_sure(value)
    found = (module.value_of(b.node) for b in module.bindings(value.id, scope) if isinstance(b.node, ast.Name))
    return not any(_is_of_host(module, each) for each in found if each is not None)


def _is_object(module: Module, element: ast.Subscript) -> bool:
    """Whether an element is called, or has what arrays have not: a layer, or a part of a model."""
    if isinstance(element.value, ast.Attribute) and element.value.attr in _MEMBERS:
        return False
    match module.parent(element):
        case ast.Call(func=func):
            return func is element
        case ast.Attribute(attr=attr):
            return attr not in _ABSTRACT | _MEMBERS
        case ast.keyword(arg=None):
            return True
    return False


def _is_of_host(module: Module, value: ast.expr) -> bool:
    match value:
        case ast.Call(func=func):
            qualname = module.qualname(func) or ""
            is_builtin = isinstance(func, ast.Name) and module.scope_of(func.id, func) is None
            return is_builtin or qualname.partition(".")[0] in where(Package.HOST)
    return isinstance(value, _DISPLAYS)


def _meets_array(module: Module, read: ast.expr, outer: ast.AST | None, *, is_counted: bool) -> bool:
    """Whether it is compared with an array, or computed with one at once.

    A loop of JAX counts in weakly typed numbers, as Python does; those that are scanned are not so.
    """
    match outer:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _WITH_ARRAYS):
            other = right if left is read else left
            return is_counted and _is_array(module, other)
        case ast.Compare(left=left, comparators=[right]):
            return _is_array(module, right if left is read else left)
    return False


def _is_array(module: Module, expr: ast.expr) -> bool:
    return module.get(Arrays).is_sure(expr) and form_of(module, expr) is not Form.NUMPY


# --- what else is done --------------------------------------------------------------------------------------------


def check_effects(
    module: Module,
    rounds: Rounds,
    carried: Iterable[str],
    apart: Iterable[ast.AST] = (),
    rewritten: Iterable[str] = (),
) -> None:
    """A round may do nothing but compute, and ask for no value that it is given.

    Args:
      carried: the variables that an iteration passes to the next one.
      apart: statements that are written in another way.
      rewritten: variables that nothing reads which is not written in another way.

    Raises:
      Declined: it does.
    """
    loop, taken = rounds.loop, set(apart)
    for statement in loop.body:
        for node in walk(statement):
            reason = _effect(module, node) if node not in taken else None
            if reason is not None:
                raise Declined(reason)
    rest = [each for each in loop.body if each not in taken]
    if not rest:
        return
    asked = demands_of_statements(module, rest, During(loop))
    if asked.reason is not None:
        raise Declined(asked.reason.restated(f"an iteration cannot be traced once: {asked.reason}"))
    varying = _varying(module, rounds, carried).difference(rewritten)
    for name, what in asked.values.items():
        if name in varying:
            raise Declined(Reason(Code.NEEDS_VALUE, f"it {what}, and `{name}` differs in each iteration"))
    called = next((name for name in asked.called if name in varying), None)
    if called is not None:
        raise Declined(Reason(Code.NO_ARRAY, f"it calls `{called}`, which differs in each iteration"))


def _effect(module: Module, node: ast.AST) -> Reason | None:
    line = getattr(node, "lineno", 1)
    match node:
        case ast.Expr(value=ast.Constant()):
            return None
        case ast.Expr():
            return Reason(
                Code.SIDE_EFFECT, f"line {line} has a side effect in each iteration, which would happen once", line
            )
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return Reason(Code.SIDE_EFFECT, f"line {line} changes `{module.text(node)}`", line)
        case ast.Yield() | ast.YieldFrom() | ast.Await():
            return Reason(Code.COROUTINE, "it is a generator or a coroutine")
        case ast.NamedExpr() | ast.Starred(ctx=ast.Store()):
            return Reason(
                Code.LAYOUT, f"line {line} binds a name inside an expression, or an unknown number of names", line
            )
        case ast.Name(id="super" | "__class__"):
            return Reason(Code.SEES_SCOPE, "it needs its class")
        case ast.Call(func=ast.Name(id=name)) if name in _SEES_NAMES and module.scope_of(name, node) is None:
            return Reason(Code.SEES_SCOPE, f"it calls `{name}`, which depends on where it is called")
        case ast.Call():
            return _layer(module, node)
    return None


def _layer(module: Module, call: ast.Call) -> Reason | None:
    """Why a call may create a layer, or use the state of one."""
    text = f"`{module.text(call.func)}` in line {call.lineno}"
    package = (module.qualname(call.func) or "").rpartition(".")[0]
    is_made = isinstance(call.func, ast.Call) and module.qualname(call.func.func) not in _DERIVED
    if package in _LAYERS or is_made:
        return Reason(Code.SIDE_EFFECT, f"{text} may create a layer, or use the state of one", call.lineno)
    function = module.function(call)
    around = module.functions_around(call)
    method = next((f for f in around if module.method_of(f) is not None), function)
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)) if isinstance(method, FUNCTIONS) and name == own_parameter(method):
            owner = module.method_of(method)
            bases = (module.qualname(base) or "" for base in owner.bases) if owner is not None else ()
            if any(base.rpartition(".")[0] in _LAYERS for base in bases):
                return Reason(Code.SIDE_EFFECT, f"{text} may create a layer, or use the state of one", call.lineno)
    return None


def _varying(module: Module, rounds: Rounds, carried: Iterable[str]) -> frozenset[str]:
    """The names that a trace of one iteration does not know: what is carried, and what is computed with it."""
    found = {*carried, *(node.id for node in walk(rounds.loop.target) if isinstance(node, ast.Name))}
    while True:
        more = {
            name for name, value in _computed(rounds.loop) if name not in found and found & _known_by(module, value)
        }
        if not more:
            return frozenset(found)
        found |= more


def _computed(loop: ast.For) -> Iterator[tuple[str, ast.AST]]:
    for statement in loop.body:
        for node in walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    yield from ((each.id, value) for t in targets for each in walk(t) if isinstance(each, ast.Name))
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    yield name, value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    yield name, value
                case ast.For(target=target, iter=iterable):
                    yield from ((each.id, iterable) for each in walk(target) if isinstance(each, ast.Name))


def _known_by(module: Module, value: ast.AST) -> frozenset[str]:
    """The names that a value depends on, except what a trace knows of them."""
    found: set[str] = set()
    pending = [value]
    while pending:
        node = pending.pop()
        match node:
            case ast.Attribute(attr=attr) if attr in _ABSTRACT:
                continue
            case ast.Call(func=ast.Name(id="len")):
                continue
            case ast.Call(func=func) if (module.qualname(func) or "").rpartition(".")[2] in _STATIC:
                continue
            case ast.Name(id=name):
                found.add(name)
        pending += list(ast.iter_child_nodes(node))
    return frozenset(found)
