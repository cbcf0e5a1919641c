"""Whether a factory can be called in advance of a loop that may have no iteration: what may fail there."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Declined, Module, Reason, arguments_of, walk
from jaxfix.api.analysis import (
    family,
    function_identity,
    is_bound_before,
    own_class,
    positional_of,
    transform_of,
)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_MAKING = function_identity.RENEWING


def check(module: Module, call: ast.Call, factory: ast.FunctionDef, loop: ast.For | ast.While) -> None:
    """Refuses a call that may fail, before a loop that need not come to it.

    Raises:
      Declined: what may fail.
    """
    if _has_a_round(loop):
        return
    reason = _why_may_fail(module, call, factory, loop)
    if reason is not None:
        raise Declined(reason.restated(f"where the loop has no iteration, it would still be called: {reason}"))


def _has_a_round(loop: ast.For | ast.While) -> bool:
    """Whether the text says that `loop` runs at least once."""
    match loop:
        case ast.While(test=ast.Constant(value=value)):
            return bool(value)
        case ast.For(iter=iterable):
            return _is_not_empty(iterable)
    return False


def _is_not_empty(iterable: ast.expr) -> bool:
    match iterable:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(not isinstance(element, ast.Starred) for element in elts)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as stop)], keywords=[]):
            return stop > 0
        case ast.Call(
            func=ast.Name(id="range"), args=[ast.Constant(value=int() as start), ast.Constant(value=int() as stop)]
        ):
            return start < stop
        case ast.Call(func=ast.Name(id="enumerate" | "reversed" | "list" | "tuple"), args=[inner, *_]):
            return _is_not_empty(inner)
        case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as inner):
            return all(map(_is_not_empty, inner))
    return False


def _why_may_fail(module: Module, call: ast.Call, factory: ast.FunctionDef, loop: ast.stmt) -> Reason | None:
    given = arguments_of(factory, call)
    if given is None:
        return Reason(Code.STAR_ARGUMENTS, f"`{module.text(call)}` is called with `*` or `**`")
    late = _why_undefined(module, factory, loop)
    if late is not None:
        return late
    required = set(_required(factory))
    for name, argument in given.items():
        if argument is None and name in required:
            return Reason(Code.SIGNATURE, f"`{factory.name}` wants `{name}` too")
        if argument is not None and not is_there(module, argument, loop):
            return Reason(Code.MAY_FAIL, f"`{module.text(argument)}` may fail then")
    work = next((statement for statement in factory.body if not _only_makes(module, statement)), None)
    return Reason(Code.MAY_FAIL, f"line {work.lineno} of `{factory.name}` may fail then") if work is not None else None


def _required(factory: ast.FunctionDef) -> Iterator[str]:
    arguments = factory.args
    positional = positional_of(arguments)
    yield from (each.arg for each in positional[: len(positional) - len(arguments.defaults)])
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    yield from (each.arg for each, default in named if default is None)


def _why_undefined(module: Module, factory: ast.FunctionDef, loop: ast.stmt) -> Reason | None:
    """Why the name of the factory may not be bound yet where the loop is."""
    if module.function(factory) is not None:
        return (
            None
            if is_bound_before(module, factory, loop)
            else Reason(Code.CONDITIONAL, f"`{factory.name}` may not be defined then")
        )
    if factory not in module.tree.body:
        return Reason(Code.CONDITIONAL, f"`{factory.name}` is defined only under a condition")
    body = module.tree.body
    caller = next(each for each in (loop, *module.ancestors(loop)) if each in body)
    between = body[body.index(caller) : body.index(factory)] if isinstance(caller, ast.stmt) else []
    acting = next((each for each in between if not isinstance(each, _DEFINITIONS)), None)
    return (
        Reason(Code.MAY_FAIL, f"line {acting.lineno} runs before `{factory.name}` is defined", acting.lineno)
        if acting is not None
        else None
    )


def is_there(module: Module, argument: ast.expr, loop: ast.stmt) -> bool:
    """Whether reading `argument` before `loop` cannot fail."""
    match argument:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(is_there(module, part, loop) for part in parts)
        case ast.Name():
            return _is_bound(module, argument, loop)
        case ast.Attribute(value=ast.Name() as owner):
            return module.qualname(argument) is not None or _is_own(module, argument, owner)
    return False


def _is_bound(module: Module, name: ast.Name, loop: ast.stmt) -> bool:
    scope = module.scope_of(name.id, name)
    if scope is None or scope is not module.function(loop):
        return True  # a builtin, or a variable of code around, which was there when this function was made
    for binding in module.bindings(name.id, scope):
        if isinstance(binding.node, ast.arg):
            return True
        statement = binding.node if isinstance(binding.node, ast.stmt) else module.statement(binding.node)
        if is_bound_before(module, statement, loop):
            return True
    return False


def _is_own(module: Module, attribute: ast.Attribute, owner: ast.Name) -> bool:
    """Whether `attribute` is bound by the class itself, or whenever an object is made: it is read, not computed."""
    found = own_class(module, owner)
    classes = family(module, found) if found is not None else ()
    for each in classes:
        for method in each.body:
            if isinstance(method, ast.FunctionDef) and method.name == attribute.attr:
                return False
            if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                targets = (target for s in method.body if isinstance(s, ast.Assign) for target in s.targets)
                if any(isinstance(t, ast.Attribute) and t.attr == attribute.attr for t in targets):
                    return True
    return False


def _only_makes(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement of a factory makes functions, and does nothing that can fail."""
    match statement:
        case ast.FunctionDef(decorator_list=decorators, args=arguments):
            early = (*decorators, *arguments.defaults, *(d for d in arguments.kw_defaults if d))
            return all(_is_made(module, part) for part in early)
        case ast.Return(value=value) | ast.Assign(value=value, targets=[ast.Name()]):
            return value is not None and _is_made(module, value)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


def _is_made(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is made of names and transformations alone."""
    return all(_cannot_fail(module, part) for part in walk(expr) if _is_evaluated(module, part, expr))


def _cannot_fail(module: Module, part: ast.AST) -> bool:
    match part:
        case ast.Call(func=func):
            return (transform_of(module, func) or "") in _MAKING
        case ast.Attribute():
            return module.qualname(part) is not None
    return not isinstance(part, ast.Subscript | ast.BinOp | ast.Starred)


def _is_evaluated(module: Module, part: ast.AST, expr: ast.expr) -> bool:
    """Whether `part` is evaluated with `expr`, and not when a lambda in it is called."""
    inner: ast.AST = part
    while inner is not expr and (outer := module.parent(inner)) is not None:
        if isinstance(outer, ast.Lambda) and inner is outer.body:
            return False
        inner = outer
    return True
