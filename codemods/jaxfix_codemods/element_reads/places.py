"""Where an array can be copied once for all reads of a loop."""

import ast

from jaxfix.api import FUNCTIONS, Code, Module, Reason, frozen, walk
from jaxfix.api.analysis import (
    HOT,
    During,
    changes_of,
    family,
    instances,
    is_bound_before,
    is_stored,
    iterations,
    leaves,
    methods,
    own_class,
    why_unstable,
)
from jaxfix.api.library import Iteration, short_names

LOOPS = (ast.For, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CONSUMING = short_names(Iteration.CONSUMES, "builtins") | {"join"}
_MAYBE = (ast.Try, ast.Match, ast.ExceptHandler)
_LEAVING = (ast.Continue, ast.Break, ast.Return, ast.Raise)


@frozen
class Place:
    """The outermost loop that reads one and the same array, and the statement before which it can be copied."""

    loop: ast.AST
    before: ast.stmt


def place_of(module: Module, array: ast.Name | ast.Attribute) -> Place | None:
    """Where the array behind `array`, of which an element is read, can be copied; None if nowhere."""
    root = _root(array)
    if root is None or not _is_read_at_once(module, array):
        return None
    found = None
    for loop in _around(module, array):
        before = _statement(module, loop)
        if before is None or rebinds(module, array, root, loop) or not _is_there(module, root, before):
            break
        found = Place(loop, before)
    return found


def _around(module: Module, node: ast.AST) -> tuple[ast.AST, ...]:
    """The loops around, from the inside out, up to one that is handled nowhere."""
    found = []
    for loop in module.loops(node):
        if not isinstance(loop, (*LOOPS, *_COMPREHENSIONS)):
            break
        found.append(loop)
    return tuple(found)


def _root(array: ast.expr) -> ast.Name | None:
    while isinstance(array, ast.Attribute):
        array = array.value
    return array if isinstance(array, ast.Name) else None


def _statement(module: Module, loop: ast.AST) -> ast.stmt | None:
    """Before which statement `loop` can be prepared for: none where a condition decides whether it runs at all."""
    if isinstance(loop, LOOPS):
        return loop
    inner = loop
    for outer in module.ancestors(loop):
        if isinstance(outer, (ast.IfExp, ast.BoolOp, ast.comprehension, *FUNCTIONS)):
            return None
        if isinstance(outer, ast.stmt):
            is_whole = not hasattr(outer, "body") or (isinstance(outer, ast.For) and outer.iter is inner)
            return outer if is_whole else None
        inner = outer
    return None


def rebinds(module: Module, array: ast.expr, root: ast.Name, loop: ast.AST) -> bool:
    """Whether `array` may be another one, or be refilled, while `loop` runs."""
    scope = module.scope_of(root.id, root)
    if scope is None or _is_bound_anew(module, root.id, scope, loop):
        return True
    if any(is_stored(module, part.attr) for part in walk(array) if isinstance(part, ast.Attribute)):
        return True
    owner = own_class(module, root) if isinstance(array, ast.Attribute) else None
    return owner is not None and _hands_on(module, root, loop) and instances.is_extended(module, owner)


def _hands_on(module: Module, root: ast.Name, loop: ast.AST) -> bool:
    """Whether `loop` calls a method of the object, passes it on, or calls what the function was given."""
    for call in (node for node in walk(loop) if isinstance(node, ast.Call)):
        named = {
            part.id for part in (*call.args, *(each.value for each in call.keywords)) if isinstance(part, ast.Name)
        }
        called = _root(call.func)
        is_own = called is not None and called.id == root.id and isinstance(call.func, ast.Attribute)
        is_given = called is not None and isinstance(module.scope_of(called.id, called), FUNCTIONS)
        if root.id in named or (is_own and not _is_of_array(call.func)) or (is_given and called is call.func):
            return True
    return False


def why_given_away(module: Module, array: ast.expr, loop: ast.AST) -> Reason | None:
    """Why code that `loop` calls may delete the array behind `array`, or donate it: a copy of it would go on."""
    root = _root(array)
    if root is None:
        return None
    whole = array.id if isinstance(array, ast.Name) else module.text(array)
    scope = module.scope_of(root.id, root)
    for use in (each for each in _uses(module, array, root, scope) if loop in module.ancestors(each)):
        if (
            not isinstance(module.parent(use), ast.Subscript)
            and not _is_gone_over(module, use)
            and not leaves(module, use)
        ):
            text = f"line {use.lineno} passes on `{whole}`, which other code may donate or delete"
            return Reason(Code.ESCAPES, text, use.lineno)
    for call in (node for node in walk(loop) if isinstance(node, ast.Call)):
        if _is_of_caller(module, call.func) and _is_held(module, array, root, scope):
            text = f"line {call.lineno} calls a function that it was passed, which may donate or delete `{whole}`"
            return Reason(Code.ESCAPES, text, call.lineno)
    return None


def _uses(module: Module, array: ast.expr, root: ast.Name, scope: ast.AST | None) -> list[ast.expr]:
    if isinstance(array, ast.Attribute):
        return [each for each in module.attributes(array.attr) if module.text(each) == module.text(array)]
    return [*module.reads(root.id, scope)] if scope is not None else []


def _is_gone_over(module: Module, use: ast.expr) -> bool:
    """Whether a loop goes over it, by itself or with its numbers."""
    outer = module.parent(use)
    is_header = isinstance(outer, ast.For | ast.comprehension) and outer.iter is use
    return is_header or isinstance(outer, ast.Starred)


def _is_of_caller(module: Module, func: ast.expr) -> bool:
    """Whether a function is one that the code around was given: a parameter, an attribute that is not a method."""
    match func:
        case ast.Name():
            found = module.bindings(func.id, module.scope_of(func.id, func))
            return any(isinstance(binding.node, ast.arg) for binding in found)
        case ast.Attribute(value=owner, attr=attr):
            own = own_class(module, owner)
            return own is not None and not methods(family(module, own), attr)
    return False


def _is_held(module: Module, array: ast.expr, root: ast.Name, scope: ast.AST | None) -> bool:
    """Whether other code may have the array."""
    if not isinstance(array, ast.Name):
        return True
    for binding in module.bindings(root.id, scope):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        is_new = isinstance(value, ast.BinOp) or (
            isinstance(value, ast.Call) and module.qualname(value.func) is not None
        )
        if not is_new:
            return True
    reads = (use for use in module.reads(root.id, scope) if not isinstance(module.parent(use), ast.Subscript))
    return not all(leaves(module, use) for use in reads)


def _is_of_array(func: ast.expr) -> bool:
    """Whether it is a method of an attribute, such as `self.x.item`, and none of the object itself."""
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Attribute)


