"""Strings that the sources compare with, numbers that they call and count by, and parameters that may be None."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .effects import definitions

# What decides how often something runs, or how large it is; of a loop only its bounds.
_COUNTING = {
    *("range", "fori_loop", "arange", "zeros", "ones", "full", "empty", "eye", "linspace", "tile", "repeat", "split"),
    *("broadcast_to", "reshape", "normal", "uniform", "one_hot", "pad", "scan"),
}
_BOUNDS = {"fori_loop": 2, "scan": 0}
_MOST = 8


@dataclass(frozen=True, slots=True)
class Hints:
    """What some functions can distinguish.

    Attributes:
      texts: that something is compared with, in the order of the sources.
      optional: names that may be None, as far as the code asks.
      called: names that are called.
      counting: names that decide how many times something runs or how large it is.
      ending: names below which a loop goes on, whatever else it asks.
    """

    texts: tuple[str, ...]
    optional: frozenset[str]
    called: frozenset[str]
    counting: frozenset[str]
    ending: frozenset[str]


def hints(codes: Iterable[tuple[CodeType, Any]]) -> Hints:
    """What the sources of these codes say."""
    nodes = [part for code, _ in codes for node in definitions(code) for part in ast.walk(node)]
    constants = [constant for node in nodes for constant in _compared(node)]
    texts = (value for value in constants if isinstance(value, str))
    return Hints(
        tuple(dict.fromkeys(texts))[:_MOST],
        frozenset(name for node in nodes for name in _questioned(node)),
        frozenset(node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)),
        frozenset(name for node in nodes for name in _counted(node)),
        frozenset(name for node in nodes for name in _ending(node)),
    )


def _compared(node: ast.AST) -> Iterator[Any]:
    match node:
        case ast.Compare(left=left, comparators=others):
            for side in (left, *others):
                yield from _constants(side)
        case ast.MatchValue(value=value):
            yield from _constants(value)


def _constants(node: ast.expr) -> Iterator[Any]:
    match node:
        case ast.Constant(value=value):
            yield value
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _constants(part)


def _questioned(node: ast.AST) -> Iterator[str]:
    """Names that are compared with None, or asked whether they are anything."""
    match node:
        case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=None)]):
            yield name
        case ast.BoolOp(values=[ast.Name(id=name), *_]) | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            yield name
        case ast.If(test=ast.Name(id=name)) | ast.IfExp(test=ast.Name(id=name)):
            yield name
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            optional = zip(args.args[len(args.args) - len(args.defaults) :], args.defaults, strict=True)
            for arg, default in (*optional, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
                if isinstance(default, ast.Constant) and default.value is None:
                    yield arg.arg


def _ending(node: ast.AST) -> Iterator[str]:
    """Names that only end a loop earlier where they are less."""
    if not isinstance(node, ast.While):
        return
    test = node.test
    joined = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in joined:
        match part:
            case ast.Compare(ops=[ast.Lt() | ast.LtE()], comparators=[ast.Name(id=name)]):
                yield name
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Gt() | ast.GtE()]):
                yield name


def _counted(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Call):
        return
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in _COUNTING:
        kept = node.args[: _BOUNDS.get(called, len(node.args))]
        keywords = [keyword.value for keyword in node.keywords if keyword.arg in ("length", "shape", "size", "num")]
        for part in (inner for argument in (*kept, *keywords) for inner in ast.walk(argument)):
            if isinstance(part, ast.Name):
                yield part.id
