"""Calls, in a loop, of a function that makes a jitted one: what it makes compiles again at every iteration."""

import ast
from collections.abc import Iterator

from jaxfix.api import (
    Code,
    Declined,
    Identifiers,
    Module,
    Reason,
    Rewriter,
    Staging,
    arguments_of,
    frozen,
    jitted_by_decorator,
    jitted_of,
    returned,
    walk,
)
from jaxfix.api.analysis import (
    FACTORY,
    Factory,
    LocalUses,
    always_runs,
    effects,
    function_identity,
    hoisting,
    induction,
    local_uses,
    purity,
    why_unstable,
)
from jaxfix_codemods.local_jit import advance, unchanged
from jaxfix_codemods.local_jit.judging import are_constants
from jaxfix_codemods.local_jit.sites import is_bound_in

_LOOPS = (ast.For, ast.While)


@frozen
class Made:
    """A call of a factory in a loop, and what is done with the function that it returns.

    Attributes:
      loops: the statements around the call within its function, from the inside out.
      name: the variable that the function is bound to; None where it is called at once.
    """

    call: ast.Call
    factory: ast.FunctionDef
    loops: tuple[ast.For | ast.While, ...]
    stay: LocalUses
    name: ast.Name | None


@frozen
class Move:
    """Where the call is to stand: before a loop."""

    made: Made
    before: ast.For | ast.While


def made_in_loops(module: Module) -> Iterator[Made]:
    """The calls that make a jitted function at every iteration of a loop, which the loop calls."""
    for call in module.get(induction.calls_in_loops):
        loops = tuple(loop for loop in module.loops(call) if isinstance(loop, _LOOPS))
        factory = module.definition(call.func) if loops else None
        if not isinstance(factory, ast.FunctionDef) or not function_identity.makes_jitted(module, factory):
            continue
        uses = _calls_in(module, call, loops[0])
        if uses is None or not _runs_again(module, call):
            continue
        found = Made(call, factory, loops, uses, uses.targets[0] if uses.targets else None)
        if not _varies_by_design(module, found):
            yield found


def made_elsewhere(module: Module) -> Iterator[tuple[ast.Call, LocalUses]]:
    """As `made_in_loops`, of factories of other files: the calls, and what becomes of what they make."""
    for call in module.get(induction.calls_in_loops):
        qualname = module.qualname(call.func) if _is_kept_as_it_is(module, call) else None
        factory = module.surroundings.project.ask(FACTORY, qualname) if qualname is not None else None
        if factory is None:
            continue
        loop = next((loop for loop in module.loops(call) if isinstance(loop, _LOOPS)), None)
        uses = _calls_in(module, call, loop) if loop is not None else None
        if loop is None or uses is None:
            continue
        if _runs_again(module, call) and _makes_the_same(module, call, factory, loop):
            yield call, uses


def _is_kept_as_it_is(module: Module, call: ast.Call) -> bool:
    """Whether what `call` returns is called at once, or bound to a variable."""
    match module.parent(call):
        case ast.Call(func=func):
            return func is call
        case ast.Assign(targets=[ast.Name()]):
            return True
    return False


def _calls_in(module: Module, call: ast.Call, loop: ast.For | ast.While) -> LocalUses | None:
    """What becomes of what `call` makes, where each iteration makes it, and calls it."""
    uses = local_uses(module, call) if always_runs(module, call, loop) else None
    if uses is None or not any(loop in module.ancestors(each) for each in uses.calls):
        return None
    return uses


def _runs_again(module: Module, call: ast.Call) -> bool:
    return not module.get(Staging).is_staged(call) and module.get(Staging).may_repeat(call)


# --- what changes between iterations ------------------------------------------------------------------------------


def _varies_by_design(module: Module, made: Made) -> bool:
    """Whether each iteration makes another program on purpose: of what it binds, as more than an array."""
    varying = [
        parameter
        for parameter, argument in (arguments_of(made.factory, made.call) or {}).items()
        if argument is not None and any(is_bound_in(module, name, made.loops[0]) for name in _names(argument))
    ]
    captures = module.captures(made.factory)
    if captures is None:
        return True
    varying += [name for name in captures.free | captures.globals if _is_rebound(module, name, made)]
    return not all(function_identity.is_data(module, name, made.factory) for name in varying)


