"""What of a training step runs eagerly: gradients and updates, the loops around them, the functions on the way."""

import ast
from collections.abc import Iterable, Iterator
from functools import partial

from jaxfix.api import Module, Runs, Staging, frozen, in_order, jit_of, jitted_by_decorator, walk
from jaxfix.api.analysis import MOST_CALLS, Use, family, instance_state, is_looped_at, own_parameter, runs_of
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.derivatives import gradient_calls, is_gradient

Site = tuple[str, int, int]


@frozen
class Way:
    """How a loop comes to eager work: the functions on the way, the one that the loop calls first, each with its call.

    Attributes:
      work: the gradient or the update.
      loop: the innermost loop of the function that the way begins in; None in another file.
      calls: each call and its function; None for a call in another file, which is `outside`.
    """

    work: ast.Call
    loop: ast.For | ast.While | None
    calls: tuple[tuple[ast.Call | None, ast.FunctionDef], ...] = ()
    outside: Use | None = None


def ways(module: Module) -> Iterator[Way]:
    """Every way from a loop that runs eagerly to eager work."""
    for call in _perhaps_work(module):
        if is_work(module, call):
            found = [*ways_to(module, call)]
            if found and not module.get(Staging).is_only_traced(call):
                yield from found


def ways_to(module: Module, work: ast.Call) -> Iterator[Way]:
    """Every way from a loop that runs eagerly to `work`."""
    yield from _ways(module, work, work, ())


def shortest(module: Module, several: Iterable[Way]) -> Way:
    """The way with the fewest calls; of equal ones the first by name, so that the order of definitions has no say."""
    return min(several, key=partial(_rank, module))


def _rank(module: Module, way: Way) -> tuple[int, str, list[Site]]:
    file = "" if way.outside is None else way.outside.at.rpartition(":")[0]
    sites = [site(module, call or function) for call, function in way.calls]
    return len(way.calls), file, [*sites, site(module, way.work)]


def site(module: Module, node: ast.expr | ast.stmt) -> Site:
    """What sorts nodes by the name of the function that they stand in, and then by their place in it."""
    return module.path(node), node.lineno, node.col_offset


def _perhaps_work(module: Module) -> list[ast.Call]:
    """The calls of what is called `update`, or made by `jax.grad` and the like."""
    return in_order(list({*gradient_calls(module), *module.spelled_calls({"update"})}))


def _ways(
    module: Module, work: ast.Call, call: ast.Call, calls: tuple[tuple[ast.Call | None, ast.FunctionDef], ...]
) -> Iterator[Way]:
    loop = innermost_loop(module, call)
    if loop is not None:
        yield Way(work, loop, calls)
        return
    function = module.function(call)
    if not isinstance(function, ast.FunctionDef) or len(calls) >= MOST_CALLS:
        return
    if any(function is known for _, known in calls) or _is_rebound_under_jit(module, function):
        return
    found = instance_state.users(module, function)
    outside = (*(found.outside if found.is_looped_outside else ()), *found.through_objects)
    if not (found.calls or outside) or module.get(Staging).is_only_traced(call):
        return
    for use in found.calls:
        if not module.get(Staging).is_only_traced(use):
            yield from _ways(module, work, use, ((use, function), *calls))
    project = module.surroundings.project
    for other in outside:
        if not other.is_test and is_looped_at(other) and runs_of(project, other) is not Runs.TRACED:
            yield Way(work, None, ((None, function), *calls), other)


def _is_rebound_under_jit(module: Module, function: ast.FunctionDef) -> bool:
    """Whether a call by its name is one under `jit`: `step = jax.jit(step)` is below it."""
    match [binding.node for binding in module.bindings(function.name, module.scope_of(function.name, function))]:
        case [ast.FunctionDef() as first, ast.Name() as target] if first is function:
            value = module.value_of(target)
            if not isinstance(value, ast.Call) or jit_of(module, value) is None:
                return False
            return any(isinstance(each, ast.Name) and each.id == function.name for each in value.args)
    return False


