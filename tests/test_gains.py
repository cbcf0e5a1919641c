"""What an `apply` says of the seconds of a program: before, and with what is proven."""

import pytest

from jaxfix.drivers.workflow.spending import MovedLines
from jaxfix.render.gains import gains
from jaxfix.render.paint import plain
from jaxfix.report.measurement import Kind, Measurement, Spent
from jaxfix.report.trace.gains import went
from jaxfix.source.source_file import SourceFile

OLD = "import jax\n\n\ndef fit(p):\n    for x in D:\n        g = grad(p, x)\n        p = p - g\n    return p\n"
NEW = (
    "import jax\n\n\n@jax.jit\ndef step(p, x):\n    g = grad(p, x)\n    return p - g\n\n\n"
    "def fit(p):\n    for x in D:\n        p = step(p, x)\n    return p\n"
)
LINES = MovedLines({"train.py": (SourceFile.decode("train.py", OLD.encode()), NEW.encode())})


@pytest.mark.parametrize(
    ("then", "now"), [((1, 1), (1, 1)), ((6, 7), (12, 12)), ((5, 8), (11, 13)), ((4, 4), (10, 10)), ((8, 8), (13, 13))]
)
def test_lines_are_where_the_fix_has_put_them(then: tuple[int, int], now: tuple[int, int]) -> None:
    assert LINES.now("train.py", None, *then) == (None, *now)
    assert LINES.now("other.py", 2, *then) == (2, *then)


def run(seconds: float, *lines: tuple[Kind, int, float, int], function: str = "fit") -> Measurement:
    spent = tuple(
        Spent(kind, "train.py", line, function, (f"train.py:{line} in {function}",), ("sub",), count, None, took)
        for kind, line, took, count in lines
    )
    empty = Measurement("c", None, (), 0, (), (), "", ("train.py:fit",), {}, 0, None)
    return Measurement(**{**{f: getattr(empty, f) for f in Measurement.__slots__}, "spent": spent, "seconds": seconds})


def test_what_was_eager_is_told_with_what_is_left_of_it_at_the_lines_that_it_became() -> None:
    before = run(10.0, (Kind.EAGER, 6, 2.0, 900), (Kind.EAGER, 7, 4.0, 900), (Kind.READ, 8, 1.0, 10))
    after = run(5.0, (Kind.EAGER, 12, 0.5, 10), (Kind.READ, 13, 1.0, 10), (Kind.EAGER, 4, 0.1, 1))
    found = went(before, after, LINES.now)
    first, *by_hand = gains(found, plain).splitlines()
    assert first == "of 10.0 s, 6.0 s were eager dispatch in `fit` (train.py:6); now 0.5 of 5.0 s"
    assert [line.split(":")[0] for line in by_hand] == ["by hand"] * 2  # what is read costs what it did


def test_without_a_proven_fix_what_is_left_is_that_of_the_run_as_it_is() -> None:
    told = gains(went(run(10.0, (Kind.EAGER, 7, 4.0, 900), (Kind.READ, 8, 0.01, 10)), None, LINES.now), plain)
    assert (
        told
        == "by hand: put line 7 of train.py (`fit`) under one `jax.jit`: 900 programs run one by one, 4.0 of 10.0 s\n"
    )
    assert gains(went(run(0.0), None, LINES.now), plain) == gains(None, plain) == ""


@pytest.mark.parametrize(
    ("function", "count", "is_told"), [("<module>", 46, False), ("<module>", 900, True), ("fit", 46, True)]
)
def test_imports_and_the_set_up_of_a_script_are_not_to_be_put_under_one_jit(
    function: str, count: int, is_told: bool
) -> None:
    measured = run(10.0, (Kind.EAGER, 3, 0.2, count), (Kind.EAGER, 54, 0.2, 2), function=function)
    assert ("under one `jax.jit`" in gains(went(measured, None, LINES.now), plain)) == is_told
