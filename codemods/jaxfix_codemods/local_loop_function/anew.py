"""Which functions that are handed to control flow are new objects at every call."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Module, Runs, control_flow, fresh, stay


def function_arguments(module: Module, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The function arguments of a control flow primitive, each with its role."""
    for argument, name in control_flow.function_arguments(module, call):
        if isinstance(argument, ast.List | ast.Tuple):
            yield from ((element, f"branch_{i}") for i, element in enumerate(argument.elts))
        else:
            yield argument, {"f": "body", "cond_fun": "cond", "body_fun": "body"}.get(name, name.removesuffix("_fun"))


def is_made_anew(module: Module, call: ast.Call, use: ast.expr) -> bool:
    """Whether each run of the function around `call` makes a new object for `use`."""
    if control_flow.wraps_its_functions(module, call):
        return module.function(call) is not None or bool(module.loops(call))
    match use:
        case ast.Lambda() | ast.Call() | ast.Attribute():
            is_new = fresh.made_anew(module, use) is not None
            return is_new and (module.function(call) is not None or bool(module.loops(call)))
        case ast.Name(id=name):
            scope = module.scope_of(name, use)
            if scope is module.tree:
                return module.function(call) is None and _is_defined_in_loop(module, name)
            if scope not in runs_with(module, call):
                return False
            return scope is not None and any(_makes_function(module, b.node) for b in module.bindings(name, scope))
    return False


def runs_with(module: Module, node: ast.AST) -> list[Function]:
    """The innermost function around `node`, and those around it as long as they give what is in them to nobody."""
    found: list[Function] = []
    for function in module.functions_around(node):
        found.append(function)
        is_inner = module.function(function) is not None and isinstance(function, ast.FunctionDef | ast.Lambda)
        if not is_inner or isinstance(function, ast.AsyncFunctionDef) or stay(module, function) is None:
            break
    return found


def may_be_new(module: Module, call: ast.Call, use: ast.expr) -> bool:
    """Whether `use` is what another function returned during this call: nothing tells if it is an old object."""
    if isinstance(use, ast.Name) and module.scope_of(use.id, use) is module.function(call):
        targets = [b.node for b in module.bindings(use.id, module.scope_of(use.id, use))]
        return any(isinstance(t, ast.Name) and isinstance(module.value_of(t), ast.Call) for t in targets)
    return isinstance(use, ast.Call)


def _makes_function(module: Module, node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return True
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    return value is not None and not isinstance(value, ast.Name) and fresh.made_anew(module, value) is not None


def _is_defined_in_loop(module: Module, name: str) -> bool:
    return any(isinstance(b.node, ast.FunctionDef) and module.loops(b.node) for b in module.bindings(name))


def made_at(module: Module, use: ast.expr) -> ast.AST:
    """Where the function is made; of one that is made elsewhere, and wrapped here, where it is handed over."""
    made = module.definition(use)
    return made if made is not None and module.function(made) is not None else use


def may_repeat(module: Module, use: ast.AST) -> bool:
    """Whether the function is made more than once, as far as this module tells."""
    made = made_at(module, use) if isinstance(use, ast.expr) else use
    if module.repeats(made):
        return True
    once = module.runs(made) is Runs.EAGER and (module.is_script or module.function(made) is None)
    return not once