def _makes_the_same(module: Module, call: ast.Call, factory: Factory, loop: ast.For | ast.While) -> bool:
    """Whether each iteration makes the same program: what the loop binds is passed on as data alone."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or len(call.args) > len(factory.parameters):
        return False
    given = [*zip(factory.parameters, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    varying = (name for name, value in given if any(is_bound_in(module, read, loop) for read in _names(value)))
    return all(name in factory.data for name in varying)


def _is_rebound(module: Module, name: str, made: Made) -> bool:
    """Whether the loop binds a variable that the factory takes from around it."""
    scope = module.scope_of(name, made.factory)
    bound = module.bindings(name, scope) if scope is not None else ()
    return any(made.loops[0] in module.ancestors(binding.node) for binding in bound)


def _names(expr: ast.expr) -> Iterator[ast.Name]:
    yield from (node for node in walk(expr) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


# --- whether it can move ------------------------------------------------------------------------------------------


def judge(module: Module, made: Made) -> Move:
    """Where the call can stand.

    Raises:
      Declined: nowhere else, and why.
    """
    hoisting.check_text(module, made.call, "it")
    _check_factory(module, made.factory)
    _check_variable(module, made)
    _check_static(module, made)
    before = None
    for loop in made.loops:
        if before is not None and not always_runs(module, before, loop):
            break  # what it is made of may be there for the inner loop alone
        try:
            _check_loop(module, made, loop)
        except Declined:
            if before is None:
                raise
            break
        before = loop
    assert before is not None
    return Move(made, before)


def _check_factory(module: Module, factory: ast.FunctionDef) -> None:
    """Refuses a function that does more than make another one, or that makes one which reads what can change."""
    is_global = module.parent(factory) is module.tree
    reason = why_unstable(module, factory.name, module.tree) if is_global else None
    if reason is not None:
        raise Declined(reason.restated(f"it is created by `{factory.name}`: {reason}"))
    reason = next(effects(module, factory), None) or purity(module, factory).reason
    if reason is not None:
        raise Declined(reason.restated(f"`{factory.name}` cannot be called once: {reason}"))
    free = module.captures(factory)
    for name in sorted(free.free) if free is not None else ():
        scope = module.scope_of(name, factory)
        reason = why_unstable(module, name, scope, around=factory) if scope is not None else None
        if reason is not None:
            raise Declined(reason.restated(f"`{factory.name}` reads `{name}`: {reason}"))


def _check_variable(module: Module, made: Made) -> None:
    if made.name is None:
        return
    statement = module.statement(made.name)
    if len(made.stay.targets) > 1 or module.value_of(made.name) is not made.call:
        raise Declined(Reason(Code.CONDITIONAL, f"the value of `{made.name.id}` depends on a condition"))
    if not isinstance(statement, ast.Assign) or statement not in made.loops[0].body:
        raise Declined(Reason(Code.LAYOUT, f"`{made.name.id}` is bound inside another statement"))


def _check_static(module: Module, made: Made) -> None:
    """Refuses a function that distinguishes calls by an object, which may read other values by now."""
    for result in returned(made.factory):
        value = module.only_value(result) or result
        function = module.definition(value)
        found = (
            jitted_by_decorator(module, function) if isinstance(function, ast.FunctionDef) else jitted_of(module, value)
        )
        if found is None or found.jit.static == ():
            continue
        if found.jit.static is None or not all(are_constants(found.jit, call) for call in made.stay.calls):
            raise Declined(
                Reason(Code.STATIC_ARGUMENT, "it has static arguments, which one function for all compares by `==`")
            )


def _check_loop(module: Module, made: Made, loop: ast.For | ast.While) -> None:
    """Refuses to move the call before `loop`, unless it makes the same, and nothing else, there."""
    shown = f"`{made.name.id}`" if made.name is not None else "what it makes"
    unchanged.check(module, made.call, made.factory, loop, shown)
    advance.check(module, made.call, made.factory, loop)
    if made.name is not None:
        _check_readers(module, made, made.name, loop)


def _check_readers(module: Module, made: Made, name: ast.Name, loop: ast.AST) -> None:
    """Refuses where a read could see another binding of the variable than before."""
    scope = module.scope_of(name.id, name)
    bound = [binding.node for binding in module.bindings(name.id, scope)]
    others = [node for node in bound if node is not name]
    if any(loop in module.ancestors(node) for node in others):
        raise Declined(Reason(Code.REBOUND, f"the loop binds `{name.id}` more than once"))
    end = module.span(module.statement(name)).end
    for read in module.reads(name.id, scope):
        inside = loop in module.ancestors(read)
        if inside and module.span(read).start < end:
            raise Declined(Reason(Code.LIVE, f"line {read.lineno} reads `{name.id}` before it is made", read.lineno))
        if others and not inside and (module.span(read).start > end or module.loops(loop)):
            raise Declined(Reason(Code.REBOUND, f"`{name.id}` is bound more than once, and read after the loop"))


def move(module: Module, found: Move, edit: Rewriter) -> None:
    """Puts the call before the loop."""
    made = found.made
    text = module.text(made.call)
    if made.name is not None:
        edit.insert_before(found.before, f"{made.name.id} = {text}")
        edit.delete(module.statement(made.name))
        return
    name = module.get(Identifiers).unused(_own_name(module, made.factory))
    edit.insert_before(found.before, f"{name} = {text}")
    edit.replace(made.call, name)


def _own_name(module: Module, factory: ast.FunctionDef) -> str:
    (result, *_) = returned(factory)
    return result.id.strip("_") if isinstance(result, ast.Name) else factory.name.removeprefix("make_").strip("_")


def surely_repeats(module: Module, call: ast.Call, uses: LocalUses) -> bool:
    """Whether it was read that a function is made, and called, repeatedly."""
    return module.get(Staging).surely_repeats(call) and any(map(module.get(Staging).surely_repeats, uses.calls))
