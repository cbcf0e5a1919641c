"""The integer that an expression is, where the text alone says it."""

import ast
import operator
from collections.abc import Callable, Mapping

from jaxfix.dataflow.solver import Solver, optional
from jaxfix.semantic.module import Module

ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def integer(module: Module, expr: ast.expr) -> int | None:
    """The integer that `expr` is: a literal, a variable that is bound once, or arithmetic of these.

    Returns:
      None where the text does not say it.
    """
    return module.get(_integers)(expr)


def _integers(module: Module) -> Solver[ast.expr, int | None]:
    return Solver(lambda expr: _known(module, expr), optional())


def _known(module: Module, expr: ast.expr) -> int | None:
    solve = module.get(_integers)
    match expr:
        case ast.Constant(value=int() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            found = solve(operand)
            return None if found is None else -found
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            one, other = solve(left), solve(right)
            return None if one is None or other is None else ARITHMETIC[type(op)](one, other)
        case ast.Name():
            value = module.only_value(expr)
            return None if value is None else solve(value)
    return None
