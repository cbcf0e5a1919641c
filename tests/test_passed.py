"""What the uses of a function pass for a parameter."""

import ast

import pytest

from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.looping.parameters import passed

_HEAD = "from functools import partial\nimport jax\n\ndef f(a, b, c): return a\n\n"


@pytest.mark.parametrize(
    ("uses", "given"),
    [
        ("f(1, 2, 3)", {"1"}),
        ("f(b=2, a=1, c=3)", {"1"}),
        ("g = partial(f, 1)\ng(2, 3)", {"1"}),
        ("g = partial(f, a=1)\ng(b=2, c=3)", {"1"}),
        ("g = partial(f, b=1)\ng(2, c=3)", {"2"}),
        ("partial(f, 1)(2, 3)\nf(4, 5, 6)", {"1", "4"}),
        ("g = jax.grad(partial(f, 1))\ng(2, 3)", {"1"}),
        ("g = partial(f, *rest)\ng(2)", set()),
        ("g = partial(f, **rest)\ng(2)", set()),
        ("g = partial(print, f)\ng(2)", set()),
        ("print(f)", set()),
    ],
)
def test_first_argument(uses: str, given: set[str]) -> None:
    assert _passed("a", uses) == given


def test_partial_binds_what_comes_before() -> None:
    assert _passed("b", "g = partial(f, 1)\ng(2, 3)") == {"2"}
    assert _passed("c", "g = partial(partial(f, 1), 2)\ng(3)") == {"3"}


def _passed(parameter: str, uses: str) -> set[str]:
    module = Module.parse(SourceFile.decode("m.py", (_HEAD + uses + "\n").encode()))
    arg = next(each for each in module.nodes(ast.arg) if each.arg == parameter)
    return {ast.unparse(each) for each in passed(module, arg)}
