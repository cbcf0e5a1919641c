"""Names, places and words that judging and rewriting share."""

import ast

from jaxfix.api import Function, Module


class Declined(Exception):
    """Why there is no fix."""


def loads(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Name]:
    """Where the function is used by name, outside of itself."""
    scope = module.scope_of(function.name, function)
    around = scope or module.tree
    found = (n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == function.name)
    return [
        n
        for n in found
        if isinstance(n.ctx, ast.Load) and module.scope_of(n.id, n) is scope and function not in module.ancestors(n)
    ]


def statement_in(module: Module, node: ast.AST, scope: ast.AST) -> ast.stmt:
    """The statement of the body of `scope` that holds `node`."""
    inner = node
    for outer in module.ancestors(node):
        if outer is scope:
            break
        inner = outer
    if not isinstance(inner, ast.stmt):
        raise Declined("the function around it is a lambda")
    return inner


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def shown(module: Module, *uses: ast.expr) -> str:
    """The functions in words: ``the lambda``, ``both lambdas``, ```cond` and `body```."""
    lambdas = sum(isinstance(use, ast.Lambda) for use in uses)
    if lambdas == len(uses) > 1:
        return "both lambdas" if lambdas == 2 else f"all {lambdas} lambdas"
    return " and ".join(dict.fromkeys(_shown(module, use) for use in uses))


def _shown(module: Module, use: ast.expr) -> str:
    match use:
        case ast.Lambda():
            return "the lambda"
        case ast.Call(func=func):
            return f"the `{first_line(module, func)}`"
    return f"`{first_line(module, use)}`"


def first_line(module: Module, node: ast.AST) -> str:
    return module.text(node).splitlines()[0]


def around(module: Module, node: ast.AST) -> str:
    return module.path(node).rpartition("<locals>.")[2]


def last_part(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def free_names(module: Module, function: Function) -> list[str]:
    captures = module.captures(function)
    own = {function.name} if isinstance(function, ast.FunctionDef) else set()
    free = captures.free - own if captures else frozenset[str]()
    order = {n.id: (n.lineno, n.col_offset) for n in reversed(names_in(function)) if n.id in free}
    return sorted(free, key=lambda name: order.get(name, (0, 0)))


def names_in(function: Function) -> list[ast.Name]:
    return sorted((n for n in ast.walk(function) if isinstance(n, ast.Name)), key=lambda n: (n.lineno, n.col_offset))


def used_in(module: Module, function: Function) -> frozenset[str]:
    """The names that a new variable of `function` must not take."""
    return module.names(function) | {n.id for n in names_in(function)}


def first_parameter(function: Function) -> str | None:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else None
