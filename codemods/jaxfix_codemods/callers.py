"""Who runs code that nothing of a file repeats: a base class elsewhere, or what traces it."""

import ast
import builtins
import sys
from collections.abc import Sequence

from jaxfix.api import Function, Module, Runs, Staging, arguments_of, direct_calls
from jaxfix.api.analysis import class_of, family, instance_state, is_enough


def is_left_to_others(module: Module, node: ast.AST) -> bool:
    """Whether nothing that was read repeats `node` outside of a trace, but code of this file traces it, or a base may.

    A method of a class whose base is elsewhere is called by that base: as a rollout, or a solver, under its own `jit`.
    """
    return (_may_be_of_base(module, node) or _is_traced(module, node)) and not _is_repeated(module, node)


def is_traced_alone(module: Module, node: ast.AST) -> bool:
    """Whether code of this file traces `node`, and nothing that was read repeats it outside of a trace."""
    return _is_traced(module, node) and not _is_repeated(module, node)


def _may_be_of_base(module: Module, node: ast.AST) -> bool:
    outer = module.functions_around(node)
    owner = module.method_of(outer[-1]) if outer else None
    classes = family(module, owner) if owner is not None else ()
    return any(_may_trace(module, base) for each in classes for base in each.bases)


def _may_trace(module: Module, base: ast.expr) -> bool:
    """Whether a base is of another file, or a library other than that of Python, which traces nothing."""
    named = base.value if isinstance(base, ast.Subscript) else base
    if isinstance(named, ast.Name) and module.scope_of(named.id, named) is None:
        return not hasattr(builtins, named.id)
    is_standard = (module.qualname(named) or "").partition(".")[0] in sys.stdlib_module_names
    return not is_standard and class_of(module, named) is None


def _is_traced(module: Module, node: ast.AST) -> bool:
    """Whether it is traced, and no other function that strangers may call leads to it without a trace."""
    ways = module.get(Staging).ways(node)
    if Runs.TRACED not in ways.known:
        return False
    around = {getattr(function, "name", "") for function in module.functions_around(node)}
    return {name.rpartition(".")[2].partition("@")[0] for name in ways.open} <= around


def _is_repeated(module: Module, node: ast.AST) -> bool:
    """Whether it runs eagerly and repeatedly, or a loop of this file leads to a function around it without a trace."""
    staging = module.get(Staging)
    if staging.repeats(node):
        return True
    pending = [*module.functions_around(node)]
    met = set(pending)
    while pending:
        for call in _calls(module, pending.pop()):
            if not staging.is_staged(call):
                if module.loops(call):
                    return True
                around = [function for function in module.functions_around(call) if function not in met]
                met.update(around)
                pending += around
    return False


def _calls(module: Module, function: Function) -> Sequence[ast.Call]:
    """The calls of a function, or of a method of what may be an object of its class."""
    if isinstance(function, ast.FunctionDef) and module.method_of(function) is not None:
        return [call for call in instance_state.users(module, function).calls if _takes(function, call)]
    return direct_calls(module, function)


def _takes(method: Function, call: ast.Call) -> bool:
    """Whether a call passes all that the method needs, as far as the text says."""
    return is_enough(method, arguments_of(method, call, bound=True) or {})
