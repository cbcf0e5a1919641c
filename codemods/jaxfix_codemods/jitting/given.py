"""What all calls of a function pass to its parameters, here, in other files and by derivatives of it."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from jaxfix.api import Code, Declined, Module, Reason, arguments_of, frozen
from jaxfix.api.analysis import (
    ArgumentKind,
    ArgumentSummary,
    Callers,
    CallSite,
    Passing,
    Values,
    default_of,
    outside_arguments,
)
from jaxfix_codemods.jitting.applied import applied, check_applied
from jaxfix_codemods.jitting.handed_on import derived_calls


@frozen
class Given:
    """What one call passes to the parameters, defaults included, and where it is."""

    at: str
    arguments: dict[str, ArgumentSummary]


def given_to(
    module: Module, values: Values, function: ast.FunctionDef, uses: Callers, called: Collection[str], *, bound: bool
) -> list[Given]:
    """What all calls pass, those of derivatives of the function too; `called` are the parameters that it calls."""
    passing = Passing(module, values)

    def place(node: ast.AST) -> str:
        return f"line {getattr(node, 'lineno', 1)}"

    derived = [call for other in uses.others for call in derived_calls(module, other)]
    here = [*uses.calls, *derived]
    every: list[tuple[str, CallSite, ast.Call | None]] = [
        *((place(call), passing.called(here, call, place, bound=bound), call) for call in here),
        *((use.at, use.call, None) for use in uses.outside if use.call is not None),
    ]
    if not every:
        raise Declined(Reason(Code.UNREAD, f"no call of `{function.name}` is known"))
    found = []
    for at, told, call in every:
        arguments = outside_arguments(function, told)
        if arguments is None:
            raise Declined(Reason(Code.STAR_ARGUMENTS, f"`{function.name}` is called with `*` or `**`"))
        given = dict(_with_defaults(passing, function, arguments))
        passed = (arguments_of(function, call, bound=bound) or {}) if call is not None and called else {}
        for name in given.keys() & {*called} & passed.keys():
            given[name] = _as_model(module, values, passed[name], given[name])
        found.append(Given(at, given))
    return found


def _as_model(module: Module, values: Values, passed: ast.expr | None, summary: ArgumentSummary) -> ArgumentSummary:
    """The argument as a function, where it is the method that applies a model."""
    methods = applied(module, passed) if passed is not None else ()
    if summary.sort is not ArgumentKind.DATA or not methods:
        return summary
    reason = None
    try:
        for method in methods:
            check_applied(module, values, method)
    except Declined as declined:
        reason = declined.reason
    return replace(summary, sort=ArgumentKind.FUNCTION, why_unstable=reason)


def _with_defaults(
    passing: Passing, function: ast.FunctionDef, arguments: Mapping[str, ArgumentSummary | None]
) -> Iterator[tuple[str, ArgumentSummary]]:
    for name, passed in arguments.items():
        default = default_of(function, name)
        if passed is not None:
            yield name, passed
        elif default is not None:
            yield name, passing.of_default(name, default)
