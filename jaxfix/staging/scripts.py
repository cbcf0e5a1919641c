"""Whether a module is a program: it does its work when it is run."""

import ast

from jaxfix.semantic.module import Module


def is_script(module: Module) -> bool:
    """Whether the module does its work when it is run: it has a `__main__` guard, or loops or runs its `main`.

    A notebook always does.
    """
    return module.get(_is_script)


def _is_script(module: Module) -> bool:
    if module.source.notebook is not None:
        return True
    return any(_is_main_guard(s) or isinstance(s, ast.For | ast.While) or _runs_main(s) for s in module.tree.body)


def is_entry(module: Module, node: ast.AST, call: ast.Call) -> bool:
    """Whether `call` runs the program that `node` is, once: `app.run(main)` as a statement, under `__main__`."""
    statement = module.parent(call)
    if call.args != [node] or not isinstance(statement, ast.Expr) or not is_script(module):
        return False
    around = module.parent(statement)
    return around is module.tree or (isinstance(around, ast.If) and module.parent(around) is module.tree)


def _is_main_guard(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def _runs_main(statement: ast.stmt) -> bool:
    """Whether it is `main()`, or passes `main` to what runs it."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="main"))) | ast.Expr(value=ast.Call(args=[ast.Name(id="main")])):
            return True
    return False
