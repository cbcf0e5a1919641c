"""Progress bars that show what the step of the iteration has made, and counters in its state: the host waits for it."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Module, Staging, frozen, in_order, jit_of, walk
from jaxfix.api.analysis import argument_values, binds_again, reaching
from jaxfix.api.library import CONTROL_FLOW, Effect, Package, short_names, where
from jaxfix_codemods.host_sync.reads import is_in_each, read_of

_SHOWING = short_names(Effect.SHOWS)
_HOST = where(Package.HOST) | where(Package.WORLD) | {name.partition(".")[0] for name in where(Package.NUMPY)} - {"jax"}


@frozen
class Shown:
    """What waits for values of a training step.

    Attributes:
      at: the call, or a counter of the state that a condition asks for.
      names: the variables that it shows, or the counter.
      is_known: whether the step is jitted, as far as files say.
    """

    at: ast.Call | ast.Attribute
    names: tuple[str, ...]
    is_known: bool


def shown_by(module: Module) -> Iterator[Shown]:
    """The calls that show, in each iteration, what a training step of the iteration has made."""
    staging = module.get(Staging)
    for call in in_order(module.spelled_calls(_SHOWING)):
        loop = next(iter(module.loops(call)), None)
        if not isinstance(call.func, ast.Attribute) or not isinstance(loop, ast.For):
            continue
        if not is_in_each(module, call, loop) or staging.is_staged(loop) or staging.is_seldom(call):
            continue
        names = [name for value in argument_values(call) for name in _read(module, value)]
        steps = {name.id: step for name in names if (step := _step(module, name, loop)) is not None}
        if steps and not any(_is_tested(module, name, loop) for name in steps):
            is_known = all(jit_of(module, step.func) is not None for step in steps.values())
            yield Shown(call, tuple(steps), is_known)


def counted_by(module: Module) -> Iterator[Shown]:
    """The conditions that ask, in each iteration, for a counter in the state of a training step: `state.step % 100`."""
    staging = module.get(Staging)
    for asking in module.nodes(ast.If):
        test = asking.test
        if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.BinOp):
            continue
        counter, loop = _counter(test.left), next(iter(module.loops(asking)), None)
        if counter is None or not isinstance(loop, ast.For) or staging.is_staged(loop):
            continue
        step = _step(module, counter.value, loop) if isinstance(counter.value, ast.Name) else None
        if step is not None and is_in_each(module, asking, loop) and not staging.is_seldom(asking):
            yield Shown(counter, (module.text(counter),), jit_of(module, step.func) is not None)


def _counter(node: ast.AST) -> ast.Attribute | None:
    """The attribute of which a remainder is asked for, also of one of several devices, or as an integer."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return None
    match node.left:
        case (ast.Attribute() as counter) | ast.Subscript(value=ast.Attribute() as counter):
            return counter
        case ast.Call(func=ast.Name(id="int"), args=[ast.Attribute() as counter]):
            return counter
    return None


def _read(module: Module, value: ast.expr) -> Iterator[ast.Name]:
    """The variables whose values are shown: whole, formatted, fetched, or in a dictionary."""
    match value:
        case ast.Name():
            yield value
        case ast.FormattedValue(value=inner) | ast.Starred(value=inner):
            yield from _read(module, inner)
        case ast.JoinedStr(values=parts) | ast.Dict(values=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _read(module, part)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"), args=args):
            for part in args:
                yield from _read(module, part)
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            for keyword in keywords:
                yield from _read(module, keyword.value)
        case ast.Call() if (read := read_of(module, value)) is not None:
            yield from _read(module, read.value)


def _step(module: Module, name: ast.Name, loop: ast.For) -> ast.Call | None:
    """The training step of this iteration that alone can have bound the variable."""
    found = reaching(module, name, module.bindings(name.id, module.scope_of(name.id, name)))
    if len(found) != 1 or not isinstance(found[0].node, ast.Name):
        return None
    match module.statement(found[0].node):
        case ast.Assign(value=ast.Call() as call) if next(iter(module.loops(call)), None) is loop:
            read = read_of(module, call)
            if read is not None:
                return _step(module, read.value, loop) if isinstance(read.value, ast.Name) else None
            return call if _trains(module, call) else None
    return None


def _trains(module: Module, call: ast.Call) -> bool:
    """Whether the call gives back a state that it is passed, and is no epoch in one program."""
    if not any(binds_again(module, call, value) for value in argument_values(call)):
        return False
    function = module.definition(call.func)
    if jit_of(module, call.func) is None and (function is not None or _is_of_host(module, call.func)):
        return False  # it may read the value itself
    called = [node.func for node in walk(function) if isinstance(node, ast.Call)] if function is not None else []
    return all(module.qualname(func) not in CONTROL_FLOW for func in called)


def _is_of_host(module: Module, func: ast.expr) -> bool:
    """Whether it is a builtin, or a function of a package that computes on the host."""
    package = (module.qualname(func) or "").partition(".")[0]
    is_builtin = isinstance(func, ast.Name) and module.scope_of(func.id, func) is None
    return is_builtin or package in _HOST


def _is_tested(module: Module, name: str, loop: ast.For) -> bool:
    """Whether a condition of the loop asks for the value in any case."""
    tests: Sequence[ast.expr] = [each.test for each in walk(loop) if isinstance(each, ast.If | ast.IfExp | ast.While)]
    return any(isinstance(node, ast.Name) and node.id == name for test in tests for node in walk(test))
