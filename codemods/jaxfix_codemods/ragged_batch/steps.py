"""The jitted functions that batches come to."""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeGuard

from jaxfix.api import FUNCTIONS, Function, Jitted, Module, direct_calls, frozen, jitted_of, walk
from jaxfix_codemods.ragged_batch.loops import Batches

_JOINING = frozenset({"concatenate", "concat", "vstack", "hstack", "chain", "from_iterable"})
_STEPS_BETWEEN = 3
"""Statements from the result of a step to the state that it is passed next."""
_LOOPING = ("tqdm", "enumerate", "zip")


@frozen
class Step:
    """A call of a jitted function with a batch.

    Attributes:
      loop: the loop around it, which is another one than that of the slices where a generator gives the batches.
      jitted: what is called.
      around: the function, or the module, that the loop is in.
    """

    call: ast.Call
    loop: ast.For
    jitted: Jitted
    around: ast.AST

    def trains(self) -> bool:
        """Whether the function is passed what the loop computes of its results, as a state."""
        passed = {ast.unparse(arg) for arg in self.call.args if isinstance(arg, ast.Name | ast.Attribute)}
        return not passed.isdisjoint(_computed_of(self.call, self.loop))

    def collects(self, scalar: str | None = None) -> ast.AST | None:
        """Where the loop keeps results that are joined later, which may be of each row; None if nowhere.

        Args:
          scalar: a variable that is bound to a result without rows.
        """
        computed = _computed_of(self.call, self.loop) - {scalar}
        for node in walk(self.loop):
            match node:
                case ast.Call(func=ast.Attribute(value=kept, attr="append" | "extend"), args=[value]):
                    names = {ast.unparse(each) for each in ast.walk(value) if isinstance(each, ast.Name)}
                    if (names & computed or self.call in ast.walk(value)) and ast.unparse(kept) in _joined(self.around):
                        return node
                case ast.Assign(targets=[ast.Subscript(slice=index)]) if any(
                    isinstance(each, ast.Slice) for each in ast.walk(index)
                ):
                    return node
        return None


def steps(module: Module, found: Batches) -> tuple[Step, ...]:
    """The calls that take the batches of a loop, also through a generator of the same file."""
    own = tuple(_in(module, found.loop, found.holds))
    return own or tuple(_by_generator(module, found))


def _in(module: Module, loop: ast.For, is_batch: Callable[[ast.AST], bool]) -> Iterator[Step]:
    for call in walk(loop):
        if not isinstance(call, ast.Call) or not any(is_batch(arg) for arg in _given(call)):
            continue
        jitted = jitted_of(module, call.func)
        if jitted is not None:
            yield Step(call, loop, jitted, module.function(loop) or module.tree)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _by_generator(module: Module, found: Batches) -> Iterator[Step]:
    function = module.function(found.loop)
    if not isinstance(function, ast.FunctionDef) or not any(_yields(each, found) for each in walk(found.loop)):
        return
    for call in direct_calls(module, function):
        loop = _over(module, call)
        names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)} if loop is not None else set()
        if loop is not None:
            yield from _in(module, loop, partial(_reads, names))


def _yields(node: ast.AST, found: Batches) -> bool:
    return isinstance(node, ast.Yield) and node.value is not None and found.holds(node.value)


def _reads(names: set[str], node: ast.AST) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _over(module: Module, call: ast.Call) -> ast.For | None:
    """The loop over what a call gives."""
    parent: ast.AST | None = module.parent(call)
    while isinstance(parent, ast.Call) and ast.unparse(parent.func).rpartition(".")[2] in _LOOPING:
        call, parent = parent, module.parent(parent)
    return parent if isinstance(parent, ast.For) and parent.iter is call else None


def unread_calls(module: Module, found: Batches) -> ast.Call | None:
    """A call of the generator whose batches do not come to a step; None if all do, or there is no generator."""
    function = module.function(found.loop)
    if not isinstance(function, ast.FunctionDef) or not any(_yields(each, found) for each in walk(found.loop)):
        return None
    taken = {step.loop for step in _by_generator(module, found) if step.trains()}
    return next((call for call in direct_calls(module, function) if _over(module, call) not in taken), None)


def _computed_of(call: ast.Call, loop: ast.For) -> set[str]:
    """What the loop binds to the result of a call, and to what it computes of that, as it is written."""
    found: set[str] = set()
    for _ in range(_STEPS_BETWEEN):
        for node in walk(loop):
            if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) or node.value is None:
                continue
            read = {ast.unparse(each) for each in ast.walk(node.value) if isinstance(each, ast.Name | ast.Attribute)}
            if call in ast.walk(node.value) or read & found:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                parts = (each for target in targets for each in ast.walk(target))
                found |= {ast.unparse(each) for each in parts if _is_bound(each)}
    return found


def _is_bound(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)


def _joined(around: ast.AST) -> set[str]:
    """The lists that a function joins along their rows, as they are written."""
    calls = (each for each in walk(around) if isinstance(each, ast.Call))
    joining = (each for each in calls if ast.unparse(each.func).rpartition(".")[2] in _JOINING)
    return {ast.unparse(part) for call in joining for arg in call.args for part in ast.walk(arg)}


def traced(module: Module, step: Step) -> ast.FunctionDef | None:
    """The function that a step runs: the one under `jit`, or the one whose gradient is."""
    function: Function | None = step.jitted.function
    match step.jitted.at:
        case ast.Call(args=[ast.Call() as made, *_]) if function is None:
            function = _differentiated(module, ast.Call(made, [], []))
    return function if isinstance(function, ast.FunctionDef) else None


def value_of(module: Module, step: Step) -> str | None:
    """The variable that a step binds to a loss, which has no rows; None where it is none, or of no name."""
    target = getattr(module.parent(step.call), "targets", [None])[0]
    match step.jitted.at, target:
        case ast.Call(args=[ast.Call(func=maker, keywords=[])]), ast.Tuple(elts=[ast.Name(id=name), _]):
            return name if ast.unparse(maker).endswith("value_and_grad") else None
    return None


def losses(module: Module, step: Step) -> tuple[tuple[Function, ast.Call | None], ...]:
    """The functions of the file that a step computes with, each with the call that it is given its arguments by.

    That is None for the step itself and for functions inside of it.
    """
    function = traced(module, step)
    if function is None:
        return ()
    inside = [each for each in ast.walk(function) if isinstance(each, FUNCTIONS)]
    found: list[tuple[Function, ast.Call | None]] = [(each, None) for each in inside]
    for call in (each for each in ast.walk(function) if isinstance(each, ast.Call)):
        made = _differentiated(module, call)
        if made is not None and made not in inside:
            found.append((made, call))
    return tuple(found)


def _differentiated(module: Module, call: ast.Call) -> Function | None:
    """The function of the file that a call evaluates: itself, or by its gradient."""
    match call.func:
        case ast.Call(args=[ast.Name() as name, *_]) as maker if (module.qualname(maker.func) or "").endswith("grad"):
            return module.definition(name)
        case ast.Name() as name:
            return module.definition(name)
    return None
