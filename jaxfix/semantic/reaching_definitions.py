"""Which of the bindings of a variable a use of it can read."""

import ast

from jaxfix.semantic.dominance import is_bound_before
from jaxfix.semantic.module import Module
from jaxfix.syntax.bindings import Binding


def reaching(module: Module, use: ast.Name, found: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """Those of `found`, the bindings of the variable that `use` reads, that can be the last one before it.

    Returns:
      In the order of `found`; all of them where the use is in another function than one of the bindings: when that
      runs is not known.
    """
    answers = module.get(_answers)
    if use not in answers:
        answers[use] = _reaching(module, use, found)
    return answers[use]


def _answers(module: Module) -> dict[ast.Name, tuple[Binding, ...]]:
    """The given definitions, which depend only on the use."""
    return {}


def _reaching(module: Module, use: ast.Name, found: tuple[Binding, ...]) -> tuple[Binding, ...]:
    function = module.function(use)
    if len(found) < 2 or any(_function_of(module, binding) is not function for binding in found):
        return found
    here = module.span(use).start
    known = [binding for binding in found if _is_certain(module, binding, use)]
    last = max(known, key=lambda binding: module.span(binding.node).start, default=None)
    loops = module.loops(use)
    if last is not None:
        loops = tuple(loop for loop in loops if loop not in module.loops(last.node))
    since = module.span(last.node).start if last is not None else 0
    return tuple(
        binding
        for binding in found
        if since <= module.span(binding.node).start
        and (_ends(module, binding) <= here or any(loop in module.ancestors(binding.node) for loop in loops))
    )


def _is_certain(module: Module, binding: Binding, use: ast.Name) -> bool:
    """Whether `use` cannot run without `binding` having run before it."""
    if isinstance(binding.node, ast.arg):
        return True
    statement = module.statement(binding.node)
    binds = isinstance(statement, ast.Assign | ast.FunctionDef | ast.ClassDef) or (
        isinstance(statement, ast.AnnAssign) and statement.value is not None
    )
    is_target = statement is binding.node or _is_target(module, binding.node, statement)
    return binds and is_target and is_bound_before(module, statement, use)


def _is_target(module: Module, node: ast.AST, statement: ast.stmt) -> bool:
    """Whether `node` is in what `statement` assigns to."""
    inner, outer = node, module.parent(node)
    while outer is not None and outer is not statement:
        inner, outer = outer, module.parent(outer)
    return inner in (statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)])


def _ends(module: Module, binding: Binding) -> int:
    """Where the value is bound: after the whole of a statement that assigns it."""
    if isinstance(binding.node, ast.arg):
        return 0
    parent = module.statement(binding.node)
    if isinstance(parent, ast.Assign | ast.AnnAssign | ast.AugAssign) and _is_target(module, binding.node, parent):
        return module.span(parent).end
    return module.span(binding.node).start


def _function_of(module: Module, binding: Binding) -> ast.AST | None:
    if isinstance(binding.node, ast.arg):
        return binding.scope
    return module.function(binding.node)
