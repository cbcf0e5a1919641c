"""Whether functions can be hoisted, and which variables have to be lifted."""

import ast
from collections.abc import Collection, Iterator, Sequence

from jaxfix.api import Code, Declined, Function, Module, Reason, frozen, walk
from jaxfix.api.analysis import (
    Values,
    argument_values,
    control_flow_calls,
    hidden_operands,
    hoisting,
    import_time,
    is_bound_before,
    purity,
    replaced_names,
    traced_uses,
)
from jaxfix.api.library import CONTROL_FLOW
from jaxfix_codemods.jitting.traced import adds_truths
from jaxfix_codemods.local_loop_function.anew import function_arguments, may_be_new, runs_with
from jaxfix_codemods.local_loop_function.naming import (
    around,
    first_line,
    first_parameter,
    last_part,
    shown,
)

CARRY = {name: row.carry for name, row in CONTROL_FLOW.items() if row.carry}
"""Of a loop body: the position of the carry among its parameters, and their number."""
_CONSTANT_FROM = {"jax.lax.scan": (0, 6, 1), "jax.lax.fori_loop": (0, 6, 1), "jax.lax.while_loop": (0, 6)}


@frozen
class Local:
    """A function that is created: `use` is where it is passed, `role` what it is there."""

    function: Function
    use: ast.expr
    role: str


@frozen
class Move:
    """What is to be done: the functions, the variables to lift in order, and the statement to stand before."""

    call: ast.Call
    primitive: str
    locals: tuple[Local, ...]
    lifted: tuple[str, ...]
    before: ast.stmt


def computes_with_lifted(move: Move) -> bool:
    """Whether a moved function computes with lifted variables alone, as in `1 - decay`: of numbers, in double."""
    if not move.lifted:
        return False
    nodes = (node for local in move.locals for node in walk(local.function))
    return any(isinstance(node, ast.BinOp) and _is_of_numbers(node, move.lifted) for node in nodes)


def _is_of_numbers(node: ast.expr, lifted: Collection[str]) -> bool:
    match node:
        case ast.BinOp(left=left, right=right):
            return _is_of_numbers(left, lifted) and _is_of_numbers(right, lifted)
        case ast.UnaryOp(operand=operand):
            return _is_of_numbers(operand, lifted)
        case ast.Name(id=name):
            return name in lifted
    return isinstance(node, ast.Constant)


def judge(module: Module, call: ast.Call, primitive: str, made_anew: list[tuple[ast.expr, str]]) -> Move:
    if control_flow_calls.wraps_its_functions(module, call):
        raise Declined(Reason(Code.RECOMPILES, f"`{last_part(primitive)}` wraps its functions in new ones"))
    hoisting.check_text(module, call, "the call")
    handed_over = [use for use, _ in made_anew]
    for use, _ in function_arguments(module, call):
        if use not in handed_over and may_be_new(module, call, use):
            raise Declined(
                Reason(Code.RECOMPILES, f"`{first_line(module, use)}` may be a new function at every call too")
            )
    locals_ = tuple(Local(_definition(module, call, use), use, role) for use, role in made_anew)
    lifted: dict[str, None] = {}
    places: list[ast.AST] = [module.tree]
    for local in locals_:
        _check(module, local)
        for name in hoisting.free_names(module, local.function):
            scope = _owner(module, name, local.function)
            if scope is module.function(call):
                _check_lift(module, local, name)
                lifted[name] = None
            else:
                hoisting.check_captured(module, local.function, name, scope, shown(module, local.use))
                places.append(scope)
    place = hoisting.deepest(module, places)
    if place in runs_with(module, call):
        raise Declined(
            Reason(Code.RECOMPILES, f"`{around(module, call)}` is itself created at each call, with what it captures")
        )
    if lifted:
        _check_lifting(module, call, primitive, locals_)
        _check_truths(module, locals_, lifted)
    for local in locals_:
        _check_outside(module, local, place)
    return Move(call, primitive, locals_, tuple(lifted), hoisting.statement_in(module, call, place))


def keeps_carry(module: Module, move: Move) -> bool:
    """Whether the project's jax keeps an array of the carry for every step, or every row, of a transformed loop.

    From 0.6.1 on `grad` makes a constant of what a loop returns as it takes it, and from 0.6.0 on `vmap` does; a
    `while_loop` has no gradient.
    """
    known = module.surroundings.jax
    return known is not None and known < _CONSTANT_FROM.get(move.primitive, (0,))


def _definition(module: Module, call: ast.Call, use: ast.expr) -> Function:
    match use:
        case ast.Call():
            raise Declined(Reason(Code.RECOMPILES, f"`{first_line(module, use)}` is a new object at every call"))
        case ast.Attribute():
            raise Declined(
                Reason(Code.RECOMPILES, f"`{module.text(use)}` is a bound method, which is a new object at every call")
            )
    function = module.definition(use)
    if function is None:
        name = module.text(use)
        found = module.bindings(name, module.scope_of(name, use))
        raise Declined(
            Reason(Code.REBOUND, f"`{name}` is bound more than once")
            if len(found) > 1
            else Reason(Code.UNREAD, f"`{name}` is made by a call")
        )
    if isinstance(function, ast.AsyncFunctionDef):
        raise Declined(Reason(Code.COROUTINE, f"`{function.name}` is a coroutine"))
    return function


