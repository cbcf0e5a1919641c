"""Which functions that are passed to control flow are new objects at every call."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Module
from jaxfix.api.analysis import control_flow_calls, function_identity, local_uses


def function_arguments(module: Module, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The function arguments of a control flow primitive, each with its role."""
    for argument, name in control_flow_calls.function_arguments(module, call):
        if isinstance(argument, ast.List | ast.Tuple):
            yield from ((element, f"branch_{i}") for i, element in enumerate(argument.elts))
        else:
            role = {"f": "body", "cond_fun": "cond", "body_fun": "body"}.get(name, name.removesuffix("_fun"))
            yield from ((chosen, role) for chosen in _alternatives(argument))


def _alternatives(argument: ast.expr) -> Iterator[ast.expr]:
    """The functions that a condition chooses from."""
    if isinstance(argument, ast.IfExp):
        yield from (*_alternatives(argument.body), *_alternatives(argument.orelse))
    else:
        yield argument


def is_made_anew(module: Module, call: ast.Call, use: ast.expr) -> bool:
    """Whether each run of the function around `call` makes a new object for `use`."""
    if control_flow_calls.wraps_its_functions(module, call):
        return module.function(call) is not None or bool(module.loops(call))
    if isinstance(use, ast.Name):
        scope = module.scope_of(use.id, use)
        is_near = module.function(call) is None if scope is module.tree else scope in runs_with(module, call)
    else:
        is_near = module.function(call) is not None or bool(module.loops(call))
    return is_near and function_identity.made_anew(module, use) is not None


def runs_with(module: Module, node: ast.AST) -> list[Function]:
    """The innermost function around `node`, and those around it as long as nothing in them escapes."""
    found: list[Function] = []
    for function in module.functions_around(node):
        found.append(function)
        is_inner = module.function(function) is not None and isinstance(function, ast.FunctionDef | ast.Lambda)
        if not is_inner or isinstance(function, ast.AsyncFunctionDef) or local_uses(module, function) is None:
            break
    return found


def may_be_new(module: Module, call: ast.Call, use: ast.expr) -> bool:
    """Whether `use` is what another function returned during this call: nothing tells if it is an old object."""
    if isinstance(use, ast.Name) and module.scope_of(use.id, use) is module.function(call):
        targets = [b.node for b in module.bindings(use.id, module.scope_of(use.id, use))]
        return any(isinstance(t, ast.Name) and isinstance(module.value_of(t), ast.Call) for t in targets)
    return isinstance(use, ast.Call)


def made_at(module: Module, use: ast.expr) -> ast.AST:
    """Where the function is made; of one that is made elsewhere, and wrapped here, where it is passed."""
    made = module.definition(use)
    return made if made is not None and module.function(made) is not None else use
