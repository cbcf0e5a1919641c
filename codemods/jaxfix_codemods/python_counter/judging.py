"""Whether a number can be traced: what the function does with it, and what its caller does."""

import ast

from jaxfix.api import Code, Declined, Function, Jitted, Module, Reason, frozen, jitted_of
from jaxfix.api.analysis import callers, default_of, induction, positional_of, treatment
from jaxfix_codemods.python_counter.counters import Counter, arguments

_PLACED = ("in_axes", "in_shardings", "in_axis_resources", "static_broadcasted_argnums")


@frozen
class Unstatic:
    """What to take out of the static arguments.

    Attributes:
      holder: the call that has the options; `text` is what becomes of it.
    """

    holder: ast.Call
    text: str


def check_boundary(module: Module, counter: Counter) -> None:
    """Whether the number may become an array at the call.

    Raises:
      Declined: it may not, and why.
    """
    if counter.holder is not None:
        raise Declined(
            Reason(
                Code.NO_ARRAY,
                f"it becomes a field of `{counter.holder}`: give the field an array, and count in Python beside it",
            )
        )
    if counter.jit.by == "equinox.filter_pmap":
        raise Declined(Reason(Code.NO_ARRAY, "`filter_pmap` would map over an array"))
    if not module.has_exact_spans(counter.number):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    if counter.argument is not counter.number:
        raise Declined(Reason(Code.UNREAD, "it is passed in a container: what the function does with it is unknown"))
    function, parameter = _parameter(module, counter)
    found = treatment(module, function, parameter)
    if found.reason is not None:
        raise Declined(
            found.reason.restated(f"`{_name(module, counter)}` {found.reason}; an array is not accepted there")
        )
    if found.returned:
        _check_comes_back(module, counter)


def check_size(module: Module, counter: Counter) -> None:
    """Whether an array can hold the number.

    Raises:
      Declined: it is too large.
    """
    if not induction.is_small(counter.number):
        raise Declined(Reason(Code.OVERFLOW, f"`{module.text(counter.number)}` may not fit into 32 bits"))


def _name(module: Module, counter: Counter) -> str:
    return module.text(counter.call.func)


def _parameter(module: Module, counter: Counter) -> tuple[Function, str]:
    jitted = jitted_of(module, counter.call.func)
    if jitted is None or jitted.function is None:
        raise Declined(Reason(Code.UNREAD, f"the function that `{_name(module, counter)}` calls is unknown"))
    if isinstance(counter.key, str):
        named = [a.arg for a in (*jitted.function.args.args, *jitted.function.args.kwonlyargs)]
        if counter.key in named:
            return jitted.function, counter.key
    elif counter.key < len(jitted.jit.parameters or ()):
        return jitted.function, (jitted.jit.parameters or ())[counter.key]
    raise Declined(Reason(Code.STAR_ARGUMENTS, f"`{_name(module, counter)}` takes it in `*` or `**`"))


def _check_comes_back(module: Module, counter: Counter) -> None:
    """The result has an array in the place of the number: only where the caller does no more than count."""
    name = counter.number
    if not isinstance(name, ast.Name):
        raise Declined(Reason(Code.NO_ARRAY, f"`{_name(module, counter)}` returns a number computed from it"))
    scope = module.scope_of(name.id, name)
    targets = [b.node for b in module.bindings(name.id, scope) if isinstance(b.node, ast.Name)]
    if not any(induction.comes_back(module, target) is counter.call for target in targets):
        raise Declined(Reason(Code.NO_ARRAY, f"`{_name(module, counter)}` returns it, and would return an array"))
    for read in module.uses(name.id, scope):
        if read is name or isinstance(read.ctx, ast.Store):
            continue
        if not _is_for_people(module, read):
            raise Declined(
                Reason(Code.NO_ARRAY, f"`{name.id}` comes back as an array, and is read in `{_line(module, read)}`")
            )


def _is_for_people(module: Module, read: ast.Name) -> bool:
    """Whether an array does there what a number does: it is compared, or shown."""
    node: ast.AST = read
    while True:
        parent = module.parent(node)
        match parent:
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mod()) | ast.Compare() | ast.BoolOp():
                node = parent
            case ast.While(test=test) | ast.If(test=test):
                return test is node
            case ast.Call(func=ast.Name(id="print")):
                return node is read
            case ast.FormattedValue(format_spec=None):
                return node is read
            case _:
                return False


def _line(module: Module, node: ast.AST) -> str:
    return module.text(module.statement(node)).splitlines()[0]


# --- static arguments ---------------------------------------------------------------------------------------------


def unstatic(module: Module, counter: Counter) -> Unstatic:
    """How to take the number out of the static arguments.

    Raises:
      Declined: it has to stay among them, and why.
    """
    function, parameter = _parameter(module, counter)
    jitted = jitted_of(module, counter.call.func)
    assert jitted is not None
    names = [a.arg for a in positional_of(function.args)]
    names = names[len(names) - len(jitted.jit.parameters or ()) :] if jitted.at not in _decorators(function) else names
    found = treatment(module, function, parameter)
    if found.reason is not None:
        raise Declined(
            found.reason.restated(f"`{_name(module, counter)}` {found.reason}; a traced number is not accepted there")
        )
    _check_callers(module, jitted, counter, function, parameter)
    return _without(module, jitted, parameter, names.index(parameter) if parameter in names else None)


