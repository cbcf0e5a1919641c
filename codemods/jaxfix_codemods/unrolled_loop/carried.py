"""What a loop carries: the names that an iteration reads before it binds them, and those read after the loop."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from jaxfix.api import FUNCTIONS, Code, Declined, Module, Reason, frozen, walk
from jaxfix.api.analysis import is_bound_before, iterations, reaching

_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert, ast.Pass, ast.FunctionDef)
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)


@frozen
class Carry:
    """What a loop carries, in the order of the text.

    Attributes:
      names: read by an iteration before it binds them, or after the loop, and bound by an iteration.
      lasts: read after the loop, and bound by each iteration, and by nothing before.
      read_after: those of the `names` that something reads after the loop.
      starts: what binds each of the `names` before the loop.
      bound: all that an iteration binds.
    """

    names: tuple[str, ...]
    lasts: tuple[str, ...]
    read_after: frozenset[str]
    starts: dict[str, tuple[ast.AST, ...]]
    bound: frozenset[str]


def stores(module: Module, loop: ast.For) -> dict[str, list[ast.Name]]:
    """What the block of `loop` binds in the scope of the loop; a function that it defines has no place here."""
    scope = module.function(loop)
    found: dict[str, list[ast.Name]] = {}
    for statement in loop.body:
        for node in walk(statement):
            is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)
            if is_bound and isinstance(node, ast.Name) and module.scope_of(node.id, node) is scope:
                found.setdefault(node.id, []).append(node)
    return found


def carry_of(module: Module, loop: ast.For) -> Carry:
    """What `loop` carries.

    Raises:
      Declined: its block is not one that can be a function, or a name is read elsewhere.
    """
    bound = stores(module, loop)
    reader = _Reader(module, loop)
    surely = reader.block(loop.body, _targets(loop))
    behind = {name for name in bound if _is_read_behind(module, loop, name)}
    defined = {s.name for s in loop.body if isinstance(s, ast.FunctionDef)}
    names = [name for name in bound if name in reader.exposed or name in behind]
    for name in (*bound, *_targets(loop), *defined):
        _check_scope(module, loop, name)
    for name in defined:
        if name in reader.exposed or _is_read_behind(module, loop, name):
            raise Declined(Reason(Code.LIVE, f"the last `{name}` that it defines is called after it"))
    before = {name: _starts(module, loop, name) for name in names}
    lasts = [name for name in names if name not in reader.exposed and name in surely and not before[name]]
    starts = {name: found for name, found in before.items() if name not in lasts}
    for name, found in starts.items():
        if not found:
            raise Declined(_why_not_started(name, is_last=name not in reader.exposed))
    return Carry(tuple(starts), tuple(lasts), frozenset(behind), starts, frozenset(bound) | defined)


def _targets(loop: ast.For) -> frozenset[str]:
    return frozenset(node.id for node in walk(loop.target) if isinstance(node, ast.Name))


class _Reader:
    """Goes through the block of a loop in order; notes what is read before it is surely bound."""

    def __init__(self, module: Module, loop: ast.For) -> None:
        self._module, self._scope = module, module.function(loop)
        self.exposed: dict[str, ast.Name] = {}

    def block(self, body: Sequence[ast.stmt], bound: frozenset[str]) -> frozenset[str]:
        for statement in body:
            bound = self._statement(statement, bound)
        return bound

    def _statement(self, statement: ast.stmt, bound: frozenset[str]) -> frozenset[str]:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self._reads(test, bound)
                return self.block(body, bound) & self.block(orelse, bound)
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                self._reads(iterable, bound)
                names = frozenset(node.id for node in walk(target) if isinstance(node, ast.Name))
                after = self.block(body, bound | names)
                return after if (iterations(self._module, statement) or 0) > 0 else bound
            case ast.With(items=items, body=body) if all(item.optional_vars is None for item in items):
                for item in items:
                    self._reads(item.context_expr, bound)
                return self.block(body, bound)
        if not isinstance(statement, _PLAIN):
            raise Declined(_why_not_plain(statement))
        if isinstance(statement, ast.AugAssign):
            self._note(statement.target, bound)
        self._reads(statement, bound)
        return bound | frozenset(self._bound_by(statement))

    def _reads(self, part: ast.AST, bound: frozenset[str]) -> None:
        for node in walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._note(node, bound)

    def _note(self, node: ast.AST, bound: frozenset[str]) -> None:
        if not isinstance(node, ast.Name) or node.id in bound:
            return
        if self._module.scope_of(node.id, node) is self._scope:
            self.exposed.setdefault(node.id, node)

    def _bound_by(self, statement: ast.stmt) -> Iterator[str]:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name
            return
        for node in walk(statement):
            is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            if is_bound and isinstance(node, ast.Name) and self._module.scope_of(node.id, node) is self._scope:
                yield node.id


def _why_not_plain(statement: ast.stmt) -> Reason:
    line = statement.lineno
    if isinstance(statement, _LEAVING):
        word = type(statement).__name__.lower()
        return Reason(Code.CONDITIONAL, f"a `{word}` in line {line} ends an iteration early", line)
    if isinstance(statement, ast.While):
        return Reason(Code.NEEDS_VALUE, f"line {line} loops as long as a condition holds", line)
    return Reason(Code.SIDE_EFFECT, f"line {line} does more than compute what the next iteration needs", line)


def _is_read_behind(module: Module, loop: ast.For, name: str) -> bool:
    """Whether something outside of the loop may read what the loop has bound last."""
    scope = module.function(loop)
    found = module.bindings(name, scope)
    inside = set(walk(loop))
    for use in module.uses(name, scope):
        if use in inside or (isinstance(use.ctx, ast.Store) and not _reads_itself(module, use)):
            continue
        if any(binding.node in inside for binding in reaching(module, use, found)):
            return True
    return False


def _reads_itself(module: Module, use: ast.Name) -> bool:
    return isinstance(module.parent(use), ast.AugAssign)


def _check_scope(module: Module, loop: ast.For, name: str) -> None:
    """A function outside of the loop would go on seeing the variable as it was before the loop."""
    scope = module.function(loop)
    inside = set(walk(loop))
    for use in module.uses(name, scope):
        if use not in inside and module.function(use) is not scope:
            text = f"a function of line {use.lineno} uses `{name}`, which the loop binds"
            raise Declined(Reason(Code.OTHER_USES, text, use.lineno))
    if scope is not None and _is_shared(scope, name):
        raise Declined(Reason(Code.OTHER_USES, f"`{name}` belongs to an enclosing scope"))
    functions = (node for node in inside if isinstance(node, FUNCTIONS))
    if any(_is_shared(function, name) for function in functions):
        raise Declined(Reason(Code.SIDE_EFFECT, f"a function binds `{name}` of the enclosing loop"))


def _is_shared(function: ast.AST, name: str) -> bool:
    body: Iterable[ast.AST] = walk(function)
    return any(isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in body)


def _starts(module: Module, loop: ast.For, name: str) -> tuple[ast.AST, ...]:
    """What binds `name` before the loop; empty where nothing surely does."""
    scope = module.function(loop)
    inside = set(walk(loop))
    found = [binding.node for binding in module.bindings(name, scope) if binding.node not in inside]
    before = [
        node for node in found if isinstance(node, ast.arg) or is_bound_before(module, module.statement(node), loop)
    ]
    here = module.span(loop).start
    return tuple(node for node in found if before and (isinstance(node, ast.arg) or module.span(node).start < here))


def _why_not_started(name: str, *, is_last: bool) -> Reason:
    text = f"its last `{name}` is read after it, and some iterations do not bind it"
    return Reason(Code.CONDITIONAL, text if is_last else f"`{name}` is bound before it only under a condition")
