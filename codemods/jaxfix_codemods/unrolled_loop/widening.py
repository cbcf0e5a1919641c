"""Carries that begin as a number and become an array of unknown shape: a trace of one iteration says which."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from jaxfix.api import Module, Rewriter, walk
from jaxfix.api.library import Result, where
from jaxfix_codemods.looping.rounds import Rounds
from jaxfix_codemods.unrolled_loop.carried import Carry
from jaxfix_codemods.unrolled_loop.starting import start_of, updates

_REDUCED = where(Result.REDUCED)


def widened(module: Module, rounds: Rounds, carry: Carry) -> dict[str, str]:
    """The names that begin as a number, with the function of `jax.numpy` that fills an array with it.

    Where the first iteration computes with it element by element, it may as well be an array. What no iteration
    changes and something reads stays a number.
    """
    loop, found = rounds.loop, dict[str, str]()
    for name in carry.names:
        if len(carry.starts[name]) != 1 or (name in carry.read_after and not rounds.count):
            continue
        match start_of(module, carry.starts[name][0], name):
            case ast.Constant(value=int() | float() as number) if number in (0, 1):
                if not _is_scalar(module, loop, name) and _is_by_element(module, loop, name):
                    found[name] = f"{'ones' if number else 'zeros'}_like"
    return found


def _is_scalar(module: Module, loop: ast.For, name: str) -> bool:
    """Whether an iteration surely makes a scalar of a scalar."""
    return all(_reduces(module, value, name) for value in updates(module, loop, name))


def _reduces(module: Module, value: ast.expr, name: str) -> bool:
    match value:
        case ast.Constant():
            return True
        case ast.Name(id=read):
            return read == name
        case ast.BinOp(left=left, right=right):
            return _reduces(module, left, name) and _reduces(module, right, name)
        case ast.UnaryOp(operand=operand):
            return _reduces(module, operand, name)
        case ast.Call(func=func, args=[_], keywords=[]):
            return module.qualname(func) in _REDUCED
    return False


def _is_by_element(module: Module, loop: ast.For, name: str) -> bool:
    """Whether all that may read the start is a sum or a product."""
    for statement in loop.body:
        nodes = [node for node in walk(statement) if isinstance(node, ast.Name) and node.id == name]
        if not all(_is_operand(module, node) for node in nodes if isinstance(node.ctx, ast.Load)):
            return False
        if any(isinstance(node.ctx, ast.Store) and module.parent(node) is statement for node in nodes):
            return True
    return True


def _is_operand(module: Module, read: ast.Name) -> bool:
    match module.parent(read):
        case ast.BinOp(op=op):
            return not isinstance(op, ast.MatMult)
        case ast.UnaryOp(op=ast.USub()):
            return True
    return False


def write_widened(
    names: Sequence[str], found: Mapping[str, str], called: str, edit: Rewriter, at: ast.For
) -> Iterator[str]:
    """The statements that make arrays of numbers.

    Args:
      called: the text of a call of `jax.eval_shape` that gives what one iteration passes on.
    """
    for name, like in found.items():
        jnp = edit.imported("jax.numpy", prefer="jnp", at=at)
        place = f"[{names.index(name)}]" if len(names) > 1 else ""
        yield f"{name} = {jnp}.{like}({called}{place})"
