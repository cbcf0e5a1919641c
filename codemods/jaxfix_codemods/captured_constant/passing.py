"""A jitted function and what passes its constants to it."""

import ast
import re
from collections.abc import Sequence

from jaxfix.api import (
    Code,
    Declined,
    Function,
    Identifiers,
    Jitted,
    Module,
    Reason,
    Rewriter,
    jitted_by_decorator,
    walk,
)
from jaxfix.api.analysis import USERS, callers, positional_of

_OPTIONS = frozenset(
    {"static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "inline", "keep_unused"}
)
"""Options of `jit` that say nothing of a parameter that comes after all others."""

_GIVEN = ("lower", "trace", "eval_shape", "clear_cache", "__wrapped__")
"""What `jit` gives a function that the one which passes the constants has not."""


def check_function(module: Module, function: Function) -> None:
    """Refuses a function that cannot take another parameter.

    Raises:
      Declined: it cannot.
    """
    found = jitted_by_decorator(module, function)
    if not isinstance(function, ast.FunctionDef) or found is None or len(function.decorator_list) != 1:
        raise Declined(Reason(Code.DECORATED, "what is compiled is not a function with `jit` as its only decorator"))
    if module.method_of(function) is not None:
        raise Declined(Reason(Code.SIGNATURE, "it is a method"))
    _check_options(module, found)
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Declined(Reason(Code.STAR_ARGUMENTS, "its parameters have a `*` or `**`"))
    _check_defaults(found, arguments)
    for use in callers(module, function).others:
        if isinstance(module.parent(use), ast.Attribute):
            text = module.text(module.parent(use) or use)
            raise Declined(Reason(Code.OTHER_USES, f"line {use.lineno} uses `{text}`", use.lineno))
    name, project = module.surroundings.name, module.surroundings.project
    qualname = f"{name}.{function.name}"
    is_named = any(project.ask(USERS, f"{qualname}.{each}") for each in _GIVEN)
    if is_named or any(use.call is None for use in project.ask(USERS, qualname)):
        raise Declined(Reason(Code.OTHER_USES, f"another file may use what `jit` gives `{function.name}`"))


def _check_options(module: Module, found: Jitted) -> None:
    named = {each.arg for node in walk(found.at) if isinstance(node, ast.Call) for each in node.keywords}
    is_plain = found.jit.by == "jax.jit" and named <= _OPTIONS and found.jit.static is not None
    chosen = (*(found.jit.static or ()), *(found.jit.donated or ()))
    if not is_plain or found.jit.donated is None or any(isinstance(each, int) and each < 0 for each in chosen):
        text = module.text(found.at)
        raise Declined(Reason(Code.SIGNATURE, f"`{text}` describes its parameters, and may not fit one more"))


def _check_defaults(found: Jitted, arguments: ast.arguments) -> None:
    """What is left out is a constant of the program; the new function passes everything."""
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    traced = [each.arg for each, default in pairs if default is not None and not found.jit.is_static(each.arg)]
    if arguments.defaults or traced:
        name = traced[0] if traced else positional_of(arguments)[-1].arg
        raise Declined(Reason(Code.SIGNATURE, f"`{name}` has a default"))


def pass_on(module: Module, function: ast.FunctionDef, variables: Sequence[str], edit: Rewriter) -> None:
    """Has the jitted function take the variables, and a function of its name and its parameters pass them."""
    inner = module.get(Identifiers).unused(
        f"{function.name}_jitted" if function.name.startswith("_") else f"_{function.name}"
    )
    opening = _opening(module.text(function), function.name)
    parameters = _within(module.text(function), opening)
    last = _last_parameter(function.args)
    more = ", ".join(variables)
    text = module.text(function)
    if last is not None:
        text = module.substitute(function, {last: f"{module.text(last)}, {more}"})
    else:
        text = f"{text[:opening]}{more}{text[opening:]}"
    start = text.rindex("def", 0, opening)
    jitted = f"{text[:start]}def {inner}({text[opening:]}"
    blank = "\n\n" if function.col_offset else "\n\n\n"
    edit.replace(function, f"{jitted}{blank}{_outer(module, function, inner, variables, parameters)}")


def _opening(text: str, name: str) -> int:
    """Where the parameters begin, after the bracket."""
    found = re.search(rf"(?m)^[ \t]*def\s+{name}\s*\(", text)
    assert found is not None
    return found.end()


def _within(text: str, start: int) -> str:
    """What is between the bracket that opened before `start` and its end; comments and strings have none."""
    depth, position = 1, start
    while depth:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[position], 0)
        position += 1
    return text[start : position - 1]


def _last_parameter(arguments: ast.arguments) -> ast.expr | ast.arg | None:
    """The last parameter, or its default."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    default = arguments.kw_defaults[-1] if arguments.kwonlyargs else None
    return default or (every[-1] if every else None)


def _outer(module: Module, function: ast.FunctionDef, inner: str, variables: Sequence[str], parameters: str) -> str:
    """What has the name and the parameters of the function, and passes the variables too."""
    by_name = [each.arg for each in function.args.kwonlyargs]
    given = [each.arg for each in positional_of(function.args)]
    given += [f"{name}={name}" for name in (*by_name, *variables)] if by_name else list(variables)
    returns = f" -> {module.text(function.returns)}" if function.returns is not None else ""
    return f"def {function.name}({parameters}){returns}:\n    return {inner}({', '.join(given)})"
