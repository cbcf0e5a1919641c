"""Which arguments of a jitted step nobody needs once it was called."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxfix.api import Callers, Function, Jitted, Module, Runs, arguments_of, callers

LOOPS = (ast.For, ast.While)


class Declined(Exception):
    """Why something is not donated, in words."""


@dataclass(frozen=True, slots=True)
class Step:
    """A jitted function of this file.

    Attributes:
      named: the `def` or the variable that it is called by.
      bound: it is called of an object, which its parameters count.
    """

    jitted: Jitted
    function: Function
    named: ast.FunctionDef | ast.Name
    name: str
    bound: bool
    uses: Callers


@dataclass(frozen=True, slots=True)
class Donation:
    """What to donate.

    Attributes:
      parameters: in the order of the function.
      call: one in a loop that binds them anew.
    """

    step: Step
    parameters: tuple[str, ...]
    call: ast.Call


def steps(module: Module) -> Iterator[Step]:
    """The jitted functions that have a name, and whose function can be read."""
    for function in module.functions:
        if isinstance(function, ast.FunctionDef) and (found := module.decorated(function)) is not None:
            bound = isinstance(module.parent(function), ast.ClassDef) and not _is_static(function)
            yield Step(found, function, function, function.name, bound, callers(module, function))
    for call in module.all_calls():
        match module.parent(call):
            case ast.Assign(targets=[ast.Name() as target], value=value) if value is call:
                found = module.jitted(call)
                scope = module.scope_of(target.id, target)
                if found is None or found.function is None or found.at is not call:
                    continue
                if len(module.bindings(target.id, scope)) == 1:
                    yield Step(found, found.function, target, target.id, False, callers(module, target))


def _is_static(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)


def looped(module: Module, step: Step) -> tuple[ast.Call, tuple[str, ...]] | None:
    """A call in a loop, and the parameters whose argument its statement binds anew; None where there is none."""
    for call in step.uses.calls:
        if module.runs(call) is Runs.TRACED or not _is_in_loop(module, call):
            continue
        passed = arguments_of(step.function, call, bound=step.bound) or {}
        again = [name for name, value in passed.items() if value is not None and _binds_again(module, call, value)]
        chosen = [name for name in again if _statically(step, name) is False]
        if chosen:
            return call, tuple(chosen)
    return None


def judge(module: Module, step: Step, call: ast.Call, wanted: Sequence[str]) -> Donation:
    """Which of the `wanted` parameters can be donated.

    Raises:
      Declined: none.
    """
    _check_uses(module, step)
    reasons, chosen = [], []
    for name in wanted:
        try:
            _check(module, step, name)
        except Declined as reason:
            reasons.append(str(reason))
        else:
            chosen.append(name)
    if not chosen:
        raise Declined(reasons[0])
    return Donation(step, tuple(chosen), call)


def _statically(step: Step, name: str) -> bool | None:
    return step.jitted.jit.is_static(name)


def _is_in_loop(module: Module, call: ast.Call) -> bool:
    return any(isinstance(loop, LOOPS) for loop in module.loops(call))


def _targets(module: Module, call: ast.Call) -> tuple[ast.expr, ...]:
    """What the statement of `call` binds to its results, if it does nothing else."""
    match module.parent(call):
        case ast.Assign(targets=[ast.Tuple(elts=elts) | ast.List(elts=elts)]):
            return tuple(elts)
        case ast.Assign(targets=[target]):
            return (target,)
    return ()


def _binds_again(module: Module, call: ast.Call, value: ast.expr) -> bool:
    if not isinstance(value, ast.Name | ast.Attribute):
        return False
    return any(ast.unparse(target) == ast.unparse(value) for target in _targets(module, call))


# --- the calls ----------------------------------------------------------------------------------------------------


def _check_uses(module: Module, step: Step) -> None:
    if not step.uses.closed:
        raise Declined(f"other files may call `{step.name}`, and go on with what they passed")
    for use in step.uses.others:
        raise Declined(f"`{step.name}` is handed on in line {use.lineno}, to code that may go on with what it passes")
    if step.jitted.jit.static is None or step.jitted.jit.parameters is None:
        raise Declined("its options are not in the text")
    for call in step.uses.calls:
        if arguments_of(step.function, call, bound=step.bound) is None:
            raise Declined(f"line {call.lineno} calls it with `*` or `**`")


def _check(module: Module, step: Step, parameter: str) -> None:
    """Raises if what some call passes for `parameter` is needed afterwards."""
    for call in step.uses.calls:
        passed = (arguments_of(step.function, call, bound=step.bound) or {}).get(parameter)
        if passed is None:
            raise Declined(
                f"line {call.lineno} leaves `{parameter}` at its default, which would be gone after one call"
            )
        if isinstance(passed, ast.Call | ast.BinOp):
            continue  # nobody else has it
        if not isinstance(passed, ast.Name):
            raise Declined(f"`{module.text(passed)}` in line {call.lineno} is part of an object, which others may read")
        if not _binds_again(module, call, passed):
            raise Declined(f"line {call.lineno} passes `{passed.id}` and goes on with it")
        _check_variable(module, step, call, passed)


def _check_variable(module: Module, step: Step, call: ast.Call, passed: ast.Name) -> None:
    name = passed.id
    scope = module.scope_of(name, passed)
    around = module.function(call) or module.tree
    if scope is not around:
        raise Declined(f"`{name}` belongs to code around the loop")
    if any(isinstance(outer, ast.Try) for outer in _within(module, call)):
        raise Declined(f"after an exception in line {call.lineno} `{name}` may be gone")
    calls = [c for c in step.uses.calls if (module.function(c) or module.tree) is around]
    state = {n.id for c in calls for n in _targets(module, c) if isinstance(n, ast.Name)}
    for binding in module.bindings(name, scope):
        _check_first(module, calls, state, binding.node, name)
    for load in _loads(module, name, scope):
        if load is not passed and not any(load in c.args or load in [k.value for k in c.keywords] for c in calls):
            _check_load(module, load, calls, state)
        elif load is not passed and load in [*call.args, *(k.value for k in call.keywords)]:
            raise Declined(f"`{name}` is passed twice in line {call.lineno}")


def _within(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        yield outer


def _loads(module: Module, name: str, scope: ast.AST | None) -> Iterator[ast.Name]:
    for node in ast.walk(scope or module.tree):
        is_load = isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Name) and is_load and module.scope_of(name, node) is scope:
            yield node


# --- where it comes from ------------------------------------------------------------------------------------------

_SAME_BUFFER = frozenset(
    {
        *("asarray", "device_put", "map", "tree_map", "reshape", "ravel", "squeeze", "stop_gradient", "unflatten"),
        *("tree_unflatten", "broadcast_to", "atleast_1d", "atleast_2d", "real", "block_until_ready", "identity"),
    }
)
"""Last names of functions of JAX that may return the very buffer that they are given."""


_KEYS = frozenset({"key", "keys", "rng", "rngs", "seed"})
"""Keywords of what random numbers are drawn with, which nobody keeps."""


def _check_first(module: Module, calls: Sequence[ast.Call], state: set[str], node: ast.AST, name: str) -> None:
    """What binds the variable must give it something that nobody else has."""
    if isinstance(node, ast.arg):
        raise Declined(f"`{name}` comes from the caller, who may use it again")
    value = _bound_to(module, node) if isinstance(node, ast.Name) else None
    if isinstance(module.parent(node), ast.AugAssign) or value in calls:
        return
    if value is None:
        raise Declined(f"`{name}` is bound in a way that does not tell what else has it")
    _check_fresh(module, calls, state, value, name)


def _bound_to(module: Module, node: ast.Name) -> ast.expr | None:
    """What `node` is bound to, or the whole that it is a part of."""
    value = module.value_of(node)
    parent = module.parent(node)
    assign = module.parent(parent) if isinstance(parent, ast.Tuple | ast.List) else None
    if value is not None or not isinstance(parent, ast.Tuple | ast.List) or not isinstance(assign, ast.Assign):
        return value
    whole = assign.value
    is_alike = isinstance(whole, ast.Tuple) and len(whole.elts) == len(parent.elts)
    return whole.elts[parent.elts.index(node)] if is_alike and isinstance(whole, ast.Tuple) else whole


def _check_fresh(module: Module, calls: Sequence[ast.Call], state: set[str], value: ast.expr, name: str) -> None:
    match value:
        case ast.BinOp() | ast.Constant() | ast.Compare() | ast.UnaryOp():
            return
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                _check_fresh(module, calls, state, part, name)
        case ast.Call():
            _check_made(module, calls, state, value, name)
        case _:
            raise Declined(f"`{name}` is `{_line(module, value)}` at first, which would be gone")


def _check_made(module: Module, calls: Sequence[ast.Call], state: set[str], call: ast.Call, name: str) -> None:
    """What a call makes must not be, or hold, what it is given and somebody reads later."""
    function = module.definition(call.func)
    for result in _returned(function) if function is not None else ():
        for part in result.elts if isinstance(result, ast.Tuple) else (result,):
            if isinstance(part, ast.Name) and module.scope_of(part.id, part) is module.tree:
                raise Declined(f"`{name}` is the `{part.id}` of the module at first, which would be gone")
    if makes_new(module, call) or (isinstance(call.func, ast.Attribute) and call.func.attr == "init"):
        return
    named = (k.value for k in call.keywords if k.arg not in _KEYS)
    for given in (n for a in (*call.args, *named) for n in ast.walk(a)):
        if isinstance(given, ast.Name) and given.id not in state and _is_needed(module, given, calls):
            raise Declined(f"`{name}` may hold `{given.id}`, which is given to `{_line(module, call)}` and read later")


def _is_needed(module: Module, given: ast.Name, calls: Sequence[ast.Call]) -> bool:
    """Whether `given` is data that somebody can read when a call has run."""
    scope = module.scope_of(given.id, given)
    if scope is None or given.id in module.imports:
        return False
    for binding in module.bindings(given.id, scope):
        if isinstance(binding.node, ast.arg):
            return True
        value = _bound_to(module, binding.node) if isinstance(binding.node, ast.Name) else None
        made_by = module.qualname(value.func) if isinstance(value, ast.Call) else None
        if not isinstance(value, ast.Constant) and not (made_by or "").startswith("jax.random."):
            loads = _loads(module, given.id, scope)
            return any(load.lineno > min(call.lineno for call in calls) or module.loops(load) for load in loads)
    return False


def _returned(function: Function) -> Iterator[ast.expr]:
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value


# --- where it goes ------------------------------------------------------------------------------------------------

_READERS = frozenset({"print", "float", "int", "len", "str", "repr", "bool", "type", "isinstance", "round"})
_READING_METHODS = frozenset(
    {
        "sum",
        "mean",
        "max",
        "min",
        "std",
        "var",
        "prod",
        "all",
        "any",
        "item",
        "tolist",
        "argmax",
        "argmin",
        "copy",
        "dot",
    }
)
_DEPTH = 3


def _check_load(module: Module, load: ast.Name, calls: Sequence[ast.Call], state: set[str]) -> None:
    name = load.id
    if isinstance(load.ctx, ast.Del):
        return
    if module.function(load) is not module.function(calls[0]):
        raise Declined(f"a function reads `{name}` in line {load.lineno}, and may do so when it is gone")
    if _comes_last(module, load, calls) or _is_only_read(module, load, state):
        return
    statement = " ".join(module.text(module.statement(load)).split("\n")[0].split())
    raise Declined(f"`{name}` may still be needed after `{statement}` in line {load.lineno}")


def _comes_last(module: Module, load: ast.Name, calls: Sequence[ast.Call]) -> bool:
    """Whether no call can follow on `load`."""
    loops = {loop for loop in _within(module, load) if isinstance(loop, LOOPS)}
    shared = any(loop in loops for call in calls for loop in _within(module, call) if isinstance(loop, LOOPS))
    return not shared and all(call.lineno < load.lineno for call in calls)


def _is_only_read(module: Module, node: ast.expr, state: set[str]) -> bool:
    """Whether what becomes of `node` holds nothing of it."""
    parent = module.parent(node)
    match parent:
        case ast.Attribute(attr="shape" | "dtype" | "ndim" | "size"):
            return True
        case ast.BinOp(op=op):
            return not isinstance(op, ast.BitOr)
        case ast.Compare() | ast.FormattedValue() | ast.UnaryOp() | ast.If() | ast.While() | ast.Assert():
            return True
        case ast.Subscript() | ast.Attribute():
            return _is_only_read(module, parent, state)
        case ast.keyword():
            call = module.parent(parent)
            return isinstance(call, ast.Call) and _call_only_reads(module, call, node, state)
        case ast.Call(func=func) if func is not node:
            return _call_only_reads(module, parent, node, state)
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in _READING_METHODS or isinstance(module.parent(parent), ast.Expr)
    return False


def _call_only_reads(module: Module, call: ast.Call, node: ast.expr, state: set[str]) -> bool:
    if isinstance(call.func, ast.Name) and call.func.id in _READERS and module.scope_of(call.func.id, call) is None:
        return True
    if makes_new(module, call):
        return True
    qualname = module.qualname(call.func) or ""
    if qualname == "jax.block_until_ready" and isinstance(module.parent(call), ast.Expr):
        return True
    # A state that is made of it, as an optimizer's, and donated beside it: two of one buffer raise at the first call.
    match call.func, module.parent(call):
        case ast.Attribute(attr="init"), ast.Assign(targets=[ast.Name(id=target)]) if target in state:
            return not _is_in_loop(module, call)
    return False


def makes_new(module: Module, call: ast.Call, depth: int = _DEPTH) -> bool:
    """Whether the results of `call` are arrays of their own."""
    found = module.jit(call.func)
    if found is not None:
        return found.donated == ()
    qualname = module.qualname(call.func) or ""
    if qualname.startswith(("jax.numpy.", "jax.nn.", "jax.random.", "jax.scipy.")):
        return qualname.rpartition(".")[2] not in _SAME_BUFFER
    match call.func:
        case ast.Call(func=made_by) if (module.qualname(made_by) or "").startswith("jax."):
            return (module.qualname(made_by) or "").rpartition(".")[2] in ("grad", "value_and_grad")
    function = module.definition(call.func)
    if function is None or depth == 0:
        return False
    results = list(_returned(function))
    return bool(results) and all(_is_new(module, result, depth) for result in results)


def _is_new(module: Module, result: ast.expr, depth: int) -> bool:
    match result:
        case ast.BinOp() | ast.Compare() | ast.Constant():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return all(_is_new(module, part, depth) for part in parts)
        case ast.Call():
            return makes_new(module, result, depth - 1)
        case ast.Name(id=name) if depth and isinstance(scope := module.scope_of(name, result), ast.FunctionDef):
            values = [
                module.value_of(b.node) if isinstance(b.node, ast.Name) else None for b in module.bindings(name, scope)
            ]
            return all(value is not None and _is_new(module, value, depth - 1) for value in values)
    return False


def _line(module: Module, node: ast.AST) -> str:
    return " ".join(module.text(node).split())
