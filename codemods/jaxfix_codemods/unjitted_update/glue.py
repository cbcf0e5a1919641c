"""Device work that is in loops, or in functions that they call, with no gradient or update among it."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TypeGuard

from jaxfix.api import Module, Runs, Staging, Work, frozen, in_order, jitted_by_decorator, walk
from jaxfix.api.analysis import (
    DEFINED_AS,
    HOT,
    IS_USED,
    USERS,
    Use,
    default_of,
    instance_state,
    integer,
    is_eager_at,
    is_looped_at,
    is_script,
    iterations,
    jitted_names,
    last_name,
)
from jaxfix.api.library import Package, where
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.device import ENOUGH, Derived, Device, Likely, likely_callee
from jaxfix_codemods.unjitted_update.evident import wants_values
from jaxfix_codemods.unjitted_update.returned import read_by

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOST_SHOWN = 3
_MANY = 500
"""Programs of a whole run: the dispatch alone of so many takes some hundredths of a second."""

_BESIDE = 4
_LONG = 50
"""Iterations of a loop beside which what the loop around it starts is little."""
_DRAWING = where(Package.DRAWS)


@frozen
class Glue:
    """Statements of one block that run eagerly.

    Attributes:
      at: what the finding is shown at.
      shown: the calls that say what they do, or the elements that they take.
    """

    statements: tuple[ast.stmt, ...]
    at: ast.expr
    shown: tuple[ast.expr, ...]


def loose(
    module: Module,
    called: Collection[ast.FunctionDef],
    inside: Mapping[ast.For | ast.While, Sequence[ast.Call]],
) -> Iterator[tuple[ast.For | ast.While, Glue]]:
    """The loops that run eagerly and repeatedly, with what they start on the device.

    Args:
      called: functions that are found already.
      inside: loops that are.
    """
    for loop in module.get(hot_loops):
        if loop in inside or draws(module, loop):
            continue
        for block in _blocks(module, loop):
            glue = _of_block(module, block, called)
            if glue is not None:
                yield loop, glue


def hot_loops(module: Module) -> list[ast.For | ast.While]:
    """The loops that are hot, and start enough."""
    return [each for each in module.nodes(*LOOPS) if isinstance(each, LOOPS) and _is_hot_at_work(module, each)]


def _is_hot_at_work(module: Module, loop: ast.For | ast.While) -> bool:
    """First what the text of this file alone can rule out."""
    if not module.get(Likely).is_at_work(loop) or is_short(module, loop) or _is_check(module, loop):
        return False
    return is_hot(module, loop) and (module.get(Device).starts(loop) >= ENOUGH or is_seen(module, loop))


def _is_check(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether a module of a package tries out, where it is run by itself, what other files use."""
    name = module.surroundings.name
    if name is None or "." not in name or module.functions_around(loop):
        return False
    ask = module.surroundings.project.ask
    return any(isinstance(each, _DEFINITIONS) and ask(IS_USED, f"{name}.{each.name}") for each in module.tree.body)


def is_seen(module: Module, *nodes: ast.AST) -> bool:
    """Whether a traced run has dispatched many programs one by one at the lines of one of `nodes`, or below them."""
    if not module.hot:
        return False
    many = [region for region in module.hot if region.kind is Work.EAGER and region.programs >= _MANY]
    lines = {place.line for region in many for place in region.chain if place.path == region.path}
    for first, last in ((node.lineno, node.end_lineno) for node in nodes if isinstance(node, ast.stmt | ast.expr)):
        if last is not None and any(region.first <= last and first <= region.last for region in many):
            return True
        if last is not None and any(first <= line <= last for line in lines):
            return True
    return False


def seen(module: Module) -> Iterator[ast.FunctionDef]:
    """The functions in which a traced run has dispatched many programs one by one, and that are not under `jit`."""
    if not module.hot:
        return
    many = [region for region in module.hot if region.kind is Work.EAGER and region.programs >= _MANY]
    end = module.tree.body[-1].end_lineno or 0
    found: dict[ast.FunctionDef, None] = {}
    for region in many:
        around = [each for each in module.nodes(ast.FunctionDef) if _is_within(region.first, region.last, each)]
        is_all = region.first <= 1 and end <= region.last  # it is asked what a run may show
        every = module.nodes(ast.FunctionDef) if is_all else around[-1:]
        found.update(dict.fromkeys(each for each in every if isinstance(each, ast.FunctionDef)))
    for function in found:
        if not function.decorator_list and not module.get(Staging).is_only_traced(function.body[0]):
            yield function


