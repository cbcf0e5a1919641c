"""Steps that are one call of a derivative, which is put under `jax.jit` itself: no function is needed around it."""

import ast
from collections.abc import Collection

from jaxfix.api import Identifiers, Module, Rewriter, frozen, walk
from jaxfix.api.analysis import callers
from jaxfix_codemods.unjitted_update.derivatives import GRADIENTS
from jaxfix_codemods.unjitted_update.lifted import stands_at
from jaxfix_codemods.unjitted_update.rows import Row


@frozen
class Derived:
    """A derivative that a step calls with what it is given, and with nothing else.

    Attributes:
      call: the call of the step.
      made: the call that takes the derivative; where a variable is bound to it, it is for the step alone.
    """

    call: ast.Call
    made: ast.Call

    def name(self, module: Module) -> str:
        """What the jitted derivative is called: as it is, or by what is differentiated."""
        if isinstance(self.call.func, ast.Name):
            return self.call.func.id
        of = self.made.args[0]
        assert isinstance(of, ast.Name)
        how = (module.qualname(self.made.func) or "").rpartition(".")[2]
        return module.get(Identifiers).unused(f"{how}_{of.id.strip('_')}")


def derived(module: Module, row: Row, given: Collection[str], before: ast.stmt) -> Derived | None:
    """The derivative that is all that a row calls; None where a function of the row may do another thing.

    Args:
      given: what the row is passed.
      before: the statement that the derivative is to be bound before.
    """
    match row.statements, row.result:
        case (ast.Assign(value=ast.Call(func=func, args=args, keywords=[]) as call),), None:
            made = func if isinstance(func, ast.Call) else _for_one_call(module, func)
        case _:
            return None
    if made is None or not _is_plain(module, made) or {module.text(each) for each in args} != {*given}:
        return None
    return Derived(call, made) if made is not func or _stands_before(module, made, before) else None


def write(module: Module, found: Derived, name: str, jit: str, before: ast.stmt, edit: Rewriter) -> None:
    """Puts the derivative under `jit`, at its place or once before the statement."""
    if isinstance(found.call.func, ast.Name):
        edit.wrap(found.made, f"{jit}(", ")")
        return
    edit.insert_before(before, f"{name} = {jit}({module.text(found.made)})")
    edit.replace(found.call.func, name)


def _for_one_call(module: Module, func: ast.expr) -> ast.Call | None:
    """What a variable is bound to, once where its scope runs, if all that anything does with it is this call."""
    value = module.only_value(func) if isinstance(func, ast.Name) else None
    if not isinstance(func, ast.Name) or not isinstance(value, ast.Call):
        return None
    scope, statement = module.scope_of(func.id, func), module.statement(value)
    only = module.names.only_binding(func)
    if only is None or not isinstance(only.node, ast.Name) or module.parent(statement) is not scope:
        return None
    is_alone = [*module.reads(func.id, scope)] == [func]
    return value if is_alone and (scope is not module.tree or callers(module, only.node).is_closed()) else None


def _is_plain(module: Module, made: ast.Call) -> bool:
    """Whether it is a derivative of what a name stands for, with constants beside it, on one line."""
    if module.qualname(made.func) not in GRADIENTS or made.lineno != made.end_lineno:
        return False
    match made.args:
        case [ast.Name(), *others]:
            every = [*others, *(keyword.value for keyword in made.keywords)]
            return all(isinstance(node, ast.Constant | ast.Tuple | ast.Load) for each in every for node in walk(each))
    return False


def _stands_before(module: Module, made: ast.Call, before: ast.stmt) -> bool:
    """Whether the derivative can be taken before the statement, where a trace would take the same."""
    block = module.parent(before)
    if block is module.tree and not stands_at(module, made, before):
        return False
    return all(_is_bound_before(module, node, before) for node in walk(made) if isinstance(node, ast.Name))


def _is_bound_before(module: Module, name: ast.Name, before: ast.stmt) -> bool:
    """Whether all that binds the name has run where the statement does: it is an argument, or above in its block."""
    scope, block = module.scope_of(name.id, name), module.parent(before)
    for binding in module.bindings(name.id, scope):
        statement = None if isinstance(binding.node, ast.arg) else module.statement(binding.node)
        if statement is None:
            continue
        if module.parent(statement) is not scope or (scope is block and statement.lineno >= before.lineno):
            return False
    return scope is block or scope is module.tree
