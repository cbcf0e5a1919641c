"""A `functools.partial` under jit whose arguments can as well be passed at the call."""

import ast
from collections.abc import Sequence

from jaxfix.api import Declined, Module, Rewriter, frozen
from jaxfix.api.analysis import hoisting, positional_of, purity, traced_uses
from jaxfix_codemods.local_jit.sites import Site
from jaxfix_codemods.local_jit.timing import check_kept


@frozen
class Unapplied:
    """`jit(partial(f, k))(x)`, which can be `jit(f)(k, x)`: a jit of the same function each time.

    Attributes:
      partial: the partial application; `function` is the text of its function.
      calls: those of the jitted function.
    """

    partial: ast.Call
    calls: tuple[ast.Call, ...]
    function: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    title: str


def unapplied(module: Module, site: Site) -> Unapplied | None:
    """How `site` can do without its `partial`; None where it cannot, or where the `partial` itself can move."""
    match site.at:
        case ast.Call(args=[ast.Call(args=[_, *_]) as inner], keywords=[]) if (
            module.qualname(inner.func) == "functools.partial"
        ):
            calls = _calls(module, site, inner)
            return _of(module, inner, calls) if calls else None
    return None


def _calls(module: Module, site: Site, inner: ast.Call) -> tuple[ast.Call, ...]:
    """All that is done with the jitted function: calls of it, at which the `partial` would bind the same."""
    match site.stay.calls:
        case [ast.Call(func=func) as call] if func is site.at:
            return (call,)
    if site.stay.handed or len(site.stay.targets) != 1:
        return ()
    (target,) = site.stay.targets
    is_only = len(module.bindings(target.id, module.scope_of(target.id, target))) == 1
    statement = module.parent(target)
    if not is_only or not isinstance(statement, ast.Assign) or statement.value is not site.at:
        return ()
    return tuple(site.stay.calls) if _stays(module, site, inner) else ()


def _stays(module: Module, site: Site, inner: ast.Call) -> bool:
    """Whether each call of the jitted function can read again what the `partial` binds."""
    try:
        for value in (*inner.args[1:], *(keyword.value for keyword in inner.keywords)):
            root = value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                for call in site.stay.calls:
                    check_kept(module, site, hoisting.Taken(module.text(value), root.id, ()), call)
            elif not isinstance(root, ast.Constant):
                return False
    except Declined:
        return False
    return True


def _of(module: Module, inner: ast.Call, calls: Sequence[ast.Call]) -> Unapplied | None:
    function = module.definition(inner.args[0])
    given = inner.args[1:]
    if not isinstance(function, ast.FunctionDef) or module.function(function) is not None or module.loops(function):
        return None
    if all(isinstance(value, ast.Constant) for value in (*given, *(k.value for k in inner.keywords))):
        return None  # it can be made once as it is
    if any(map(_is_spread, (inner, *calls))) or not all(map(module.has_exact_spans, calls)):
        return None
    names = [a.arg for a in positional_of(function.args)][: len(given)]
    names += [k.arg for k in inner.keywords if k.arg is not None]
    if function.decorator_list or len(names) != len(given) + len(inner.keywords) or function.args.vararg:
        return None
    if any(name == keyword.arg for name in names for call in calls for keyword in call.keywords):
        return None  # it replaces what the `partial` binds
    if purity(module, function).reason is not None:
        return None
    if not all(traced_uses.is_array_in(module, function, name) for name in names):
        return None
    text = module.text(inner.args[0])
    return Unapplied(
        inner,
        tuple(calls),
        text,
        tuple(module.text(value) for value in given),
        tuple((k.arg, module.text(k.value)) for k in inner.keywords if k.arg is not None),
        f"Pass `{names[0]}` to the jitted `{text}` itself",
    )


def _is_spread(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args) or any(k.arg is None for k in call.keywords)


def apply_at_the_call(plan: Unapplied, edit: Rewriter) -> None:
    edit.replace(plan.partial, plan.function)
    for call in plan.calls:
        for text in plan.positional:
            edit.insert_argument(call, text, before=0)
        for name, text in plan.named:
            edit.set_keyword(call, name, text)
