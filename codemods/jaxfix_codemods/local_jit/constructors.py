"""Solvers and optimizers that a loop makes repeatedly: jits that are keyed by such an object recompile."""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    FUNCTIONS,
    Code,
    Confidence,
    Declined,
    Finding,
    Identifiers,
    Module,
    Reason,
    Rewriter,
    Safety,
    Staging,
    frozen,
    jit_of,
    walk,
)
from jaxfix.api.analysis import Argument, always_runs, changes_of, is_stored, purity, why_unstable
from jaxfix.api.library import Identity, Member, rows, short_names, where
from jaxfix_codemods.local_jit import advance
from jaxfix_codemods.local_jit.sites import is_bound_in, is_held

_STATIC = where(Identity.STATIC)
_OWN_PROGRAMS = {row.name: row for row in rows(Identity.OWN_PROGRAMS)}
MAKING = (*_OWN_PROGRAMS, *sorted(_STATIC))
"""What makes such objects."""
_COMPILES, _STATELESS = short_names(Member.COMPILES), short_names(Member.STATELESS)
_LOOPS = (ast.For, ast.While)


@frozen
class Built:
    """An object that each iteration of a loop makes.

    Attributes:
      loops: around the call within its function, from the inside out.
      name: the variable that it is bound to; None where it is used at once.
      compiling: the calls that compile for each object.
    """

    call: ast.Call
    loops: tuple[ast.For | ast.While, ...]
    name: ast.Name | None
    compiling: tuple[ast.Call, ...]


def findings(module: Module) -> Iterator[Finding]:
    """One for each object that is made again, and that something compiles for."""
    for call in module.calls(*MAKING):
        built = _built(module, call)
        if built is None or _varies_by_design(module, built):
            continue
        func, by = module.text(call.func), module.text(built.compiling[0].func).splitlines()[0]
        found = partial(
            Finding,
            at=call,
            message=f"`{func}` creates a new object in every iteration of the loop: `{by}` compiles again each time",
            title=f"Call `{func}` once, before the loop",
            confidence=_confidence(module, built),
            safety=Safety.NEEDS_EVIDENCE,
        )
        try:
            yield found(recipe=partial(_move, module, built, _place(module, built)))
        except Declined as declined:
            yield found(declined=declined.reason)


def _built(module: Module, call: ast.Call) -> Built | None:
    loops = tuple(loop for loop in module.loops(call) if isinstance(loop, _LOOPS))
    if not loops or not always_runs(module, call, loops[0]) or module.get(Staging).is_only_traced(call):
        return None
    if not module.get(Staging).may_repeat(call):
        return None
    name = _bound_to(module, call)
    uses = [call] if name is None else list(module.reads(name.id, module.scope_of(name.id, name)))
    compiling = [found for use in uses if (found := _compiles(module, call, use)) is not None]
    inside = tuple(found for found in compiling if loops[0] in module.ancestors(found))
    return Built(call, loops, name, inside) if inside else None


def _bound_to(module: Module, call: ast.Call) -> ast.Name | None:
    match module.parent(call):
        case ast.Assign(targets=[ast.Name() as target], value=value) if value is call:
            return target
    return None


def _compiles(module: Module, made: ast.Call, use: ast.expr) -> ast.Call | None:
    """The call that compiles for the object that `use` stands for."""
    parent = module.parent(use)
    outer = module.parent(parent) if parent is not None else None
    if module.qualname(made.func) in _OWN_PROGRAMS:
        is_method = isinstance(parent, ast.Attribute) and parent.attr in _COMPILES
        return outer if is_method and isinstance(outer, ast.Call) and outer.func is parent else None
    taker = outer if isinstance(parent, ast.keyword) else parent
    if not isinstance(taker, ast.Call) or taker.func is use:
        return None
    key: Argument | None = parent.arg if isinstance(parent, ast.keyword) else taker.args.index(use)
    found = jit_of(module, taker.func)
    return taker if found is not None and key is not None and is_held(found, key) else None


def _confidence(module: Module, built: Built) -> Confidence:
    staging = module.get(Staging)
    is_sure = staging.surely_repeats(built.call) and any(map(staging.surely_repeats, built.compiling))
    return Confidence.CERTAIN if is_sure else Confidence.POSSIBLE


