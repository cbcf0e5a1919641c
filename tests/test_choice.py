"""What several fixes insert at one place: each definition whole, and decorators right above their own."""

from itertools import permutations

import pytest

from jaxfix.engine.choice import Chosen
from jaxfix.report.finding import Fix, Safety
from jaxfix.source.edits import Edit, Span, apply_edits

TEXT = b"import jax\n\n\ndef step(x):\n    return x\n"
AT = Span(TEXT.index(b"def step"), TEXT.index(b"def step"))
ABOVE = ("def first(x):\n    return x\n\n\n", "@jax.jit\ndef second(x):\n    return x\n\n\n")
DECORATOR = "@jax.jit\n"


def fix(text: str) -> Fix:
    return Fix(text, "codemod", "title", AT, (Edit(AT, text),), Safety.SAFE, None, None, "step")


@pytest.mark.parametrize("texts", [*permutations((*ABOVE, DECORATOR))])
def test_a_decorator_stands_above_its_own_function(texts: tuple[str, ...]) -> None:
    chosen = Chosen(TEXT)
    assert [chosen.take(fix(text)) for text in texts] == [None] * 3
    after = apply_edits(TEXT, chosen.edits).decode()
    assert after.endswith("@jax.jit\ndef step(x):\n    return x\n")
    assert all(text in after for text in ABOVE) and after.count("@jax.jit") == 2
    compile(after, "after", "exec")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_assignments_stand_together(newline: str) -> None:
    above = [f"_{name} = jax.jit({name}){newline * 3}" for name in ("first", "second", "third")]
    function = f"def _moved(x):{newline}    return x{newline * 3}"
    chosen = Chosen(TEXT)
    for text in (*above[:2], function, above[2]):
        assert chosen.take(fix(text)) is None
    (edit,) = chosen.edits
    assert edit.text == f"_first = jax.jit(first){newline}{above[1]}{function}{above[2]}"


@pytest.mark.parametrize(("indent", "blanks"), [("", 2), ("    ", 1)])
def test_between_an_assignment_and_a_definition_are_blank_lines(indent: str, blanks: int) -> None:
    assigned = f"{indent}made = jax.jit(abs)\n"
    function = f"{indent}@jax.jit\n{indent}def step(x):\n{indent}    return x\n\n"
    chosen = Chosen(TEXT)
    for text in (assigned, function):
        assert chosen.take(fix(text)) is None
    (edit,) = chosen.edits
    assert edit.text == assigned + "\n" * blanks + function
