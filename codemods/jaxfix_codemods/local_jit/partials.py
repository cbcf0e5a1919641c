"""A `functools.partial` under jit whose arguments can as well be passed at the call."""

import ast

from jaxfix.api import Module, Rewriter, frozen
from jaxfix.api.analysis import positional_of, purity, traced_uses
from jaxfix_codemods.local_jit.sites import Site


@frozen
class Unapplied:
    """`jit(partial(f, k))(x)`, which can be `jit(f)(k, x)`: a jit of the same function each time.

    Attributes:
      partial: the partial application; `function` is the text of its function.
      call: of the jitted function.
    """

    partial: ast.Call
    call: ast.Call
    function: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    title: str


def unapplied(module: Module, site: Site) -> Unapplied | None:
    """How `site` can do without its `partial`; None where it cannot, or where the `partial` itself can move."""
    match site.stay.calls, site.at:
        case [ast.Call(func=func) as call], ast.Call(args=[ast.Call(args=[_, *_]) as inner], keywords=[]) if (
            func is site.at and module.qualname(inner.func) == "functools.partial"
        ):
            return _of(module, inner, call)
    return None


def _of(module: Module, inner: ast.Call, call: ast.Call) -> Unapplied | None:
    function = module.definition(inner.args[0])
    given = inner.args[1:]
    every = (*given, *(k.value for k in inner.keywords), *inner.args, *call.args)
    if not isinstance(function, ast.FunctionDef) or module.function(function) is not None or module.loops(function):
        return None
    if all(isinstance(value, ast.Constant) for value in (*given, *(k.value for k in inner.keywords))):
        return None  # it can be made once as it is
    if any(isinstance(value, ast.Starred) for value in every) or any(
        k.arg is None for k in (*inner.keywords, *call.keywords)
    ):
        return None
    names = [a.arg for a in positional_of(function.args)][: len(given)]
    names += [k.arg for k in inner.keywords if k.arg is not None]
    if function.decorator_list or len(names) != len(given) + len(inner.keywords) or function.args.vararg:
        return None
    if not module.has_exact_spans(call) or purity(module, function).reason is not None:
        return None
    if not all(traced_uses.is_array_in(module, function, name) for name in names):
        return None
    text = module.text(inner.args[0])
    return Unapplied(
        inner,
        call,
        text,
        tuple(module.text(value) for value in given),
        tuple((k.arg, module.text(k.value)) for k in inner.keywords if k.arg is not None),
        f"Pass `{names[0]}` to the jitted `{text}` itself",
    )


def apply_at_the_call(plan: Unapplied, edit: Rewriter) -> None:
    edit.replace(plan.partial, plan.function)
    for text in plan.positional:
        edit.insert_argument(plan.call, text, before=0)
    for name, text in plan.named:
        edit.set_keyword(plan.call, name, text)