def _is_within(first: int, last: int, function: ast.AST) -> bool:
    return isinstance(function, ast.FunctionDef) and function.lineno <= first and last <= (function.end_lineno or 0)


def is_hot(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether `loop` runs eagerly, and more than a few iterations.

    In a method of a program, and where it wants values of the host, as far as is known.
    """
    around = module.functions_around(loop)
    owner = module.method_of(around[-1]) if around else None
    is_open = owner is not None and _is_of_program(module, owner)
    if is_short(module, loop):
        return False
    if runs_in_program(module, loop):
        return True
    return (is_open or wants_values(module, loop)) and module.get(Staging).runs(loop) is Runs.UNKNOWN


def runs_in_program(module: Module, node: ast.AST) -> bool:
    """Whether `node` runs eagerly: in a script, where all that were seen to call a function run it so."""
    staging = module.get(Staging)
    if staging.is_eager(node):
        return True
    if not is_script(module) or not staging.may_be_seen(node):
        return False
    return staging.runs(node) is Runs.UNKNOWN and staging.seen(node) == frozenset({Runs.EAGER})


def _is_of_program(module: Module, owner: ast.ClassDef) -> bool:
    """Whether a class is one of a script, or of a file beside one, and of no library."""
    name = module.surroundings.name
    is_beside = (
        name is not None and "." not in name and bool(module.surroundings.project.ask(USERS, f"{name}.{owner.name}"))
    )
    return is_script(module) or is_beside


def calls_in(module: Module, around: ast.stmt) -> list[tuple[ast.Call, ast.FunctionDef]]:
    """The calls of functions of this file in `around`, a loop or a function, without those of loops in it, in order.

    Jitted ones are left out.
    """
    found = []
    for call in in_order([node for node in walk(around) if isinstance(node, ast.Call)]):
        function = likely_callee(module, call)
        loops = [loop for loop in module.loops(call) if isinstance(loop, LOOPS)]
        inner = loops[0] if loops else module.function(call)
        if isinstance(function, ast.FunctionDef) and inner is around and jitted_by_decorator(module, function) is None:
            found.append((call, function))
    return found


def least_beside(module: Module, loop: ast.stmt) -> int:
    """The programs per iteration that are worth a function: more beside an inner loop that works, and runs often."""
    device = module.get(Device)
    inner = (node for node in walk(loop) if isinstance(node, LOOPS) and node is not loop)
    long = (each for each in inner if (iterations(module, each) or _LONG) >= _LONG)
    works = any(device.starts(each) or _calls_jitted(module, each) for each in long)
    return _BESIDE * ENOUGH if works else ENOUGH


def work_of(module: Module, function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function that start programs."""
    return _work_in(module, function.body)


def works_of(module: Module, function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Those of the function itself, and of the branches in it that start enough."""
    yield work_of(module, function)
    pending = [each for each in function.body if isinstance(each, ast.If | ast.With)]
    while pending:
        outer = pending.pop(0)
        for block in (outer.body, outer.orelse if isinstance(outer, ast.If) else []):
            work = _work_in(module, block)
            if sum(map(module.get(Device).starts, work)) >= ENOUGH:
                yield work
            pending += [each for each in block if isinstance(each, ast.If | ast.With)]


def _work_in(module: Module, block: Sequence[ast.stmt]) -> list[ast.stmt]:
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
    return [each for each in block if isinstance(each, kinds) and module.get(Device).starts(each)]


def is_smaller_part(module: Module, taken: Sequence[ast.stmt], function: ast.FunctionDef) -> bool:
    """Whether most of what a call of the function starts is outside of `taken`, loops with their iterations.

    Without loops, whether over two thirds are.
    """
    share = 2 if any(isinstance(node, LOOPS) for node in walk(function)) else 3
    return share * _started_in(module, taken) < _started_in(module, function.body)


def _started_in(module: Module, block: Sequence[ast.stmt]) -> int:
    """How many programs a block starts; a loop of which the text does not say how long it is, as in one iteration."""
    started = 0
    for statement in block:
        parts = [getattr(statement, name, []) for name in ("body", "orelse")]
        if isinstance(statement, LOOPS):
            started += (iterations(module, statement) or 1) * _started_in(module, statement.body)
        elif isinstance(statement, ast.If | ast.With):
            started += max(_started_in(module, part) for part in parts)
        else:
            started += module.get(Device).starts(statement)
    return started


def has_loops_at_work(module: Module, function: ast.FunctionDef) -> bool:
    """Whether a loop of the function starts programs: under a trace it would be unrolled, where it is not anyway."""
    starts = module.get(Device).starts
    if not any(starts(loop) or _calls_jitted(module, loop) for loop in walk(function) if isinstance(loop, LOOPS)):
        return False
    staging, first = module.get(Staging), function.body[0]
    return not staging.may_be_traced(first) or Runs.TRACED not in staging.ways(first).known


def _calls_jitted(module: Module, loop: ast.AST) -> bool:
    """Whether the loop, unless it is short, calls what the file puts under `jit`, as far as names say."""
    rounds = iterations(module, loop)
    if rounds is not None and rounds < HOT:
        return False
    called = (node.func for node in walk(loop) if isinstance(node, ast.Call))
    return any(name in jitted_names(module) for func in called if (name := last_name(func)) is not None)


def looped_elsewhere(module: Module) -> Iterator[tuple[ast.FunctionDef, Use]]:
    """The functions and methods that a loop of another file calls eagerly, and that start enough, with such a call.

    Those of a package are for many callers, and are not asked about.
    """
    project = module.surroundings.project
    for function in _for_others(module):
        if function.decorator_list or module.get(Likely).of_function(function) < ENOUGH:
            continue
        found = instance_state.users(module, function)
        through = found.through_objects if _may_be_met(module, function) else ()
        every = (*(found.outside if found.is_looped_outside else ()), *through)
        if not every or module.get(Device).of_function(function) < ENOUGH or has_loops_at_work(module, function):
            continue
        eager = (use for use in every if not use.is_test and is_looped_at(use) and is_eager_at(project, use))
        use = next(eager, None)
        if use is not None:
            yield function, use


def _may_be_met(module: Module, function: ast.FunctionDef) -> bool:
    """Whether other files may meet an object of the class: they use it, or this file uses something of theirs."""
    owner, place = module.method_of(function), module.surroundings
    if owner is None or place.project.ask(IS_USED, f"{place.name}.{owner.name}"):
        return True
    of_modules = (module.qualname(each) for each in module.nodes(ast.Attribute))
    names = {*module.names.imports.values(), *filter(None, of_modules)}
    return any(place.project.ask(DEFINED_AS, place.absolute(name)) for name in names)


def _for_others(module: Module) -> Iterator[ast.FunctionDef]:
    """The functions of the file and the methods of its classes; none in a package, where many call them."""
    if "." in (module.surroundings.name or "."):
        return
    for each in module.tree.body:
        inner = each.body if isinstance(each, ast.ClassDef) else (each,)
        yield from (f for f in inner if isinstance(f, ast.FunctionDef) and not f.name.startswith("__"))


def is_short(module: Module, loop: ast.AST) -> bool:
    """Whether all loops around run a few times together, as their texts say, and nothing repeats them."""
    every = [loop, *(outer for outer in module.loops(loop))]
    rounds = 1
    for each in every:
        found = iterations(module, each)
        if found is None:
            return False
        rounds *= found
    return rounds < HOT and not module.get(Staging).repeats(every[-1])


def draws(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether each iteration draws a picture, for which all that it computes is quick."""
    calls = (node for statement in loop.body for node in walk(statement) if isinstance(node, ast.Call))
    names = (module.qualname(call.func) or "" for call in calls if not is_at_times(module, call, loop))
    return any(name.partition(".")[0] in _DRAWING for name in names)


def is_at_times(module: Module, node: ast.AST, loop: ast.AST) -> bool:
    """Whether an `if` of the loop decides whether it comes to `node`."""
    outers = iter(module.ancestors(node))
    return any(isinstance(outer, ast.If) for outer in takewhile(lambda outer: outer is not loop, outers))


def started_each(module: Module, call: ast.Call) -> float:
    """How many programs a call starts in an iteration on average, where an `if` says every how many it comes to it."""
    period = 1
    inner: ast.AST = call
    for outer in module.ancestors(call):
        if isinstance(outer, LOOPS):
            break
        if isinstance(outer, ast.If) and inner in outer.body:
            period *= _period(module, outer.test)
        inner = outer
    return module.get(Derived if period > 1 else Device).starts(call) / period


_USUAL = 10
"""Iterations between two reports, where the text does not say how many: few that people write are fewer."""


def _period(module: Module, test: ast.expr) -> int:
    """Of `step % 100 == 0`, 100; of any other test 1."""
    match test:
        case ast.Compare(
            left=ast.BinOp(op=ast.Mod(), right=every), ops=[ast.Eq()], comparators=[ast.Constant(value=int())]
        ):
            return _every(module, every)
        case ast.UnaryOp(op=ast.Not(), operand=ast.BinOp(op=ast.Mod(), right=every)):
            return _every(module, every)
    return 1


def _every(module: Module, every: ast.expr) -> int:
    """The number that it is, also as the default of a parameter."""
    known = integer(module, every)
    only = module.names.only_binding(every) if known is None and isinstance(every, ast.Name) else None
    function = module.function(every)
    if only is not None and isinstance(only.node, ast.arg) and function is not None:
        default = default_of(function, only.node.arg)
        known = integer(module, default) if default is not None else None
    return _USUAL if known is None else max(known, 1)


def _blocks(module: Module, loop: ast.For | ast.While) -> Iterator[Sequence[ast.stmt]]:
    """The block of the loop, and those of `with` statements in it."""
    pending: list[Sequence[ast.stmt]] = [loop.body]
    while pending:
        block = pending.pop()
        yield block
        pending += [statement.body for statement in block if isinstance(statement, ast.With)]


def _of_block(module: Module, block: Sequence[ast.stmt], called: Collection[ast.FunctionDef]) -> Glue | None:
    device = module.get(Device)
    found = [
        statement
        for statement in block
        if (isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) or read_by(module, statement) is not None)
        and device.starts(statement)
        and not device.takes_from_host(statement)
        and not any(_is_apart(module, call, called) for call in calls_of(statement))
    ]
    if sum(map(device.starts, found)) < ENOUGH:
        return None
    parts = [read_by(module, statement) or statement for statement in found]
    shown: list[ast.expr] = [call for part in parts for call in calls_of(part) if device.starts(call)]
    shown = shown or [node for statement in found for node in walk(statement) if _is_gathered(node, device)]
    outermost = [call for call in shown if not any(outer in shown for outer in module.ancestors(call))]
    if not outermost:
        return None
    first = {module.text(call.func if isinstance(call, ast.Call) else call): call for call in reversed(outermost)}
    chosen = tuple(sorted(first.values(), key=outermost.index))[:_MOST_SHOWN]
    return Glue(tuple(found), chosen[0], chosen)


def _is_gathered(node: ast.AST, device: Device) -> TypeGuard[ast.Subscript]:
    return isinstance(node, ast.Subscript) and device.is_gathered(node)


def _is_apart(module: Module, call: ast.Call, called: Collection[ast.FunctionDef]) -> bool:
    """Whether `call` is of a function that is found already, or that does too little to be one."""
    function = likely_callee(module, call)
    return function is not None and (function in called or 0 < module.get(Device).starts(call) < ENOUGH)


def calls_of(part: ast.AST) -> list[ast.Call]:
    """The calls in a statement or an expression, outermost first."""
    return [node for node in walk(part) if isinstance(node, ast.Call)]