def _varies_by_design(module: Module, built: Built) -> bool:
    """Whether each iteration makes another one on purpose: of numbers that it binds."""
    return any(is_bound_in(module, name, built.loops[0]) for name in _names(module, built.call))


def _names(module: Module, call: ast.expr) -> Iterator[ast.Name]:
    """The variables that are read where `call` is evaluated, functions of this file left out."""
    for node in walk(call):
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if is_read and module.function(node) is module.function(call) and module.definition(node) is None:
            assert isinstance(node, ast.Name)
            yield node


# --- whether it can move ------------------------------------------------------------------------------------------


def _place(module: Module, built: Built) -> ast.For | ast.While:
    """The outermost loop before which the call makes the same.

    Raises:
      Declined: there is none, and why.
    """
    _check_uses(module, built)
    before = None
    for loop in built.loops:
        if before is not None and not always_runs(module, before, loop):
            break
        try:
            _check_made_of(module, built.call, loop)
        except Declined:
            if before is None:
                raise
            break
        before = loop
    assert before is not None
    return before


def _check_uses(module: Module, built: Built) -> None:
    """Refuses an object that is kept, distinguished, or may be changed."""
    name, loop = built.name, built.loops[0]
    if name is None:
        return
    scope = module.scope_of(name.id, name)
    if len(module.bindings(name.id, scope)) > 1:
        raise Declined(Reason(Code.REBOUND, f"`{name.id}` is bound more than once"))
    statement = module.statement(name)
    if statement not in loop.body:
        raise Declined(Reason(Code.LAYOUT, f"`{name.id}` is bound inside another statement"))
    for use in module.reads(name.id, scope):
        if loop in module.ancestors(use) and module.span(use).start < module.span(statement).end:
            raise Declined(Reason(Code.LIVE, f"line {use.lineno} reads `{name.id}` before it is made", use.lineno))
        if not _is_harmless(module, built.call, use):
            words = f"line {use.lineno} uses `{name.id}` other than to call it"
            raise Declined(Reason(Code.ESCAPES, words, use.lineno))


def _is_harmless(module: Module, made: ast.Call, use: ast.Name) -> bool:
    """Whether `use` leaves the object unchanged, and would not tell it from another one of the same."""
    match module.parent(use):
        case ast.Attribute(attr=method) as attribute if method in _STATELESS:
            call = module.parent(attribute)
            return isinstance(call, ast.Call) and call.func is attribute
    return _compiles(module, made, use) is not None


def _check_made_of(module: Module, call: ast.Call, loop: ast.For | ast.While) -> None:
    if any(keyword.arg is None for keyword in call.keywords):
        raise Declined(Reason(Code.STAR_ARGUMENTS, f"`{module.text(call.func)}` is called with `**`"))
    known = _OWN_PROGRAMS.get(module.qualname(call.func) or "")
    for taken in known.calls if known is not None else ():
        named = [keyword.value for keyword in call.keywords if keyword.arg == taken.name]
        for function in call.args[taken.position : taken.position + 1] or named:
            if isinstance(function, ast.Name) and module.definition(function) is None:
                raise Declined(Reason(Code.UNREAD, f"the definition of `{function.id}` is unknown"))
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        _check_part(module, argument, loop)


def _check_part(module: Module, part: ast.expr, loop: ast.For | ast.While) -> None:
    """Refuses what may be something else in another iteration, or may be undefined before the loop."""
    function = module.definition(part)
    if function is not None:
        _check_function(module, part, function, loop)
        return
    match part:
        case ast.Constant():
            return
        case ast.UnaryOp(operand=inner):
            _check_part(module, inner, loop)
        case ast.BinOp(left=left, right=right):
            _check_part(module, left, loop)
            _check_part(module, right, loop)
        case ast.Tuple(elts=parts):
            for each in parts:
                _check_part(module, each, loop)
        case ast.Call():
            _check_call(module, part, loop)
        case ast.Name() | ast.Attribute():
            _check_read(module, part, loop)
        case _:
            raise Declined(Reason(Code.UNREAD, f"it is created with `{_shown(module, part)}`, more than names"))


