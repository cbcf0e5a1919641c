"""Which uses of a key can follow on one another without another key in between."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from jaxfix.api import Module, frozen, walk
from jaxfix.api.analysis import iterations
from jaxfix_codemods.key_reuse.uses import Use

Way = tuple[tuple[ast.AST, str], ...]
"""What has to be so for a line to run: nodes that decide it, each with what they decide."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEAVING = frozenset({ast.Return, ast.Break, ast.Continue})


@frozen
class Pair:
    """Two uses of one key; `again` where the first one was in an earlier iteration of a loop."""

    first: Use
    second: Use
    again: bool = False


@frozen
class _Past:
    """A use that has been, and on what way; `again` of an earlier round."""

    use: Use
    way: Way
    again: bool = False


_Pasts = frozenset[_Past]
_NONE: _Pasts = frozenset()


def pairs(module: Module, uses: Sequence[Use]) -> tuple[Pair, ...]:
    """The uses of one key that follow on one another, where the first or the second runs whenever the other does.

    Args:
      uses: of one place of one variable of one function, or of the module, which nothing else binds.
    """
    scope = module.function(uses[0].at)
    body = module.tree.body if scope is None else scope.body
    following = _Following(module, uses)
    if isinstance(body, list):
        following.block(body, _NONE, ())
    else:
        following.evaluated(body, _NONE, ())
    return tuple(following.found.values())


class _Following:
    """One walk along the ways of a function."""

    def __init__(self, module: Module, uses: Sequence[Use]) -> None:
        self._module = module
        self._uses = uses
        self._binding = frozenset(_bound_at(module, uses[0]))
        self._leaving: list[list[_Pasts]] = []
        self.found: dict[tuple[Use, Use], Pair] = {}

    def block(self, body: Sequence[ast.stmt], past: _Pasts, way: Way) -> _Pasts | None:
        """What has been used after `body`; None where nothing comes after it."""
        after: _Pasts | None = past
        for statement in body:
            if after is None:
                break
            after = self._statement(statement, after, way)
            if _may_leave(statement):
                way = (*way, (statement, "goes on"))
        return after

    def _statement(self, statement: ast.stmt, past: _Pasts, way: Way) -> _Pasts | None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return self._bound(statement, past)
            case ast.If(test=test, body=body, orelse=orelse):
                past = self.evaluated(test, past, way)
                return _joined(self._arms(statement, [body, orelse], past, way))
            case ast.Match(subject=subject, cases=cases):
                past = self.evaluated(subject, past, way)
                bodies = [case.body for case in cases]
                return _joined([self._bound(statement, past), *self._arms(statement, bodies, past, way)])
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(statement, past, way)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    past = self.evaluated(item.context_expr, past, way)
                return self.block(body, self._bound(statement, past), way)
            case ast.Try() | ast.TryStar():
                return self._try(statement, past, way)
            case ast.Return() | ast.Raise() | ast.Assert(test=ast.Constant(value=False)):
                self.evaluated(statement, past, way)
                return None
            case ast.Break() | ast.Continue():
                if self._leaving:
                    self._leaving[-1].append(past)
                return None
        return self._bound(statement, self.evaluated(statement, past, way))

    def _arms(
        self, statement: ast.stmt, bodies: Sequence[Sequence[ast.stmt]], past: _Pasts, way: Way
    ) -> list[_Pasts | None]:
        past = self._bound(statement, past) if isinstance(statement, ast.Match) else past
        return [self.block(body, past, (*way, (statement, str(at)))) for at, body in enumerate(bodies)]

    def _try(self, statement: ast.Try | ast.TryStar, past: _Pasts, way: Way) -> _Pasts | None:
        done = self.block(statement.body, past, (*way, (statement, "body")))
        if done is not None:
            done = self.block(statement.orelse, done, way)
        caught = [
            self.block(handler.body, self._bound(statement, past), (*way, (handler, "caught")))
            for handler in statement.handlers
        ]
        after = _joined([done, *caught])
        last = self.block(statement.finalbody, past if after is None else after, way)
        return None if after is None else last

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While, past: _Pasts, way: Way) -> _Pasts | None:
        if not isinstance(loop, ast.While):
            past = self.evaluated(loop.iter, past, way)
        inside = (*way, (loop, "round"))
        self._leaving.append([])
        after = self._round(loop, past, inside)
        if after is not None and (iterations(self._module, loop) or 2) > 1:
            earlier = frozenset(replace(each, again=True) if (loop, "round") in each.way else each for each in after)
            self._round(loop, earlier, inside)
        ended = _joined([past, after, *self._leaving.pop()])
        return self.block(loop.orelse, ended or _NONE, way)

    def _round(self, loop: ast.For | ast.AsyncFor | ast.While, past: _Pasts, way: Way) -> _Pasts | None:
        if isinstance(loop, ast.While):
            past = self.evaluated(loop.test, past, way)
        return self.block(loop.body, self._bound(loop, past), way)

    def _bound(self, statement: ast.stmt, past: _Pasts) -> _Pasts:
        return _NONE if statement in self._binding else past

    def evaluated(self, node: ast.AST, past: _Pasts, way: Way) -> _Pasts:
        """What has been used after an expression, or a statement without blocks."""
        for use in self._uses:
            if use.at is node or node in self._module.ancestors(use.at):
                inside = (*way, *_within(self._module, use, node))
                self._meet(use, past, inside)
                if any(isinstance(loop, _COMPREHENSIONS) for loop in self._module.loops(use.at)):
                    self._add(Pair(use, use, again=True))
                past |= {_Past(use, inside)}
        return past

    def _meet(self, use: Use, past: _Pasts, way: Way) -> None:
        for each in sorted(past, key=lambda each: (each.use.at.lineno, each.use.at.col_offset)):
            if _follows(each.way, way):
                self._add(Pair(each.use, use, each.again))

    def _add(self, pair: Pair) -> None:
        if (pair.second, pair.first) not in self.found:
            self.found.setdefault((pair.first, pair.second), pair)


def _follows(first: Way, second: Way) -> bool:
    """Whether one of two lines runs whenever the other does."""
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    return common in (len(first), len(second))


def _within(module: Module, use: Use, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What decides in an expression whether a part of it is evaluated, from the outside in."""
    found: list[tuple[ast.AST, str]] = []
    inner: ast.AST = use.at
    for outer in module.ancestors(use.at) if use.at is not node else ():
        match outer:
            case ast.IfExp(body=body, orelse=orelse) if inner in (body, orelse):
                found.append((outer, "yes" if inner is body else "no"))
            case ast.BoolOp(values=[first, *_]) if inner is not first:
                found.append((outer, "asked"))
        if outer is node:
            break
        inner = outer
    yield from reversed(found)


def _bound_at(module: Module, use: Use) -> Iterator[ast.stmt]:
    """The statements that put another key there."""
    scope = module.scope_of(use.variable.id, use.variable)
    for name in module.uses(use.variable.id, scope):
        parent = module.parent(name)
        is_filled = isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load)
        if not isinstance(name.ctx, ast.Load) or is_filled:
            yield module.statement(name)
    for binding in module.bindings(use.variable.id, scope):
        if not isinstance(binding.node, ast.arg):
            yield module.statement(binding.node)


def _joined(pasts: Sequence[_Pasts | None]) -> _Pasts | None:
    known = [past for past in pasts if past is not None]
    return _NONE.union(*known) if known else None


def _may_leave(statement: ast.stmt) -> bool:
    return not _LEAVING.isdisjoint(map(type, walk(statement)))
