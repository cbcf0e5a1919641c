"""The method by which a library applies a model, where callers pass it: `evaluate(params, batches, model.apply)`."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import DEFINED_AS, Values, class_of, effects, family, methods, own_parameter, why_unstable
from jaxfix.api.library import Class, Effect, Member, short_names, where
from jaxfix_codemods.jitting.elsewhere import check_elsewhere, used
from jaxfix_codemods.looping.parameters import passed

_APPLYING = short_names(Effect.APPLIES) - short_names(Member.TREE)
_COPIED = where(Class.COPIED)
_UNHASHABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_RUN = ("__call__", "setup")
"""The methods of a model that applying it runs."""


def applied(module: Module, func: ast.expr) -> tuple[ast.Attribute, ...]:
    """Such methods that `func` is, or that the callers of its function pass for it; empty where one passes another."""
    found, seen = list[ast.Attribute](), set[ast.AST]()
    pending: list[ast.AST] = [func]
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        if isinstance(each, ast.Attribute) and is_method(module, each):
            found.append(each)
            continue
        given = _given_for(module, each) if isinstance(each, ast.Name) else ()
        if not given:
            return ()
        pending += given
    return tuple(found)


def is_method(module: Module, func: ast.Attribute) -> bool:
    """Whether `func` is called as such a method is, and no class of this file defines it."""
    if func.attr not in _APPLYING or not isinstance(func.value, ast.Name) or module.qualname(func) is not None:
        return False
    return func.attr not in module.names.defining


def holds_model(module: Module, values: Values, holder: ast.expr) -> bool:
    """Whether all that `holder` may be are models that a library applies, and that a static argument may be."""
    sources = values.origins.of(holder)
    return bool(sources) and all(is_model(module, each) for each in sources)


def is_model(module: Module, source: ast.AST) -> bool:
    """Whether `source` makes such a model, by a class of this file or code of another one; its fields can be hashed."""
    if not isinstance(source, ast.Call):
        return False
    given = (*source.args, *(keyword.value for keyword in source.keywords))
    if any(isinstance(module.only_value(each) or each, _UNHASHABLE) or _changes(module, each) for each in given):
        return False
    owner = class_of(module, source.func)
    if owner is None:
        qualname, surroundings = module.qualname(source.func), module.surroundings
        return qualname is not None and bool(surroundings.project.ask(DEFINED_AS, surroundings.absolute(qualname)))
    return any(module.qualname(base) in _COPIED for each in family(module, owner) for base in each.bases)


def _changes(module: Module, given: ast.expr) -> bool:
    """Whether a model is given an object of a class of this file that may change."""
    made = module.only_value(given) if isinstance(given, ast.Name) else None
    scope = module.scope_of(given.id, given) if isinstance(given, ast.Name) else None
    if not isinstance(given, ast.Name) or scope is None or not isinstance(made, ast.Call):
        return False
    return class_of(module, made.func) is not None and why_unstable(module, given.id, scope) is not None


def check_applied(module: Module, values: Values, method: ast.Attribute) -> None:
    """Refuses a model that can be another one, or that does more than a trace of it would do once.

    Raises:
      Declined: it can, or does.
    """
    holder = method.value
    scope = module.scope_of(holder.id, holder) if isinstance(holder, ast.Name) else None
    if not isinstance(holder, ast.Name) or scope is None:
        raise Declined(Reason(Code.UNREAD, f"`{module.text(method)}` is unknown"))
    reason = why_unstable(module, holder.id, scope)
    if reason is not None:
        raise Declined(reason)
    check_elsewhere(module, values, used(module, [method]))
    _check_runs(module, values, method)


def check_used(module: Module, values: Values, parts: Iterable[ast.AST]) -> None:
    """Refuses code that uses a function of another file, or applies a model, that does more than compute.

    Raises:
      Declined: it does more than a trace of it would do once.
    """
    nodes = [*used(module, parts)]
    check_elsewhere(module, values, nodes)
    check_applications(module, values, nodes)


def check_applications(module: Module, values: Values, nodes: Iterable[ast.AST]) -> None:
    """Refuses nodes of which one applies a model of this file that does more than compute.

    Raises:
      Declined: it does more than a trace of it would do once.
    """
    for node in nodes:
        if isinstance(node, ast.Attribute) and is_method(module, node):
            _check_runs(module, values, node)


def _check_runs(module: Module, values: Values, method: ast.Attribute) -> None:
    for run in _runs(module, values, method.value):
        own = f"`{own_parameter(run)}."
        reason = next((each for each in effects(module, run, own=True) if own not in each.text), None)
        reason = reason or _why_settings_unstable(module, run)
        if reason is not None:
            raise Declined(reason.restated(f"`{module.text(method)}` runs `{run.name}`: {reason}"))


def _why_settings_unstable(module: Module, run: ast.FunctionDef) -> Reason | None:
    """Why a variable of the module that a method reads may be another one at a later call, or be refilled."""
    read = (node for node in walk(run) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    for name in sorted({node.id for node in read if module.scope_of(node.id, node) is module.tree}):
        bound = module.bindings(name, module.tree)
        if any(isinstance(each.node, ast.Name) for each in bound):
            reason = why_unstable(module, name, module.tree)
            if reason is not None:
                return reason.restated(f"it reads `{name}`: {reason}")
    return None


def _runs(module: Module, values: Values, holder: ast.expr) -> Iterator[ast.FunctionDef]:
    """The methods that applying a model of this file runs: those of its layers too, and its own that they call.

    What a method does with its object is up to the library.
    """
    made = [source.func for source in values.origins.of(holder) if isinstance(source, ast.Call)]
    pending = [(owner, name) for func in made if (owner := class_of(module, func)) is not None for name in _RUN]
    met = set(pending)
    while pending:
        owner, name = pending.pop()
        for run in methods(family(module, owner), name):
            yield run
            new = [each for each in _run_by(module, owner, run) if each not in met]
            met.update(new)
            pending += new


def _run_by(module: Module, owner: ast.ClassDef, run: ast.FunctionDef) -> Iterator[tuple[ast.ClassDef, str]]:
    for node in walk(run):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == own_parameter(run):
                yield owner, attr
            case ast.Name() if (layer := class_of(module, node)) is not None:
                yield from ((layer, each) for each in _RUN)


def _given_for(module: Module, name: ast.Name) -> tuple[ast.AST, ...]:
    """What the uses of its function pass for a parameter."""
    binding = module.names.only_binding(name)
    return passed(module, binding.node) if binding is not None and isinstance(binding.node, ast.arg) else ()
