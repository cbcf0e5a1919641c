"""Functions that are created on purpose: a caller's loop has each of them compute with another function."""

import ast

from jaxfix.dataflow.call_graph import callers
from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.motion import hoisting
from jaxfix.semantic.module import Module
from jaxfix.staging import traced_uses
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import jitted_by_decorator
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import parameters_of, positional_of

"""Calls between a loop and what is created in it."""


def varies_by_callers(module: Module, function: Function, made: ast.AST) -> bool:
    """Whether every caller that surely repeats gives `function`, made at `made`, another part of the program.

    That is a parameter around it that it calls, or uses otherwise than as an array, and a caller's loop rebinds:
    `for model in models: train(model, x)`. What other files pass is unknown.
    """
    outer = module.function(made)
    if outer is None or module.loops(made):
        return False
    names = {
        name
        for name in hoisting.outer_names(module, function, outer)
        for one in hoisting.taken(module, function, name)
        if any(traced_uses.concrete_use(module, use) is not None for use in one.uses)
    }
    return module.get(_bound_by_loops)((outer, _sources(module, outer, names)))


def _sources(module: Module, outer: Function, names: set[str]) -> frozenset[str]:
    """`names`, with the variables that those of `outer` among them are made of, or read as functions."""
    pending, found = list(names), set[str]()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            for binding in module.bindings(name, outer):
                if isinstance(binding.node, ast.FunctionDef):
                    pending += hoisting.free_names(module, binding.node)
                    continue
                value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
                pending += [node.id for node in walk(value) if isinstance(node, ast.Name)] if value else []
    return frozenset(found)


def _bound_by_loops(module: Module) -> Solver[tuple[Function, frozenset[str]], bool]:
    """Whether the loops around all calls of a function that surely repeat rebind one of its parameters."""
    return Solver(lambda asked: _vary(module, *asked), EXISTS)


def _vary(module: Module, outer: Function, names: frozenset[str]) -> bool:
    if not isinstance(outer, ast.FunctionDef):
        return False
    parameters = frozenset(a.arg for a in parameters_of(outer.args)) & names
    if not parameters or module.loops(outer) or jitted_by_decorator(module, outer) is not None:
        return False
    sure = [call for call in callers(module, outer).calls if module.get(Staging).surely_repeats(call)]
    return all(any(_varies(module, call, outer, name) for name in parameters) for call in sure)


def _varies(module: Module, call: ast.Call, outer: ast.FunctionDef, name: str) -> bool:
    passed = _passed(module, call, outer, name)
    loops = set(module.loops(call))
    own = set[str]()
    for node in walk(passed) if passed is not None else ():
        if isinstance(node, ast.Name) and (scope := module.scope_of(node.id, node)) is not None:
            bound = [binding.node for binding in module.bindings(node.id, scope)]
            if any(loops & set(module.ancestors(other)) for other in bound):
                return True
            if scope is module.function(call):
                own.add(node.id)
    around = module.function(call)
    return around is not None and bool(own) and module.get(_bound_by_loops)((around, _sources(module, around, own)))


def _passed(module: Module, call: ast.Call, outer: ast.FunctionDef, name: str) -> ast.expr | None:
    """What `call` passes for the parameter; None for a default, and where that cannot be determined."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    positional = [a.arg for a in positional_of(outer.args)]
    if name not in positional or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    index = positional.index(name)
    if module.method_of(outer) is not None and isinstance(call.func, ast.Attribute):
        if index == 0:
            return call.func.value
        index -= 1
    return call.args[index] if index < len(call.args) else None
