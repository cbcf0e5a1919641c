"""Walks over syntax trees, against those of `ast`."""

import ast
import sys
from pathlib import Path

import pytest

from jaxfix.syntax.index import COMPREHENSIONS, Index, is_inside
from jaxfix.syntax.nodes import children, in_order, walk

PLACELESS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.type_ignore)
SOURCES = [
    "import a.b as c\nfrom . import d\nx = 1\ndef f(a, /, b: int = 1, *c, d=2, **e):\n    global x\n    return a",
    "x = {**a, 'b': 1}\ny = f(*a, **b)\nz = lambda *, k=1: k\nw = [i for i in range(3) if i if not i]\n",
    "match x:\n    case {'a': 1, **rest} | [_, *more] as z if y: pass\n    case C(1, b=None): del x\n",
    "async def f():\n    async with a as b, c:\n        await d\n    async for e in f: yield\n    else: pass\n",
    "try:\n    a\nexcept (B, C) as d:\n    raise\nelse:\n    f'{x!r:>{y}}'\nfinally:\n    assert x, y\n",
    "class A(B, metaclass=C):\n    @d\n    def f(self): nonlocal_: int\n",
    "@a(lambda: 1)\nclass A(b(lambda: 2), c=[d for d in e]):\n    def g(h=lambda i=1: i) -> j: return [k for k in h]\n",
    Path(__file__).read_text(),
]
if sys.version_info >= (3, 12):
    SOURCES.append("type A[T: int] = list[T]\ndef f[*U](x: U): ...\n@d\nclass B[**P](C): x = 1\n")
SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)


@pytest.mark.parametrize("source", SOURCES)
def test_a_walk_meets_every_node_that_has_a_place(source: str) -> None:
    tree = ast.parse(source)
    expected = {node for node in ast.walk(tree) if not isinstance(node, PLACELESS)}
    found = walk(tree)
    assert set(found) == expected and len(found) == len(expected)


@pytest.mark.parametrize("source", SOURCES)
def test_parents_come_first_and_are_those_of_the_children(source: str) -> None:
    tree = ast.parse(source)
    parents: dict[ast.AST, ast.AST] = {}
    found = walk(tree, parents)
    assert all(found.index(parents[node]) < found.index(node) for node in found[1:])
    assert all(parents[child] is node for node in found for child in children(node))
    assert sum(len(children(node)) for node in found) == len(found) - 1


@pytest.mark.parametrize("source", SOURCES)
def test_an_index_knows_the_scope_around_every_node(source: str) -> None:
    tree = ast.parse(source)
    index, parents = Index(tree), dict[ast.AST, ast.AST]()
    found = walk(tree, parents)
    assert list(index.around) == found and index.parents == parents
    for node in found:
        child, scope = node, parents.get(node)
        while scope is not None and not (isinstance(scope, SCOPES) and is_inside(scope, child)):
            child, scope = scope, parents.get(scope)
        assert index.around[node] is scope, ast.dump(node)


@pytest.mark.parametrize("source", SOURCES)
def test_statements_are_in_the_same_order_by_their_place(source: str) -> None:
    found = [node for node in walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    assert in_order(found[::-1]) == found