def _check_callers(module: Module, jitted: Jitted, counter: Counter, function: Function, parameter: str) -> None:
    default = default_of(function, parameter)
    if default is not None and induction.number(module, default, default) is None:
        raise Declined(Reason(Code.NO_ARRAY, f"the default of `{parameter}` is not a number"))
    for call in _calls(module, jitted, counter, function):
        passed = next((a for key, a in arguments(call) if _is_same(counter, jitted, key, parameter)), default)
        if passed is None:
            raise Declined(Reason(Code.UNREAD, f"what another call passes as `{parameter}` is unknown"))
        if induction.number(module, passed, call) is None:
            raise Declined(Reason(Code.NO_ARRAY, f"another call passes `{module.text(passed)}` as `{parameter}`"))


def _is_same(counter: Counter, jitted: Jitted, key: int | str, parameter: str) -> bool:
    names = jitted.jit.parameters or ()
    return key == parameter or (isinstance(key, int) and key < len(names) and names[key] == parameter)


def _calls(module: Module, jitted: Jitted, counter: Counter, function: Function) -> tuple[ast.Call, ...]:
    """Every call of the jitted function; it must not be passed on."""
    named: ast.FunctionDef | ast.Name | None = None
    if isinstance(function, ast.FunctionDef) and jitted.at in function.decorator_list:
        named = function
    elif isinstance(module.parent(jitted.at), ast.Assign):
        target = module.parent(jitted.at).targets[0]  # type: ignore[union-attr]
        named = target if isinstance(target, ast.Name) else None
    elif jitted.at is counter.call.func:
        return (counter.call,)
    if named is None:
        raise Declined(Reason(Code.UNREAD, "its callers are unknown"))
    found = callers(module, named)
    others = [use for use in found.others if jitted.at not in module.ancestors(use)]
    if others:
        raise Declined(
            Reason(Code.ESCAPES, f"`{_name(module, counter)}` is passed on, in `{_line(module, others[0])}`")
        )
    for use in found.outside:
        raise Declined(Reason(Code.UNREAD, f"{use.at} uses it too, and what that passes is unknown"))
    return found.calls


def _decorators(function: Function) -> list[ast.expr]:
    return [] if isinstance(function, ast.Lambda) else function.decorator_list


def _without(module: Module, jitted: Jitted, parameter: str, index: int | None) -> Unstatic:
    holder = _holder(jitted.at)
    if holder is None:
        raise Declined(Reason(Code.UNREAD, "where it is made static is unknown"))
    if any(keyword.arg in _PLACED for keyword in holder.keywords):
        raise Declined(Reason(Code.SIGNATURE, "the options of the jit are given per argument that is not static"))
    text = module.text(holder)
    if "#" in text or not module.has_exact_spans(holder):
        raise Declined(Reason(Code.LAYOUT, "comments stand among the options of the jit"))
    kept, is_named = [], False
    for keyword in holder.keywords:
        if keyword.arg not in ("static_argnums", "static_argnames"):
            kept.append(module.text(keyword))
            continue
        rest, found = _rest(module, keyword.value, parameter, index)
        is_named = is_named or found
        if rest is not None:
            kept.append(f"{keyword.arg}={rest}")
    if not is_named:
        raise Declined(Reason(Code.UNREAD, "where it is made static is unknown"))
    return Unstatic(holder, _call(module, holder, kept))


def _holder(at: ast.expr) -> ast.Call | None:
    """The call that has the options, in `partial(jax.jit, ...)(f)` too."""
    while isinstance(at, ast.Call):
        if any(k.arg in ("static_argnums", "static_argnames") for k in at.keywords):
            return at
        at = at.func
    return None


def _rest(module: Module, value: ast.expr, parameter: str, index: int | None) -> tuple[str | None, bool]:
    """What is left of a list of static arguments, None for nothing, and whether the argument was in it."""
    elements = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    if not all(isinstance(e, ast.Constant) and isinstance(e.value, int | str) for e in elements):
        raise Declined(Reason(Code.SIGNATURE, f"`{module.text(value)}` is not spelled out"))
    left = [e for e in elements if isinstance(e, ast.Constant) and e.value not in (parameter, index)]
    if len(left) == len(elements):
        return module.text(value), False
    match left:
        case []:
            return None, True
        case [only]:
            return (f"({module.text(only)},)" if isinstance(value, ast.Tuple | ast.List) else module.text(only)), True
    return f"({', '.join(module.text(e) for e in left)})", True


def _call(module: Module, holder: ast.Call, kept: list[str]) -> str:
    parts = [*(module.text(a) for a in holder.args), *kept]
    is_partial = module.qualname(holder.func) == "functools.partial"
    if not kept and is_partial and len(holder.args) == 1:
        return module.text(holder.args[0])
    if not parts:
        return module.text(holder.func)
    return f"{module.text(holder.func)}({', '.join(parts)})"
