"""Expressions that are written alike."""

import ast

import pytest

from jaxfix.syntax.alike import is_alike


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x", "(x)"),
        ("f(a,b = 1)", "f(\n  a,  # first\n  b=1,\n)"),
        ("x['k']", 'x["k"]'),
        ("'a' 'b'", "'ab'"),
        ("a[1:, ::2].b", "a[1:, ::2].b"),
        ("lambda x, *y: x if y else -x", "lambda x, *y: (x if y else (-x))"),
    ],
)
def test_what_spaces_quotes_and_parentheses_tell_apart_is_alike(one: str, other: str) -> None:
    assert is_alike(parsed(one), parsed(other)) and is_alike(parsed(other), parsed(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("x", "y"), ("x", "x.a"), ("f(a)", "f(a, b)"), ("f(a=1)", "f(b=1)"), ("f(*a)", "f(a)")),
        *(("1", "1.0"), ("1", "True"), ("0.0", "-0.0"), ("'1'", "1"), ("b'a'", "'a'")),
        *(("a + b", "a - b"), ("a < b", "a <= b"), ("a[1:]", "a[:1]"), ("(a, b)", "[a, b]")),
    ],
)
def test_another_name_number_or_operator_is_not(one: str, other: str) -> None:
    assert not is_alike(parsed(one), parsed(other)) and not is_alike(parsed(other), parsed(one))


def test_a_variable_that_is_bound_is_like_one_that_is_read() -> None:
    statement = ast.parse("self.x = self.x").body[0]
    assert isinstance(statement, ast.Assign)
    assert is_alike(statement.targets[0], statement.value)
