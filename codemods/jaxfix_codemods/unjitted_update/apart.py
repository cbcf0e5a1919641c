"""Two jitted programs of an iteration, of which one makes what the other alone takes: a gradient and its update."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Module, frozen, jit_of, walk
from jaxfix.api.analysis import argument_values, binds_again, jitted_names, last_name
from jaxfix.api.library import Transform, where
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.glue import draws, is_hot

_PLAIN_JIT = where(Transform.COMPILES) & where(Transform.SAME_RESULT)


@frozen
class Apart:
    """Assignments of one block, each of a call of a jitted function, the last of which takes what the others make.

    Attributes:
      loop: the loop that runs them.
      passed: the variables that one makes for another alone.
    """

    loop: ast.For | ast.While
    statements: tuple[ast.Assign, ...]
    passed: tuple[str, ...]

    @property
    def calls(self) -> tuple[ast.Call, ...]:
        """What they call, in order."""
        return tuple(each.value for each in self.statements if isinstance(each.value, ast.Call))


def apart(module: Module) -> Iterator[Apart]:
    """The programs of loops that run eagerly, and go on from what the last of them returns."""
    for loop in module.nodes(*LOOPS):
        if not isinstance(loop, LOOPS) or len(loop.body) < 2:
            continue
        calling = [each for each in loop.body if type(each) is ast.Assign and type(each.value) is ast.Call]
        if len(calling) < 2:
            continue
        jitted = [each for each in calling if _is_plain(module, each)]
        found = _chain(module, loop, jitted) if len(jitted) > 1 else None
        if found is not None and is_hot(module, loop) and not draws(module, loop):
            yield found


def _is_plain(module: Module, statement: ast.Assign) -> bool:
    """Whether it calls what a plain `jit` made: static arguments and donations would have to be said again."""
    assert isinstance(statement.value, ast.Call)
    func = statement.value.func
    found = jit_of(module, func) if last_name(func) in jitted_names(module) else None
    return found is not None and found.by in _PLAIN_JIT and found.static == found.donated == ()


def _chain(module: Module, loop: ast.For | ast.While, jitted: Sequence[ast.Assign]) -> Apart | None:
    """The first of the calls that rebinds what it is passed, with those before it that work for it alone."""
    for at, last in enumerate(jitted):
        assert isinstance(last.value, ast.Call)
        if not any(binds_again(module, last.value, given) for given in argument_values(last.value)):
            continue
        chosen, passed = [last], list[str]()
        for before in reversed(jitted[:at]):
            only = [name.id for name in _bound(before) if _is_for(module, name, chosen)]
            if only:
                chosen, passed = [before, *chosen], [*only, *passed]
        if passed and not _may_stop(loop, chosen):
            return Apart(loop, tuple(chosen), tuple(passed))
    return None


def _may_stop(loop: ast.For | ast.While, chosen: Sequence[ast.Assign]) -> bool:
    """Whether a statement between them may end the loop, or raise what a caller catches."""
    between = loop.body[loop.body.index(chosen[0]) : loop.body.index(chosen[-1])]
    stops = (ast.Assert, ast.Raise, ast.Return, ast.Break, ast.Continue, ast.Try, ast.With)
    return any(isinstance(node, stops) for statement in between for node in walk(statement))


def _bound(statement: ast.Assign) -> list[ast.Name]:
    return [node for node in walk(statement.targets[0]) if isinstance(node, ast.Name)]


def _is_for(module: Module, name: ast.Name, takers: Sequence[ast.Assign]) -> bool:
    """Whether the variable is bound there alone, and read by the calls of `takers` alone."""
    scope = module.scope_of(name.id, name)
    inside = {node for each in takers for node in walk(each.value)}
    reads = module.reads(name.id, scope)
    is_one = len(module.bindings(name.id, scope)) == 1
    return is_one and bool(reads) and all(use in inside for use in reads)
