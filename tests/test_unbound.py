"""Variables that a change binds less often."""

import textwrap

import pytest

from jaxfix.evidence.unbound import without_counts, without_unbound
from jaxfix.report.measurement import Leaf, Output

BEFORE = """
def main():
    params, state = first()
    for batch in batches:
        params = state[0]
        state = update(params, state, batch)
"""
MOVED = """
def main():
    params, state = first()

    def step(state, batch):
        params = state[0]
        return update(params, state, batch)

    for batch in batches:
        state = step(state, batch)
"""
WITHIN = MOVED.replace("return update(params, state, batch)", "return update(lambda: params, state, batch)")
CAPTURED = MOVED.replace("        params = state[0]\n", "")
BOUND = MOVED.replace("state = step(state, batch)", "params, state = step(state, batch)")


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (MOVED, ["state"]),
        (WITHIN, ["state"]),
        (CAPTURED, ["params", "state"]),
        (BOUND, ["params", "state"]),
        (BEFORE, ["params", "state"]),
    ],
    ids=["moved", "within", "captured", "bound", "unchanged"],
)
def test_a_variable_that_is_bound_less_often_is_not_compared(after: str, kept: list[str]) -> None:
    labels = [f"a.py:main call 1 left `{name}`" for name in ("params", "state")]
    outputs = [Output(label, "*", ()) for label in (*labels, "a.py:main call 1", "b.py:main call 1 left `params`")]
    found = without_unbound(outputs, {"pkg/a.py": BEFORE.encode()}, {"pkg/a.py": after.encode()})
    others = ("a.py:main call 1", "b.py:main call 1 left `params`")
    assert [each.label for each in found] == [*(f"a.py:main call 1 left `{name}`" for name in kept), *others]


def test_a_text_that_does_not_parse_keeps_all() -> None:
    outputs = (Output("a.py:main call 1 left `x`", "*", ()),)
    assert without_unbound(outputs, {"a.py": b"def main(:"}, {"a.py": b"x = 1"}) == outputs


@pytest.mark.parametrize(("scripts", "kept"), [((), ["params", "state"]), (("a.py",), ["state"])])
def test_variables_of_the_main_program_are_those_of_a_function(scripts: tuple[str, ...], kept: list[str]) -> None:
    before, after = (textwrap.dedent(text.replace("def main():", "if True:")) for text in (BEFORE, MOVED))
    outputs = [Output(f"a.py:<module> call 1 left `{name}`", "*", ()) for name in ("params", "state")]
    found = without_unbound(outputs, {"a.py": before.encode()}, {"a.py": after.encode()}, scripts)
    assert [each.label for each in found] == [f"a.py:<module> call 1 left `{name}`" for name in kept]


def test_numbers_of_python_that_a_loop_binds_are_not_compared() -> None:
    number = Leaf("", "<int>", (), False, None, (), 0)
    names = {"count": (number,), "rate": (number,), "params": (Leaf("", "float32", (), False, None, (), 0),)}
    outputs = [Output(f"a.py:main call 1 left `{name}`", "*", leaves) for name, leaves in names.items()]
    text = b"rate = 3\nfor count in range(3):\n    params = count\n"
    found = without_counts(outputs, (text, b"def broken(:"))
    assert [each.label for each in found] == [f"a.py:main call 1 left `{name}`" for name in ("rate", "params")]
