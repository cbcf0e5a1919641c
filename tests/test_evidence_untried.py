"""What a receipt says was not tried: it comes from what the probe did."""

import sys
from pathlib import Path

import pytest

from jaxfix.evidence.probe.untried import Untried
from jaxfix.evidence.program import ProgramRunner

HEAD = "import jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(1.0, 5.0)\n"


def untried(folder: Path, text: str, function: str) -> tuple[str, ...]:
    """What was not tried of a rewrite that only turns a product round."""
    (folder / "program.py").write_text(HEAD + text)
    runner = ProgramRunner(folder, f"{sys.executable} program.py", [("program.py", function)])
    (measurement,) = runner.measure({"program.py": (HEAD + text.replace("v * 2.0", "2.0 * v")).encode()})
    assert measurement.failure is None
    return measurement.untried.get(f"program.py:{function}", ())


def test_what_was_tried_once_was_tried() -> None:
    found = Untried()
    found.leave_out("f", "derivatives")
    found.leave_out("f", "x64", "no float")
    found.leave_out("g", "derivatives")
    found.tried("f", "derivatives")
    found.tried("g", "x64")
    assert found.as_json() == {"f": ["x64 (no float)"], "g": ["derivatives"]}


@pytest.mark.evidence
@pytest.mark.slow
def test_data_on_which_a_loop_might_not_end_are_not_tried(tmp_path: Path) -> None:
    text = "def f(v):\n    while v.sum() < 40:\n        v = v * 2.0\n    return v\nprint(f(x))\n"
    assert "zeros and values that are not finite (a loop might not end)" in untried(tmp_path, text, "f")


@pytest.mark.evidence
def test_a_generator_that_never_ends_gets_no_empty_data(tmp_path: Path) -> None:
    text = (
        "def f(v):\n    while True:\n        for row in v:\n            yield v * 2.0\n"
        "rows = f(x)\nprint(next(rows), next(rows))\n"
    )
    assert "no rows (a loop might not end)" in untried(tmp_path, text, "f")


@pytest.mark.evidence
def test_integers_that_are_not_varied_are_named(tmp_path: Path) -> None:
    text = (
        "class A:\n    def __init__(self, n):\n        self._n, self.m = n + 1, n\n"
        "    def f(self, v):\n        return v * 2.0 + self._n + self.m\nprint(A(3).f(x))\n"
    )
    assert untried(tmp_path, text, "A.f") == ("other integers in `self._n`",)


@pytest.mark.evidence
def test_what_cannot_be_called_beside_its_original_says_why(tmp_path: Path) -> None:
    text = "import os\ndef f(v):\n    os.system('')\n    return v * 2.0\nprint(f(x))\n"
    assert untried(tmp_path, text, "f") == ("the original beside it (it calls `system`)",)


SHY = """
import sys
class Shy:
    def __getattribute__(self, name):
        if name == "__dict__" and sys._getframe(1).f_code.co_filename.endswith("limits.py"):
            raise OSError("shy")
        return object.__getattribute__(self, name)
def f(v, shy):
    return v * 2.0
print(f(x, Shy()))
"""


@pytest.mark.evidence
def test_an_object_that_ends_the_calls_beside_the_original_is_named(tmp_path: Path) -> None:
    """One that raises at a look which comes after the first calls of both."""
    assert "some of the other data (OSError: shy)" in untried(tmp_path, SHY, "f")


@pytest.mark.evidence
def test_derivatives_are_tried_where_the_program_takes_them(tmp_path: Path) -> None:
    text = "def f(v):\n    return (v * 2.0).sum()\nprint(f(x), jax.grad(f)(x))\n"
    assert "derivatives" not in untried(tmp_path, text, "f")
