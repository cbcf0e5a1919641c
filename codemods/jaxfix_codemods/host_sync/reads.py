"""The expressions of a loop that bring what a jitted step of the iteration has made to the host."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, frozen, in_order, jit_of, returned, walk
from jaxfix.api.analysis import MAY, Solver, reaching
from jaxfix.api.library import Effect, Result, Transform, short_names, where

_NUMBERS = short_names(Effect.FETCHES, "builtins")
_COPYING = where(Effect.FETCHES) - _NUMBERS
_SPELLED = short_names(Effect.FETCHES)
_BINDING = where(Transform.BINDS)
_REDUCING = short_names(Result.REDUCED, "jax.Array")


@frozen
class Read:
    """A read of a value that a step of the same iteration has made.

    Attributes:
      at: the expression that reads, such as `float(loss)`.
      value: what it reads.
      is_number: it fails for anything but a single number.
    """

    at: ast.Call
    value: ast.expr
    is_number: bool


def reads_by_loop(module: Module) -> Iterator[tuple[ast.For, list[Read]]]:
    """The loops that read what their own steps make in each iteration, with the reads in the order of the text."""
    found: dict[ast.For, list[Read]] = {}
    inner: set[ast.AST] = set()
    for call in in_order(module.spelled_calls(_SPELLED)):
        read = read_of(module, call)
        if read is None or call in inner:
            continue
        inner.update(walk(read.at))  # a copy that it reads is no other read
        loops = module.loops(call)
        deep = 2 if len(loops) > 1 and _is_of_entries(loops[0]) else 1
        for loop in loops[:deep]:
            if isinstance(loop, ast.For) and is_in_each(module, call, loop) and is_of_step(module, read.value, loop):
                found.setdefault(loop, []).append(read)
                break
    yield from found.items()


def _is_of_entries(loop: ast.AST) -> bool:
    """Whether a loop around a read may go through the entries of what a step in the loop around it returned."""
    match loop:
        case ast.For(iter=ast.Name() | ast.Call(func=ast.Attribute(attr="items" | "values" | "keys"), args=[])):
            return True
    return False


def read_of(module: Module, call: ast.Call) -> Read | None:
    """What `call` reads, if it is a call that reads one array."""
    match call:
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _NUMBERS:
            is_builtin = module.scope_of(name, call) is None
            return Read(call, _copied(module, value), is_number=True) if is_builtin else None
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return Read(call, _copied(module, value), is_number=True)
        case ast.Call(func=func, args=[value], keywords=[]) if module.qualname(func) in _COPYING:
            return Read(call, value, is_number=False)
    return None


def _copied(module: Module, value: ast.expr) -> ast.expr:
    """What is copied to the host on the way, as by `float(np.asarray(loss))`; else `value` itself."""
    match value:
        case ast.Call(func=func, args=[inner], keywords=[]) if module.qualname(func) in _COPYING:
            return _copied(module, inner)
    return value


def is_in_each(module: Module, node: ast.AST, loop: ast.For) -> bool:
    """Whether nothing says that it happens every so many iterations only."""
    return periodic_around(module, node, loop) is None


def periodic_around(module: Module, node: ast.AST, loop: ast.For) -> ast.If | None:
    """The outermost `if` of the loop around `node` that asks for a remainder, as `step % 100 == 0` does."""
    found, inner = None, node
    for outer in module.ancestors(node):
        if outer is loop:
            break
        if isinstance(outer, ast.If) and inner in outer.body and _asks_for_remainder(outer.test):
            found = outer
        inner = outer
    return found


def periodic_in(loop: ast.For) -> tuple[ast.If, ...]:
    """The first `if` of the loop itself that asks for a remainder, if there is one."""
    found = (each for each in loop.body if isinstance(each, ast.If) and _asks_for_remainder(each.test))
    return tuple(found)[:1]


def _asks_for_remainder(test: ast.expr) -> bool:
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in walk(test))


def is_of_step(module: Module, value: ast.expr, loop: ast.For) -> bool:
    """Whether `value` is what a jitted function returned in the same iteration, a part of it, or computed of it."""
    return module.get(_Steps).are_behind(value, loop)


def step_of(module: Module, func: ast.expr) -> ast.expr | None:
    """The jitted function that a call of `func` runs: itself, or the one that it is a `partial` of."""
    if jit_of(module, func) is not None:
        return func
    made = module.only_value(func) if isinstance(func, ast.Name) and module.names.may_name(_BINDING) else None
    if isinstance(made, ast.Call) and made.args and module.qualname(made.func) in _BINDING:
        return made.args[0] if jit_of(module, made.args[0]) is not None else None
    return None


def hands_on(module: Module, func: ast.Name) -> bool:
    """Whether it is a function of the file that returns what a jitted one does."""
    function = module.definition(func)
    results = returned(function) if function is not None else ()
    calls = [each.func for each in results if isinstance(each, ast.Call)]
    return bool(results) and len(calls) == len(results) and all(jit_of(module, each) for each in calls)


class _Steps:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._made: Solver[tuple[ast.expr, ast.For], bool] = Solver(self._is_made, MAY)

    def are_behind(self, value: ast.expr, loop: ast.For) -> bool:
        return self._made((value, loop))

    def _is_made(self, asked: tuple[ast.expr, ast.For]) -> bool:
        module, (value, loop) = self._module, asked
        match value:
            case ast.Name():
                return self._is_bound(value, loop)
            case ast.Attribute(value=owner) | ast.Subscript(value=owner):
                return self._made((owner, loop))
            case ast.UnaryOp(operand=operand):
                return self._made((operand, loop))
            case ast.BinOp(left=left, right=right):
                return self._made((left, loop)) or self._made((right, loop))
            case ast.Call(func=func, args=args):
                if step_of(module, func) is not None or (isinstance(func, ast.Name) and hands_on(module, func)):
                    return next(iter(module.loops(value)), None) is loop
                if isinstance(func, ast.Attribute) and func.attr in _REDUCING and self._made((func.value, loop)):
                    return True
                is_of_jax = (module.qualname(func) or "").startswith("jax.numpy.")
                return is_of_jax and any(self._made((each, loop)) for each in args)
        return False

    def _is_bound(self, name: ast.Name, loop: ast.For) -> bool:
        """Whether all that can have bound the variable are calls of jitted functions in this very loop."""
        module = self._module
        scope = module.scope_of(name.id, name)
        found = reaching(module, name, module.bindings(name.id, scope)) if scope is not None else ()
        values = [self._bound_to(binding.node, loop) for binding in found]
        return bool(values) and all(value is not None and self._made((value, loop)) for value in values)

    def _bound_to(self, target: ast.AST, loop: ast.For) -> ast.expr | None:
        """What an assignment of the loop binds to the variable, or to a tuple in which it is; of entries the whole."""
        module = self._module
        if not isinstance(target, ast.Name) or next(iter(module.loops(target)), None) is not loop:
            return self._entries(target, loop)
        match module.statement(target):
            case ast.Assign(targets=[only], value=value) if target in walk(only):
                return value if only is target or not isinstance(value, ast.Tuple) else None
        return self._entries(target, loop)

    def _entries(self, target: ast.AST, loop: ast.For) -> ast.expr | None:
        """The dictionary whose values an inner loop goes through under this name."""
        around = self._module.loops(target)
        match around[0] if loop in around[1:] else None:
            case ast.For(target=bound, iter=ast.Call(func=ast.Attribute(value=whole, attr="values"), args=[])):
                return whole if bound is target else None
            case ast.For(
                target=ast.Tuple(elts=[_, value]), iter=ast.Call(func=ast.Attribute(value=whole, attr="items"), args=[])
            ):
                return whole if value is target else None
        return None