def _check(module: Module, local: Local) -> None:
    """What forbids moving `local` at all."""
    reason = purity(module, local.function).reason
    if reason is not None:
        raise Declined(reason.restated(f"{shown(module, local.use)} cannot be traced once: {reason}"))
    if isinstance(local.function, ast.Lambda):
        if local.function is not local.use:
            raise Declined(Reason(Code.OTHER_USES, f"{shown(module, local.use)} is a lambda with a name"))
        return
    if local.function.decorator_list:
        raise Declined(Reason(Code.DECORATED, f"`{local.function.name}` is decorated"))
    for use in hoisting.reads(module, local.function):
        if not isinstance(module.parent(_chosen(module, use)), ast.Call | ast.List | ast.Tuple | ast.keyword):
            raise Declined(
                Reason(
                    Code.ON_PURPOSE, f"`{local.function.name}` is kept in `{first_line(module, use)}`, as if on purpose"
                )
            )
        if isinstance(module.parent(use), ast.Tuple | ast.List) and not _is_call_argument(module, use):
            raise Declined(
                Reason(
                    Code.ON_PURPOSE, f"`{local.function.name}` is kept in `{first_line(module, use)}`, as if on purpose"
                )
            )


def _chosen(module: Module, use: ast.expr) -> ast.expr:
    """The conditional expression that chooses `use`, or `use` itself."""
    parent = module.parent(use)
    is_choice = isinstance(parent, ast.IfExp) and parent.test is not use
    return _chosen(module, parent) if is_choice and isinstance(parent, ast.IfExp) else use


def is_doubted(module: Module, move: Move) -> bool:
    """Whether only a rerun can settle it although nothing is lifted; other files are asked last."""
    if any(_doubts(module, move)):
        return True
    functions = {argument for argument, _ in control_flow_calls.function_arguments(module, move.call)}
    data = [each for each in argument_values(move.call) if each not in functions]
    if any(hidden_operands(module, data)) or any(replaced_names(module, [move.call.func])):
        return True
    return any(purity(module, local.function).is_doubted for local in move.locals)


def _doubts(module: Module, move: Move) -> Iterator[str]:
    body = module.tree.body
    above = body[: body.index(move.before)] if move.before in body else []
    yield from hoisting.listed(module)
    if module.qualname(move.call.func) != move.primitive:
        yield module.text(move.call.func)  # perhaps it is another function
    for local in move.locals:
        yield from hoisting.examples(local.function)
        parts = import_time.signature(module, local.function)
        yield from import_time.may_fail(module, parts, above, local.function)
        if isinstance(local.function, ast.FunctionDef):
            uses = hoisting.reads(module, local.function)
            yield from (module.text(use) for use in uses if _is_given_away(module, use))
            if not all(is_bound_before(module, local.function, use) for use in uses):
                yield local.function.name  # perhaps it is not defined


def _is_given_away(module: Module, use: ast.AST) -> bool:
    """Whether unknown code gets the function, and could tell the moved one from the old one."""
    taker = module.enclosing(use, ast.Call)
    if taker is None or taker.func is use:
        return taker is None
    return not (module.qualname(taker.func) or "").startswith("jax.")


def _is_call_argument(module: Module, use: ast.AST) -> bool:
    return isinstance(module.parent(module.parent(use) or use), ast.Call | ast.keyword)


def _owner(module: Module, name: str, function: Function) -> Function:
    scope = module.scope_of(name, function)
    if scope is None or not isinstance(scope, ast.FunctionDef | ast.Lambda):
        raise Declined(Reason(Code.UNREAD, f"the origin of `{name}` is unknown"))
    return scope


def _check_lift(module: Module, local: Local, name: str) -> None:
    """A variable of the caller: it becomes an array, so it must be used as one."""
    for use in traced_uses.uses(module, local.function, name):
        reason = traced_uses.concrete_use(module, use)
        if reason is not None:
            raise Declined(
                reason.restated(f"{shown(module, local.use)} uses `{name}` {reason}; an array is not accepted there")
            )
    owner = _owner(module, name, local.function)
    if module.method_of(owner) is not None and name == first_parameter(owner):
        raise Declined(
            Reason(Code.UNSTABLE, f"{shown(module, local.use)} reads `{name}`, an object that can change between calls")
        )


def _check_truths(module: Module, locals_: Sequence[Local], lifted: Collection[str]) -> None:
    """Refuses truth values of the caller that are added: of arrays that is `or`."""
    for local in locals_:
        for name in lifted:
            for use in traced_uses.uses(module, local.function, name):
                if adds_truths(module, module.get(Values), use, lifted):
                    text = f"{shown(module, local.use)} adds truth values of `{name}`, which would be traced"
                    raise Declined(Reason(Code.NEEDS_VALUE, text))


