"""The cure as text: arrays are collected in the loop, and what was done with each is done with all of them."""

import ast
from collections.abc import Sequence

from jaxfix.api import Function, Identifiers, Module, Rewriter
from jaxfix_codemods.host_sync.deferring import Deferred, fetches


def write(module: Module, loop: ast.For, deferred: Sequence[Deferred], edit: Rewriter) -> None:
    """Rewrites all statements of one loop."""
    after = []
    for each in deferred:
        if each.moves_to is not None:
            edit.insert_before(each.moves_to.body[0], module.text(each.statement))
            edit.delete(each.statement)
            continue
        kept = module.get(_Names).of(each)
        fetched = _fetched(module, each, kept, edit.imported("jax", prefer="jax", at=loop))
        edit.insert_before(loop, f"{kept} = []")
        edit.replace(each.statement, f"{kept}.append({_kept(module, each)})")
        for shown in each.shown_in:
            edit.insert_before(shown.body[0], f"{fetched}\n{kept}.clear()")
        after.append(fetched)
    if after:
        edit.insert_after(loop, "\n".join(after))


class _Names:
    """The new variables of one module, each free in its function."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._given: dict[tuple[Function | None, str], list[ast.stmt]] = {}
        self.value = module.get(Identifiers).unused("value")

    def of(self, deferred: Deferred) -> str:
        """What is collected for a statement, the same whenever it is asked for."""
        base = f"{_name(deferred)}_on_device"
        given = self._given.setdefault((self._module.function(deferred.statement), base), [])
        if deferred.statement not in given:
            given.append(deferred.statement)
        number = given.index(deferred.statement) + 1
        while self._module.get(Identifiers).mentions(_numbered(base, number)):
            number += len(given) + 1
        return _numbered(base, number)


def _numbered(base: str, number: int) -> str:
    return base if number == 1 else f"{base}_{number}"


def _name(deferred: Deferred) -> str:
    match deferred.statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript(slice=ast.Constant(value=str() as key))))):
            return key if key.isidentifier() else deferred.target.id
    return deferred.target.id


def _kept(module: Module, deferred: Deferred) -> str:
    """What an iteration leaves: the array, or several and the numbers that go with them."""
    parts = [*dict.fromkeys(map(module.text, _collected(deferred)))]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _collected(deferred: Deferred) -> tuple[ast.expr, ...]:
    return (*deferred.numbers, *(read.value for read in deferred.reads))


def _fetched(module: Module, deferred: Deferred, kept: str, jax: str) -> str:
    """The statement that does with all that was collected what one iteration did."""
    names = _variables(module, deferred)
    values: dict[ast.AST, str] = {each: names[module.text(each)] for each in deferred.numbers}
    for read in deferred.reads:
        values[read.at if fetches(module, read) else read.value] = names[module.text(read.value)]
    loop = f"for {', '.join(names.values())} in {jax}.device_get({kept})"
    if deferred.appended is None:
        return f"{loop}:\n    {module.substitute(deferred.statement, values)}"
    call = deferred.statement.value
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return f"{module.text(call.func.value)}.extend({module.substitute(deferred.appended, values)} {loop})"


def _variables(module: Module, deferred: Deferred) -> dict[str, str]:
    """By text, the names of what was collected; a generator may use its own names, a loop would bind them."""
    collected = _collected(deferred)
    texts = [*dict.fromkeys(map(module.text, collected))]
    if deferred.appended is not None and all(isinstance(each, ast.Name) for each in collected):
        return {text: text for text in texts}
    name = module.get(_Names).value
    return {text: _numbered(name, number) for number, text in enumerate(texts, 1)}
