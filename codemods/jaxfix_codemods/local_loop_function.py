"""A loop body, branch or condition that is made anew whenever the function around it is called.

Called outside `jit`, `lax.scan`, `while_loop`, `fori_loop`, `cond` and `switch` compile their functions, and keep
the compiled program under the function's identity. A `def` or `lambda` inside the caller is a new object at every
call: the program is compiled again each time, and the old one stays in memory. Moved to where it is made once,
the function is compiled once. Arrays that it takes from its surroundings become part of the carry, or operands.

Before:
    from jax import lax

    def decay(x, rate):
        def body(i, value):
            return value * rate

        return lax.fori_loop(0, 10, body, x)

After:
    from jax import lax

    def _body(i, carry):
        value, rate = carry
        return value * rate, rate

    def decay(x, rate):
        return lax.fori_loop(0, 10, _body, (x, rate))[0]

Safety: a function that takes nothing from its surroundings, and reads nothing that can be rebound, computes the same
wherever it stands: safe. All else needs evidence: a lifted variable becomes a traced array, which `isinstance(k, int)`
would answer differently; a global that another module rebinds would be read once instead of at every call; and before
jax 0.5 a lifted array that is differentiated is kept for every step. Declined: names that are rebound, changed or
called, `self`, random numbers, effects at trace time, functions that escape or are defined conditionally.

Evidence: fewer compiles, bitwise equal outputs.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from jaxfix.api import (
    CONTROL_FLOW,
    CONTROL_FLOW_KEYWORDS,
    Codemod,
    Confidence,
    Constancy,
    Equality,
    Finding,
    Function,
    Module,
    Rewriter,
    Runs,
    Safety,
    constancy,
    lifting,
    purity,
)

_CARRY = {"jax.lax.scan": (0, 2), "jax.lax.while_loop": (0, 1), "jax.lax.fori_loop": (1, 2)}
"""Of a loop body: the position of the carry among its parameters, and their number."""
_INIT = {"jax.lax.scan": (1, "init"), "jax.lax.while_loop": (2, "init_val"), "jax.lax.fori_loop": (3, "init_val")}


@dataclass(frozen=True, slots=True)
class _Local:
    """A function that is made anew: `use` is where it is handed over, `role` what it is there."""

    function: Function
    use: ast.expr
    role: str


@dataclass(frozen=True, slots=True)
class _Move:
    """What is to be done: the functions, the variables to lift in order, and the statement to stand before."""

    call: ast.Call
    primitive: str
    locals: tuple[_Local, ...]
    lifted: tuple[str, ...]
    before: ast.stmt


class _Declined(Exception):
    """Why there is no fix."""


def find(module: Module) -> Iterator[Finding]:
    for call in module.calls(*CONTROL_FLOW):
        if module.runs(call) is Runs.TRACED:
            continue  # compiled once, with the program around it
        made_anew = [(use, role) for use, role in _functions(module, call) if _is_made_anew(module, call, use)]
        if made_anew and _may_repeat(module, made_anew[0][0]):
            yield _finding(module, call, made_anew)


def _finding(module: Module, call: ast.Call, made_anew: list[tuple[ast.expr, str]]) -> Finding:
    primitive = module.qualname(call.func) or ""
    names = " and ".join(_shown(module, use) for use, _ in made_anew)
    verb = "are new functions" if len(made_anew) > 1 else "is a new function"
    again = any(module.repeats(_made_at(module, use)) for use, _ in made_anew)
    found = partial(
        Finding,
        at=call,
        message=f"{names} {verb} at every call of `{_around(module, call)}`: `{_last(primitive)}` compiles again",
        title=f"Move {names} to where it is made once" if len(made_anew) == 1 else f"Move {names} out",
        confidence=Confidence.CERTAIN if again else Confidence.POSSIBLE,
    )
    try:
        move = _move(module, call, primitive, made_anew)
        doubts = [d for local in move.locals for d in purity(module, local.function).doubts]
    except _Declined as reason:
        return found(declined=str(reason))
    plain = not move.lifted and not doubts and move.before in module.tree.body
    return found(recipe=partial(_rewrite, module, move), safety=Safety.SAFE if plain else Safety.NEEDS_EVIDENCE)


# --- what is made anew ----------------------------------------------------------------------------------------


def _functions(module: Module, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The function arguments of a control flow primitive, each with its role."""
    primitive = module.qualname(call.func) or ""
    keywords = {k.arg: k.value for k in call.keywords}
    for position, name in zip(CONTROL_FLOW[primitive], CONTROL_FLOW_KEYWORDS[primitive], strict=True):
        argument = call.args[position] if position < len(call.args) else keywords.get(name)
        if isinstance(argument, ast.List | ast.Tuple):
            yield from ((element, f"branch_{i}") for i, element in enumerate(argument.elts))
        elif argument is not None:
            yield argument, {"f": "body", "cond_fun": "cond", "body_fun": "body"}.get(name, name.removesuffix("_fun"))