def _check_lifting(module: Module, call: ast.Call, primitive: str, locals_: tuple[Local, ...]) -> None:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise Declined(Reason(Code.STAR_ARGUMENTS, f"`{last_part(primitive)}` is called with `*` or `**`"))
    if module.qualname(call.func) != primitive:
        name = module.text(call.func)
        raise Declined(Reason(Code.UNREAD, f"`{name}` may be another function, and what that does is unknown"))
    if len(locals_) != len(list(function_arguments(module, call))):
        raise Declined(
            Reason(
                Code.SIGNATURE,
                "one of the functions is made elsewhere, and would have to take the lifted variables too",
            )
        )
    if len({id(local.function) for local in locals_}) != len(locals_):
        raise Declined(Reason(Code.OTHER_USES, "one function has two roles"))
    for local in locals_:
        arguments = local.function.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults or arguments.posonlyargs:
            raise Declined(
                Reason(Code.SIGNATURE, f"{shown(module, local.use)} has `*`, default or keyword-only parameters")
            )
        if primitive in CARRY and len(arguments.args) != (1 if local.role == "cond" else CARRY[primitive].parameters):
            raise Declined(Reason(Code.SIGNATURE, f"{shown(module, local.use)} has an unexpected number of parameters"))
        if isinstance(local.function, ast.FunctionDef) and len(hoisting.reads(module, local.function)) != 1:
            raise Declined(Reason(Code.OTHER_USES, f"`{local.function.name}` is used elsewhere too"))
        if primitive == "jax.lax.scan" and not all(_is_pair(r) for r in results(module, local.function)):
            raise Declined(Reason(Code.STRUCTURE, f"{shown(module, local.use)} does not return an explicit pair"))
    if primitive in CARRY and initial_carry(call, primitive) is None:
        raise Declined(Reason(Code.SIGNATURE, f"the initial value of `{last_part(primitive)}` is not in the call"))
    if primitive not in CARRY and call.keywords:
        raise Declined(Reason(Code.SIGNATURE, f"`{last_part(primitive)}` is called with keywords"))
    if primitive == "jax.lax.scan" and taker(module, call) is None:
        raise Declined(Reason(Code.OTHER_USES, "the result of `scan` is used as a whole"))


def _check_outside(module: Module, local: Local, place: ast.AST) -> None:
    """Defaults and annotations are evaluated where the `def` is: they must mean the same at `place`."""
    for part in hoisting.evaluated_early(local.function):
        computed = next((n for n in walk(part) if isinstance(n, ast.Call) and not _is_in_lambda(module, n, part)), None)
        if computed is not None:
            what = first_line(module, computed)
            raise Declined(
                Reason(
                    Code.UNSTABLE, f"`{what}` in the signature of {shown(module, local.use)} is computed at every call"
                )
            )
        for name in (n for n in walk(part) if isinstance(n, ast.Name)):
            scope = module.scope_of(name.id, local.function)
            defined = [b.node for b in module.bindings(name.id)] if scope is module.tree else []
            line = hoisting.statement_in(module, local.use, place).lineno
            above = (node for node in defined if module.enclosing(node, ast.If) is None)
            if scope is not None and not any(getattr(node, "lineno", line) < line for node in above):
                where = f"the signature of {shown(module, local.use)}"
                raise Declined(Reason(Code.UNSTABLE, f"`{name.id}` in {where} belongs to the caller"))


def _is_in_lambda(module: Module, node: ast.AST, part: ast.AST) -> bool:
    """Whether a lambda in `part` runs `node`, when it is called."""
    function = module.function(node)
    return isinstance(function, ast.Lambda) and (function is part or part in module.ancestors(function))


def taker(module: Module, call: ast.Call) -> ast.AST | None:
    """What takes the pair that `scan` returns: two targets, a subscript or a `return`; None for anything else."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Tuple(elts=[first, _]) as target]) if not isinstance(first, ast.Starred):
            return target
        case ast.Subscript(value=value, slice=ast.Constant(value=0 | 1)) as subscript if value is call:
            return subscript
        case ast.Return() as statement:
            return statement
    return None


def initial_carry(call: ast.Call, primitive: str) -> ast.expr | None:
    position, name = CARRY[primitive].initial.position, CARRY[primitive].initial.name
    if position < len(call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == name), None)


def results(module: Module, function: Function) -> Sequence[ast.expr]:
    """The expressions that `function` itself returns; a bare `return` counts as one that cannot be read."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    returns = [n for n in walk(function) if isinstance(n, ast.Return) and module.function(n) is function]
    return [r.value or ast.Constant(None) for r in returns]


def _is_pair(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) and len(value.elts) == 2 and not isinstance(value.elts[0], ast.Starred)
