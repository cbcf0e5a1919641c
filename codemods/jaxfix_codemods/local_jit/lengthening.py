"""Whether a jitted function can take further arguments, at the end of its own, and each call can pass them."""

import ast
from collections.abc import Sequence

from jaxfix.api import Code, Declined, Function, Module, Reason, walk
from jaxfix.api.analysis import hoisting, transform_of
from jaxfix.api.library import Transform, where
from jaxfix_codemods.local_jit.sites import Site
from jaxfix_codemods.local_jit.timing import check_timing

_NUMBERED = ("static_argnums", "donate_argnums", "static_broadcasted_argnums", "argnums")
_PLACED = ("in_axes", "in_shardings", "out_shardings", "axis_name", "in_axis_resources")
_MAPPING = where(Transform.BATCHES) | where(Transform.PARALLEL)


def check(module: Module, site: Site, function: Function, lifted: Sequence[hoisting.Taken]) -> None:
    """Refuses what `function`, which is made at `site`, cannot take.

    Raises:
      Declined: why.
    """
    if site.taker is not None:
        raise Declined(
            Reason(Code.SIGNATURE, f"it takes `{lifted[0].text}`, which `{module.text(site.taker.func)}` does not pass")
        )
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        raise Declined(
            Reason(Code.SIGNATURE, "it has `*`, default or keyword-only parameters, and would need one more")
        )
    _check_transformation(module, site)
    if site.stay.handed:
        raise Declined(
            Reason(Code.SIGNATURE, f"it needs the argument `{lifted[0].text}`, and is passed to another transformation")
        )
    if isinstance(function, ast.FunctionDef):
        _check_uses(module, site, function)
    for call in site.stay.calls:
        _check_call(call, function)
        for one in lifted:
            if module.scope_of(one.name, call) is not module.scope_of(one.name, function):
                raise Declined(Reason(Code.NAME_CLASH, f"`{one.name}` means something else where it is called"))
            check_timing(module, site, one, call)


def _check_uses(module: Module, site: Site, function: ast.FunctionDef) -> None:
    if any(isinstance(n, ast.Name) and n.id == function.name for s in function.body for n in walk(s)):
        raise Declined(Reason(Code.OTHER_USES, f"`{function.name}` calls itself, and would need more arguments"))
    if site.function is None and len(module.loads(function.name)) > 1:
        raise Declined(Reason(Code.OTHER_USES, f"`{function.name}` is used elsewhere too"))


def _check_transformation(module: Module, site: Site) -> None:
    """What transforms the function must not say anything of arguments that it does not know of."""
    if site.by in _MAPPING:
        raise Declined(Reason(Code.SIGNATURE, f"under `{site.by}` another argument would be mapped over"))
    if site.function is not None and len(site.function.decorator_list) > 1:
        raise Declined(
            Reason(Code.DECORATED, f"`{site.function.name}` has another decorator, and would need more arguments")
        )
    bodies = [n.body for n in walk(site.at) if isinstance(n, ast.Lambda)]
    for call in (n for n in walk(site.at) if isinstance(n, ast.Call)):
        if any(body is call or body in module.ancestors(call) for body in bodies):
            continue  # what the function does itself
        name = transform_of(module, call.func) or ""
        if name in _MAPPING:
            raise Declined(
                Reason(Code.SIGNATURE, f"under `{module.text(call.func)}` another argument would be mapped over")
            )
        if name == "functools.partial" and call.func is not site.at and transform_of(module, call.args[0]) is None:
            raise Declined(Reason(Code.SIGNATURE, "a partial application fixes the order of its arguments"))
        for keyword in call.keywords:
            _check_option(keyword)


def _check_option(keyword: ast.keyword) -> None:
    if keyword.arg in _PLACED or keyword.arg is None:
        raise Declined(Reason(Code.SIGNATURE, f"`{keyword.arg or '**'}` is given per argument"))
    negative = any(isinstance(n, ast.UnaryOp) for n in walk(keyword.value))
    known = all(isinstance(n, ast.Constant | ast.Tuple | ast.List | ast.Load) for n in walk(keyword.value))
    if keyword.arg in _NUMBERED and (negative or not known):
        raise Declined(Reason(Code.SIGNATURE, f"`{keyword.arg}` may count from the end"))


def _check_call(call: ast.Call, function: Function) -> None:
    wanted = len(function.args.args) + len(function.args.posonlyargs)
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise Declined(Reason(Code.STAR_ARGUMENTS, "it is called with `*` or `**`, and would need more arguments"))
    if len(call.args) + len(call.keywords) != wanted:
        raise Declined(Reason(Code.SIGNATURE, "it is called with an unexpected number of arguments"))