def innermost_loop(module: Module, node: ast.AST) -> ast.For | ast.While | None:
    """The innermost statement that runs `node` repeatedly within its function.

    One that calls another function at each iteration does not: `for member in chain: member.update(...)` is one step.
    """
    again = (loop for loop in module.loops(node) if isinstance(loop, LOOPS))
    return next((loop for loop in again if not _is_over_functions(module, loop, node)), None)


def _is_over_functions(module: Module, loop: ast.For | ast.While, node: ast.AST) -> bool:
    """Whether what `node` calls is what the loop goes over."""
    if not isinstance(loop, ast.For) or not isinstance(node, ast.Call):
        return False
    return any(
        binding.node in walk(loop.target)
        for name in _owners(module, node.func)
        for binding in module.bindings(name.id, module.scope_of(name.id, name))
    )


def _owners(module: Module, func: ast.expr) -> Iterator[ast.Name]:
    """The names that say which function `func` is: of its object, its place in a table, what it differentiates."""
    match func:
        case ast.Name():
            yield func
        case ast.Attribute(value=value):
            yield from _owners(module, value)
        case ast.Subscript(value=value, slice=ast.Name() as key):
            yield from (*_owners(module, value), key)
        case ast.Subscript(value=value):
            yield from _owners(module, value)
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Subscript() as of, *_]) if is_gradient(module, func):
            yield from _owners(module, of)


def is_work(module: Module, call: ast.Call) -> bool:
    """Whether `call` computes a gradient or an update, and nothing says that it is jitted."""
    return (is_gradient(module, call.func) or is_update(module, call)) and jit_of(module, call.func) is None


def is_update(module: Module, call: ast.Call) -> bool:
    """Whether `call` is the `update` of an object whose `init` this file calls too, and unpacks what it returns."""
    match call.func, module.parent(call):
        case ast.Attribute(value=owner, attr="update"), ast.Assign(targets=[ast.Tuple(elts=elts)]) if len(elts) > 1:
            pass
        case ast.Attribute(value=owner, attr="update"), ast.Return():
            pass
        case _:
            return False
    if module.qualname(owner) in module.names.imports.values() or not call.args:
        return False
    return _has_init(module, owner) and not _is_jitted_method(module, owner) and not _is_own_method(module, owner)


def _is_own_method(module: Module, owner: ast.expr) -> bool:
    """Whether `update` is another method of the object whose method calls it: the work is what is in there."""
    around = module.functions_around(owner)
    is_own = bool(around) and isinstance(owner, ast.Name) and own_parameter(around[-1]) == owner.id
    here = module.method_of(around[-1]) if is_own else None
    return here is not None and any("update" in module.names.bound_in(each) for each in family(module, here))


def _has_init(module: Module, owner: ast.expr) -> bool:
    """Whether the file calls the `init` of what is called as `owner` is: names of parameters count, in any scope."""
    text = module.text(owner)
    return any(_is_called(module, init) and module.text(init.value) == text for init in module.attributes("init"))


def _is_called(module: Module, func: ast.expr) -> bool:
    parent = module.parent(func)
    return isinstance(parent, ast.Call) and (parent.func is func or jit_of(module, parent) is not None)


def _is_jitted_method(module: Module, owner: ast.expr) -> bool:
    """Whether the `update` of the class of `owner` is jitted where that class can be read."""
    if not isinstance(owner, ast.Name):
        return False
    scope = module.scope_of(owner.id, owner)
    for binding in module.bindings(owner.id, scope) if scope is not None else ():
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        for node in walk(value) if value is not None else ():
            if isinstance(node, ast.expr) and _compiles(module, node):
                return True
    return False


def _compiles(module: Module, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name):
        return jit_of(module, node) is not None
    for binding in module.bindings(node.id, module.scope_of(node.id, node)):
        if isinstance(binding.node, ast.ClassDef):
            methods = (m for m in binding.node.body if isinstance(m, ast.FunctionDef) and m.name == "update")
            return any(jitted_by_decorator(module, method) is not None for method in methods)
    return jit_of(module, node) is not None