def _is_bound_anew(module: Module, name: str, scope: ast.AST, loop: ast.AST) -> bool:
    found = module.bindings(name, scope)
    if len(found) == 1 or scope is not (module.function(loop) or module.tree):
        return why_unstable(module, name, scope, around=loop) is not None
    during = During(loop)
    if not any(isinstance(binding.node, ast.arg) for binding in found):
        return why_unstable(module, name, scope, during=during) is not None
    changing = [binding.node for binding in found if not isinstance(binding.node, ast.arg)]
    changing += [root for root in changes_of(module).roots.get(name, ()) if module.scope_of(name, root) is scope]
    return not all(during.leaves(module, node) for node in changing)


def _is_there(module: Module, root: ast.Name, before: ast.stmt) -> bool:
    """Whether the variable is surely bound before the statement."""
    scope = module.scope_of(root.id, root)
    found = module.bindings(root.id, scope) if scope is not None else ()
    if any(isinstance(binding.node, ast.arg | ast.alias) for binding in found):
        return True
    own = [module.statement(b.node) for b in found if module.function(b.node) is module.function(before)]
    return any(is_bound_before(module, each, before) for each in own if each is not before) or (
        scope is module.tree and module.function(before) is not None
    )


def _is_read_at_once(module: Module, node: ast.AST) -> bool:
    """Whether no generator or function around, within its statement, may read it when it is another one."""
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, ast.stmt):
            return True
        if isinstance(outer, FUNCTIONS):
            return False
        if isinstance(outer, ast.GeneratorExp) and inner is not outer.generators[0].iter:
            match module.parent(outer):
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _CONSUMING:
                    pass
                case _:
                    return False
        inner = outer
    return True


def is_unconditional(module: Module, node: ast.expr, loop: ast.AST) -> bool:
    """Whether each iteration of `loop` comes to `node`."""
    leaving = (part for part in walk(loop) if isinstance(part, _LEAVING))
    if any(part.lineno <= node.lineno for part in leaving):
        return False
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if _is_skipped(outer, inner):
            return False
        if outer is loop:
            return True
        inner = outer
    return False


def follows(module: Module, later: ast.stmt, earlier: ast.stmt) -> bool:
    """Whether `later` surely runs after `earlier`: both are of one block, and nothing between leaves it."""
    around = module.parent(earlier)
    if module.parent(later) is not around:
        return False
    for name in ("body", "orelse", "finalbody"):
        block = getattr(around, name, None)
        if isinstance(block, list) and earlier in block and later in block:
            between = block[block.index(earlier) : block.index(later)]
            return not any(isinstance(node, (*_LEAVING, ast.Yield)) for each in between for node in walk(each))
    return False


def _is_skipped(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether some iterations of `outer` run without its part `inner`."""
    match outer:
        case ast.BoolOp(values=[first, *_]):
            return inner is not first
        case ast.If(test=test) | ast.IfExp(test=test):
            return inner is not test
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return any(each.ifs for each in outer.generators) and not isinstance(inner, ast.comprehension)
    return isinstance(outer, _MAYBE)


def is_few(array: ast.expr) -> bool:
    """Whether `array` is the first few of another one."""
    match array:
        case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.Constant(value=int() as upper))):
            return 0 <= upper < HOT
    return False


def is_long(module: Module, loop: ast.AST) -> bool:
    """Whether the text does not say that the loop has a few iterations only."""
    rounds = iterations(module, loop)
    match module.parent(loop):
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            return len(targets) >= HOT or any(isinstance(each, ast.Starred) for each in targets)
    return rounds is None or rounds >= HOT
