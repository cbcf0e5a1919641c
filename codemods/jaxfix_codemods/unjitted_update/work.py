"""What of a training step runs eagerly: gradients and updates, the loops around them, the functions on the way."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from jaxfix.api import DERIVATIVES, Module, Runs, Use, callers

LOOPS = (ast.For, ast.While)
_SEARCHED = 4
_GRADIENTS = frozenset(
    name
    for name in DERIVATIVES
    if name.rpartition(".")[2].removeprefix("filter_")
    in (
        "grad",
        "value_and_grad",
        "hessian",
        "jacfwd",
        "jacrev",
    )
) - {"flax.nnx.grad", "flax.nnx.value_and_grad"}


@dataclass(frozen=True, slots=True)
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
    for call in module.all_calls():
        if module.runs(call) is not Runs.TRACED and is_work(module, call):
            yield from _ways(module, call, call, ())


def _ways(
    module: Module, work: ast.Call, call: ast.Call, calls: tuple[tuple[ast.Call | None, ast.FunctionDef], ...]
) -> Iterator[Way]:
    loop = innermost_loop(module, call)
    if loop is not None:
        yield Way(work, loop, calls)
        return
    function = module.function(call)
    if not isinstance(function, ast.FunctionDef) or len(calls) >= _SEARCHED:
        return
    if any(function is known for _, known in calls) or module.runs(call) is Runs.TRACED:
        return
    found = callers(module, function)
    for use in found.calls:
        if module.runs(use) is not Runs.TRACED:
            yield from _ways(module, work, use, ((use, function), *calls))
    for outside in found.outside:
        is_looped = outside.call is not None and outside.call.looped
        if is_looped and module.surroundings.project.runs_of(outside) is not Runs.TRACED:
            yield Way(work, None, ((None, function), *calls), outside)


def innermost_loop(module: Module, node: ast.AST) -> ast.For | ast.While | None:
    """The innermost statement that runs `node` again and again within its function."""
    return next((loop for loop in module.loops(node) if isinstance(loop, LOOPS)), None)


def is_work(module: Module, call: ast.Call) -> bool:
    """Whether `call` computes a gradient or an update, and nothing says that it is jitted."""
    if module.jit(call.func) is not None:
        return False
    return _is_gradient(module, call.func) or is_update(module, call)


def _is_gradient(module: Module, func: ast.expr, depth: int = 2) -> bool:
    match func:
        case ast.Call(func=made_by):
            return module.qualname(made_by) in _GRADIENTS
        case ast.Name(id=name) if depth and (scope := module.scope_of(name, func)) is not None:
            match [binding.node for binding in module.bindings(name, scope)]:
                case [ast.Name() as target] if (value := module.value_of(target)) is not None:
                    return _is_gradient(module, value, depth - 1) if isinstance(value, ast.Call | ast.Name) else False
    return False


def is_update(module: Module, call: ast.Call) -> bool:
    """Whether `call` is the `update` of an object whose `init` this file calls too, and unpacks what it returns."""
    match call.func, module.parent(call):
        case ast.Attribute(value=owner, attr="update"), ast.Assign(targets=[ast.Tuple(elts=elts)]) if len(elts) > 1:
            pass
        case ast.Attribute(value=owner, attr="update"), ast.Return():
            pass
        case _:
            return False
    if module.qualname(owner) in module.imports.values() or not call.args:
        return False
    return _has_init(module, owner) and not _is_jitted_method(module, owner)


def _has_init(module: Module, owner: ast.expr) -> bool:
    """Whether the file calls the `init` of what is called as `owner` is: names of parameters count, in any scope."""
    text = module.text(owner)
    for call in module.all_calls():
        match call.func:
            case ast.Attribute(value=other, attr="init") if module.text(other) == text:
                return True
    return False


def _is_jitted_method(module: Module, owner: ast.expr) -> bool:
    """Whether the `update` of the class of `owner` is jitted where that class can be read."""
    if not isinstance(owner, ast.Name):
        return False
    scope = module.scope_of(owner.id, owner)
    for binding in module.bindings(owner.id, scope) if scope is not None else ():
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        for node in ast.walk(value) if value is not None else ():
            if isinstance(node, ast.expr) and _compiles(module, node):
                return True
    return False


def _compiles(module: Module, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name):
        return module.jit(node) is not None
    for binding in module.bindings(node.id, module.scope_of(node.id, node)):
        if isinstance(binding.node, ast.ClassDef):
            methods = (m for m in binding.node.body if isinstance(m, ast.FunctionDef) and m.name == "update")
            return any(module.decorated(method) is not None for method in methods)
    return module.jit(node) is not None