def _is_made_anew(module: Module, call: ast.Call, use: ast.expr) -> bool:
    """Whether each run of the function around `call` makes a new object for `use`."""
    match use:
        case ast.Lambda():
            return module.function(call) is not None or bool(module.loops(call))
        case ast.Call(func=func):
            return module.qualname(func) == "functools.partial"
        case ast.Attribute(value=ast.Name(id=receiver)):
            around = module.functions_around(call)
            method = around[-1] if around else None
            return method is not None and module.method_of(method) is not None and receiver == _first_parameter(method)
        case ast.Name(id=name):
            scope = module.scope_of(name, use)
            if scope is module.tree:
                return module.function(call) is None and _is_defined_in_loop(module, name)
            if scope is not module.function(call):
                return False
            return scope is not None and any(_makes_function(module, b.node) for b in module.bindings(name, scope))
    return False


def _makes_function(module: Module, node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return True
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    if isinstance(value, ast.Call):
        return module.qualname(value.func) == "functools.partial"
    return isinstance(value, ast.Lambda)


def _is_defined_in_loop(module: Module, name: str) -> bool:
    return any(isinstance(b.node, ast.FunctionDef) and module.loops(b.node) for b in module.bindings(name))


def _first_parameter(function: Function) -> str | None:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else None


def _made_at(module: Module, use: ast.expr) -> ast.AST:
    return module.definition(use) or use


def _may_repeat(module: Module, use: ast.expr) -> bool:
    """Whether the function is made more than once, as far as this module tells."""
    made = _made_at(module, use)
    if module.repeats(made):
        return True
    once = module.runs(made) is Runs.EAGER and (module.is_script or module.function(made) is None)
    return not once


# --- whether it can be moved ----------------------------------------------------------------------------------


def _move(module: Module, call: ast.Call, primitive: str, made_anew: list[tuple[ast.expr, str]]) -> _Move:
    if module.differentiated(call):
        raise _Declined("under an eager `grad` the loop is traced again whatever its functions are: `jit` the caller")
    if primitive == "jax.lax.map":
        raise _Declined("`lax.map` wraps its function in a new one: `jit` the caller, or use `lax.scan`")
    if not module.has_exact_spans(call):
        raise _Declined("the call stands inside an f-string")
    if any(isinstance(n, ast.Constant | ast.JoinedStr) and n.lineno != n.end_lineno for n in ast.walk(call)):
        raise _Declined("the call holds a string of several lines")
    locals_ = tuple(_Local(_definition(module, call, use), use, role) for use, role in made_anew)
    lifted: dict[str, None] = {}
    places: list[ast.AST] = [module.tree]
    for local in locals_:
        _check(module, local)
        for name in _free(module, local.function):
            scope = _owner(module, name, local.function)
            if scope is module.function(call):
                _check_lift(module, local, name)
                lifted[name] = None
            else:
                _check_kept(module, local, name, scope)
                places.append(scope)
    place = max(places, key=lambda scope: len(list(module.ancestors(scope))))
    if lifted:
        _check_lifting(module, call, primitive, locals_)
    for local in locals_:
        _check_outside(module, local, place)
    return _Move(call, primitive, locals_, tuple(lifted), _statement_in(module, call, place))


def _definition(module: Module, call: ast.Call, use: ast.expr) -> Function:
    match use:
        case ast.Call():
            raise _Declined("a `functools.partial` is a new object at every call: make it once, or lift its arguments")
        case ast.Attribute():
            raise _Declined(f"`{module.text(use)}` is a bound method, which is a new object at every call")
    function = module.definition(use)
    if function is None:
        name = module.text(use)
        found = module.bindings(name, module.scope_of(name, use))
        raise _Declined(f"`{name}` is bound more than once" if len(found) > 1 else f"`{name}` is made by a call")
    if isinstance(function, ast.AsyncFunctionDef):
        raise _Declined(f"`{function.name}` is a coroutine")
    return function


def _check(module: Module, local: _Local) -> None:
    """What forbids moving `local` at all."""
    reason = purity(module, local.function).reason
    if reason is not None:
        raise _Declined(f"{_shown(module, local.use)} cannot be traced once: {reason}")
    if isinstance(local.function, ast.Lambda):
        if local.function is not local.use:
            raise _Declined(f"{_shown(module, local.use)} is a lambda with a name")
        return
    if local.function.decorator_list:
        raise _Declined(f"`{local.function.name}` is decorated")
    for use in _loads(module, local.function):
        if not isinstance(module.parent(use), ast.Call | ast.List | ast.Tuple | ast.keyword):
            raise _Declined(f"`{local.function.name}` is kept in `{_line(module, use)}`, as if on purpose")
        if isinstance(module.parent(use), ast.Tuple | ast.List) and not _is_call_argument(module, use):
            raise _Declined(f"`{local.function.name}` is kept in `{_line(module, use)}`, as if on purpose")


def _is_call_argument(module: Module, use: ast.AST) -> bool:
    return isinstance(module.parent(module.parent(use) or use), ast.Call | ast.keyword)


def _free(module: Module, function: Function) -> list[str]:
    captures = module.captures(function)
    own = {function.name} if isinstance(function, ast.FunctionDef) else set()
    free = captures.free - own if captures else frozenset[str]()
    order = {n.id: (n.lineno, n.col_offset) for n in reversed(_names(function)) if n.id in free}
    return sorted(free, key=lambda name: order.get(name, (0, 0)))


def _names(function: Function) -> list[ast.Name]:
    return sorted((n for n in ast.walk(function) if isinstance(n, ast.Name)), key=lambda n: (n.lineno, n.col_offset))


def _owner(module: Module, name: str, function: Function) -> Function:
    scope = module.scope_of(name, function)
    if scope is None or not isinstance(scope, ast.FunctionDef | ast.Lambda):
        raise _Declined(f"where `{name}` comes from is not certain")
    return scope


def _check_lift(module: Module, local: _Local, name: str) -> None:
    """A variable of the caller: it becomes an array, so it must be used as one."""
    for use in lifting.uses(module, local.function, name):
        reason = lifting.use_of(module, use)
        if reason is not None:
            raise _Declined(f"{_shown(module, local.use)} uses `{name}` {reason}, where an array may not do")
    owner = _owner(module, name, local.function)
    if module.method_of(owner) is not None and name == _first_parameter(owner):
        raise _Declined(f"{_shown(module, local.use)} reads `{name}`, an object that can change between calls")


def _check_kept(module: Module, local: _Local, name: str, scope: ast.AST) -> None:
    """A variable of a factory: it stays captured, so it must stay what it is."""
    shown = _shown(module, local.use)
    if constancy(module, name, scope) is not Constancy.CONSTANT:
        raise _Declined(f"{shown} reads `{name}`, which can change between calls")
    for use in lifting.uses(module, local.function, name):
        parent = module.parent(use)
        if isinstance(parent, ast.If | ast.IfExp) and parent.test is use:
            continue
        if isinstance(parent, ast.Attribute | ast.Subscript) or lifting.use_of(module, use) is not None:
            raise _Declined(f"{shown} uses `{name}` of `{_around(module, use)}` as more than a number")


def _check_lifting(module: Module, call: ast.Call, primitive: str, locals_: tuple[_Local, ...]) -> None:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise _Declined(f"`{_last(primitive)}` is called with `*` or `**`")
    if len(locals_) != len(list(_functions(module, call))):
        raise _Declined("one of the functions is made elsewhere, and would have to take the lifted variables too")
    if len({id(local.function) for local in locals_}) != len(locals_):
        raise _Declined("one function has two roles")
    for local in locals_:
        arguments = local.function.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults or arguments.posonlyargs:
            raise _Declined(f"{_shown(module, local.use)} has parameters beside the plain ones")
        if primitive in _CARRY and len(arguments.args) != (1 if local.role == "cond" else _CARRY[primitive][1]):
            raise _Declined(f"{_shown(module, local.use)} has another number of parameters")
        if isinstance(local.function, ast.FunctionDef) and len(_loads(module, local.function)) != 1:
            raise _Declined(f"`{local.function.name}` is used elsewhere too")
        if primitive == "jax.lax.scan" and not all(_is_pair(r) for r in _results(module, local.function)):
            raise _Declined(f"{_shown(module, local.use)} does not return a pair that can be read")
    if primitive in _INIT and _init(call, primitive) is None:
        raise _Declined(f"the initial value of `{_last(primitive)}` is not in the call")
    if primitive not in _INIT and call.keywords:
        raise _Declined(f"`{_last(primitive)}` is called with keywords")
    if primitive == "jax.lax.scan" and _result(module, call) is None:
        raise _Declined("the result of `scan` is used as a whole")


def _check_outside(module: Module, local: _Local, place: ast.AST) -> None:
    """Defaults and annotations are evaluated where the `def` stands: they must mean the same at `place`."""
    arguments = local.function.args
    outside: list[ast.AST] = [*arguments.defaults, *(d for d in arguments.kw_defaults if d)]
    if isinstance(local.function, ast.FunctionDef):
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        outside += [a.annotation for a in every if a is not None and a.annotation is not None]
        outside += [local.function.returns] if local.function.returns else []
    for part in outside:
        for name in (n for n in ast.walk(part) if isinstance(n, ast.Name)):
            scope = module.scope_of(name.id, local.function)
            defined = [b.node for b in module.bindings(name.id)] if scope is module.tree else []
            line = _statement_in(module, local.use, place).lineno
            if scope is not None and not any(getattr(node, "lineno", line) < line for node in defined):
                raise _Declined(f"`{name.id}` in the signature of {_shown(module, local.use)} belongs to the caller")


# --- the rewrite ----------------------------------------------------------------------------------------------


def _rewrite(module: Module, move: _Move, edit: Rewriter) -> None:
    handed_over: dict[ast.AST, str] = {}
    for local in move.locals:
        name = _new_name(module, local, set(handed_over.values()))
        handed_over[local.use] = name
        if isinstance(local.function, ast.Lambda):
            edit.insert_before(move.before, _as_def(module, move, local.role, local.function, name))
        elif isinstance(local.function, ast.FunctionDef):
            edit.hoist(local.function, move.before, name, _operands(move))
            _unpack(module, move, local.role, local.function, edit)
            for use in _loads(module, local.function):
                handed_over.setdefault(use, name)
    _pass_lifted(module, move, handed_over)
    if move.primitive == "jax.lax.scan" and move.lifted and isinstance(module.parent(move.call), ast.Return):
        _spell_out(module, move, handed_over, edit)
        return
    for node, text in handed_over.items():
        edit.replace(node, text)
    if move.lifted and move.primitive in _INIT:
        _take_carry_out(module, move, edit)


def _new_name(module: Module, local: _Local, taken: set[str]) -> str:
    if isinstance(local.function, ast.FunctionDef):
        wanted = f"_{local.function.name.lstrip('_')}"
    else:
        wanted = f"_{_around(module, local.use).rpartition('.')[2].strip('_<>')}_{local.role}"
    name = module.fresh(wanted)
    while name in taken:
        name = module.fresh(f"{name}_")
    taken.add(name)
    return name


def _operands(move: _Move) -> tuple[str, ...]:
    """The parameters that a branch gets in front of its own; a loop body gets its variables in the carry."""
    return () if move.primitive in _INIT else move.lifted


def _pass_lifted(module: Module, move: _Move, handed_over: dict[ast.AST, str]) -> None:
    """Adds the lifted variables to the call: behind the last branch, or to the initial carry."""
    if not move.lifted:
        return
    rest = ", ".join(move.lifted)
    if move.primitive in _INIT:
        init = _init(move.call, move.primitive)
        assert init is not None
        handed_over[init] = f"({module.text(init)}, {rest})"
        return
    last: ast.AST = move.locals[-1].use
    branches = module.parent(last)
    if isinstance(branches, ast.List | ast.Tuple):
        text = module.substitute(branches, {local.use: handed_over.pop(local.use) for local in move.locals})
        handed_over[branches] = f"{text}, {rest}"
    else:
        handed_over[last] += f", {rest}"


def _as_def(module: Module, move: _Move, role: str, function: ast.Lambda, name: str) -> str:
    body = function.body
    if not move.lifted or move.primitive not in _INIT:
        parameters = ", ".join((*_operands(move), ast.unparse(function.args))).removesuffix(", ")
        return f"def {name}({parameters}):\n    return {_bracketed(module.text(body))}\n"
    index = _carry_index(move, role)
    names = [a.arg for a in function.args.args]
    carry = _carry_name(module, function)
    unpacking = _unpacking(module, move, role, function, carry)
    names[index] = carry
    rest = ", ".join(move.lifted)
    match body:
        case _ if role == "cond":
            result = _bracketed(module.text(body))
        case ast.Tuple(elts=[inner, other]) if move.primitive == "jax.lax.scan":
            result = f"({module.text(inner)}, {rest}), {module.text(other)}"
        case _:
            result = f"{_bracketed(module.text(body))}, {rest}"
    return f"def {name}({', '.join(names)}):\n    {unpacking}\n    return {result}\n"


def _bracketed(text: str) -> str:
    return f"({text})" if "\n" in text and not text.startswith(("(", "[", "{")) else text


def _carry_index(move: _Move, role: str) -> int:
    return 0 if role == "cond" else _CARRY[move.primitive][0]


def _unpack(module: Module, move: _Move, role: str, function: ast.FunctionDef, edit: Rewriter) -> None:
    """Makes the carry of a moved loop function hold the lifted variables, and every result too."""
    if not move.lifted or move.primitive not in _INIT:
        return
    carry = _carry_name(module, function)
    first = next((s for s in function.body if not _is_docstring(s)), function.body[0])
    edit.insert_before(first, _unpacking(module, move, role, function, carry))
    edit.replace(function.args.args[_carry_index(move, role)], carry)
    rest = ", ".join(move.lifted)
    for value in _results(module, function) if role != "cond" else ():
        if move.primitive == "jax.lax.scan" and isinstance(value, ast.Tuple):
            edit.wrap(value.elts[0], "(", f", {rest})")
        elif isinstance(value, ast.Tuple) and not module.text(value).startswith("("):
            edit.wrap(value, "(", f"), {rest}")
        else:
            edit.wrap(value, "", f", {rest}")


def _unpacking(module: Module, move: _Move, role: str, function: Function, carry: str) -> str:
    inner = function.args.args[_carry_index(move, role)].arg
    read = set(_free(module, function)) & set(move.lifted)
    names = "*_" if role == "cond" and not read else ", ".join(move.lifted)
    return f"{inner}, {names} = {carry}"


def _carry_name(module: Module, function: Function) -> str:
    used = {n.id for n in _names(function)} | {a.arg for a in function.args.args}
    return next(n for n in ("carry", "lifted", module.fresh("lifted_carry")) if n not in used)


def _take_carry_out(module: Module, move: _Move, edit: Rewriter) -> None:
    """Leaves in the result only what was there before."""
    match _result(module, move.call):
        case ast.Tuple(elts=[carry, _]) if move.primitive == "jax.lax.scan":
            edit.wrap(carry, "(", ", *_)")
        case ast.Subscript(slice=ast.Constant(value=1)) if move.primitive == "jax.lax.scan":
            return
        case _:
            edit.wrap(move.call, "", "[0]")


def _spell_out(module: Module, move: _Move, handed_over: dict[ast.AST, str], edit: Rewriter) -> None:
    """`return scan(...)` becomes two statements, since its first result is to be taken apart."""
    statement = module.statement(move.call)
    function = module.function(move.call)
    used = module.names(function) if function is not None else frozenset[str]()
    carry, stacked = (name if name not in used else module.fresh(name) for name in ("carry", "stacked"))
    outside = {node: text for node, text in handed_over.items() if move.call not in module.ancestors(node)}
    inside = {node: text for node, text in handed_over.items() if node not in outside}
    call = _dedented(module.substitute(move.call, inside), statement.col_offset)
    edit.replace(statement, f"({carry}, *_), {stacked} = {call}\nreturn {carry}, {stacked}")
    for node, text in outside.items():
        edit.replace(node, text)


def _dedented(text: str, columns: int) -> str:
    first, *others = text.splitlines()
    return "\n".join((first, *(line[min(columns, len(line) - len(line.lstrip())) :] for line in others)))


def _result(module: Module, call: ast.Call) -> ast.AST | None:
    """What takes the pair that `scan` returns: two targets, a subscript or a `return`; None for anything else."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Tuple(elts=[first, _]) as target]) if not isinstance(first, ast.Starred):
            return target
        case ast.Subscript(value=value, slice=ast.Constant(value=0 | 1)) as subscript if value is call:
            return subscript
        case ast.Return() as statement:
            return statement
    return None


def _init(call: ast.Call, primitive: str) -> ast.expr | None:
    position, name = _INIT[primitive]
    if position < len(call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == name), None)


def _results(module: Module, function: Function) -> Sequence[ast.expr]:
    """The expressions that `function` itself returns; a bare `return` counts as one that cannot be read."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and module.function(n) is function]
    return [r.value or ast.Constant(None) for r in returns]


def _is_pair(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) and len(value.elts) == 2 and not isinstance(value.elts[0], ast.Starred)


# --- words ----------------------------------------------------------------------------------------------------


def _loads(module: Module, function: ast.FunctionDef) -> list[ast.Name]:
    """Where the function is used by name, outside of itself."""
    scope = module.scope_of(function.name, function)
    around = scope or module.tree
    found = (n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == function.name)
    return [
        n
        for n in found
        if isinstance(n.ctx, ast.Load) and module.scope_of(n.id, n) is scope and function not in module.ancestors(n)
    ]


def _statement_in(module: Module, node: ast.AST, scope: ast.AST) -> ast.stmt:
    """The statement of the body of `scope` that holds `node`."""
    inner = node
    for outer in module.ancestors(node):
        if outer is scope:
            break
        inner = outer
    if not isinstance(inner, ast.stmt):
        raise _Declined("the function around it is a lambda")
    return inner


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _shown(module: Module, use: ast.expr) -> str:
    return "the lambda" if isinstance(use, ast.Lambda) else f"`{_line(module, use)}`"


def _line(module: Module, node: ast.AST) -> str:
    return module.text(node).splitlines()[0]


def _around(module: Module, node: ast.AST) -> str:
    return module.path(node).rpartition("<locals>.")[2]


def _last(qualname: str) -> str:
    return qualname.rpartition(".")[2]


CODEMOD = Codemod(
    id="local-loop-function",
    triggers=tuple(CONTROL_FLOW),
    safety=Safety.SAFE,
    equality=Equality.BITWISE,
    find=find,
)