def _check_call(module: Module, call: ast.Call, loop: ast.For | ast.While) -> None:
    package = (module.qualname(call.func) or "").partition(".")[0]
    if package not in {name.partition(".")[0] for name in MAKING}:
        shown = _shown(module, call.func)
        raise Declined(Reason(Code.UNSTABLE, f"it is created with a new result of `{shown}` each time"))
    _check_made_of(module, call, loop)


def _check_read(module: Module, part: ast.Name | ast.Attribute, loop: ast.For | ast.While) -> None:
    shown = _shown(module, part)
    if module.qualname(part) is not None:
        return
    if isinstance(part, ast.Attribute) and (is_stored(module, part.attr) or not isinstance(part.value, ast.Name)):
        raise Declined(Reason(Code.UNSTABLE, f"it is created with `{shown}`, which can change between iterations"))
    owner = part if isinstance(part, ast.Name) else part.value
    assert isinstance(owner, ast.Name)
    if is_bound_in(module, owner, loop):
        raise Declined(Reason(Code.REBOUND, f"it is created with `{owner.id}`, which the loop rebinds"))
    scope = module.scope_of(owner.id, owner)
    reason = why_unstable(module, owner.id, module.tree, around=loop) if scope is module.tree else None
    if reason is not None:
        raise Declined(reason.restated(f"it is created with `{owner.id}`: {reason}"))
    if any(module.scope_of(owner.id, root) is scope for root in changes_of(module).roots.get(owner.id, ())):
        raise Declined(Reason(Code.MUTATED, f"it is created with `{owner.id}`, which is changed in place"))
    if not (advance.is_there(module, owner, loop) or _is_bound_around(module, owner, loop)):
        raise Declined(Reason(Code.MAY_FAIL, f"`{owner.id}` may be undefined before the loop"))


def _is_bound_around(module: Module, name: ast.Name, loop: ast.AST) -> bool:
    """Whether a loop around `loop` binds it at each of its own iterations."""
    outer = [each for each in module.ancestors(loop) if isinstance(each, ast.For)]
    bound = [binding.node for binding in module.bindings(name.id, module.scope_of(name.id, name))]
    return any(node in walk(each.target) for each in outer for node in bound)


def _check_function(module: Module, part: ast.expr, function: ast.AST, loop: ast.For | ast.While) -> None:
    """Refuses a function that each iteration makes, or that reads something else in another one."""
    assert isinstance(function, FUNCTIONS)
    captures = module.captures(function)
    for name in sorted(captures.free) if captures is not None else ():
        bound = module.bindings(name, scope) if (scope := module.scope_of(name, function)) is not None else ()
        if any(loop in module.ancestors(binding.node) for binding in bound):
            words = f"it is created with a function that takes `{name}` of each iteration: pass that as an argument"
            raise Declined(Reason(Code.REBOUND, words))
    if loop in module.ancestors(function):
        raise Declined(
            Reason(Code.LAYOUT, f"it is created with `{_shown(module, part)}`, which each iteration defines")
        )
    shown = "a lambda" if isinstance(function, ast.Lambda) else f"`{function.name}`"
    if module.function(function) is not None:
        raise Declined(Reason(Code.UNREAD, f"{shown} is defined inside a function: what it reads is unknown"))
    reason = purity(module, function).reason
    if reason is not None:
        raise Declined(reason.restated(f"it keeps what {shown} reads: {reason}"))
    if isinstance(part, ast.Name):
        _check_read(module, part, loop) if module.scope_of(part.id, part) is not module.tree else None


def _shown(module: Module, expr: ast.expr) -> str:
    first, *more = module.text(expr).splitlines()
    return f"{first} ..." if more else first


def _move(module: Module, built: Built, before: ast.For | ast.While, edit: Rewriter) -> None:
    """Puts the call before the loop."""
    text = module.text(built.call)
    if built.name is not None:
        edit.insert_before(before, f"{built.name.id} = {text}")
        edit.delete(module.statement(built.name))
        return
    is_solver = module.qualname(built.call.func) in _OWN_PROGRAMS
    name = module.get(Identifiers).unused("solver" if is_solver else "optimizer")
    edit.insert_before(before, f"{name} = {text}")
    edit.replace(built.call, name)
