"""What the prover takes for rebound between two calls: nothing that is settled before a function reads it."""

import ast

import pytest

from jaxfix.evidence.probe.stores import Stores


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("T = 1\nT = T + 1\ndef f(): return T\nf()", set()),
        ("T = 1\nT += 1\ndef f(): return T", set()),
        ("T = 1\ndef f(): return T\nf()\nT = T + 1", {"T"}),
        ("T = 1\nT = 2\nprint(T)", {"T"}),
        ("T = 1\nT = 2\ndef f(): return T\nfor _ in x:\n    T = T + 1", {"T"}),
        ("for _ in x:\n    T = 1\n    T = T + 1\n    def f(): return T", {"T"}),
        ("T = 1\nT = 2\ndef f(): return T\ndef g():\n    global T\n    T = 3", {"T"}),
        ("T = 1\ndef f(): return T\ndef T(): pass", {"T"}),
        ("T = 1\nlater = (T for _ in x)\nT = 2", {"T"}),
        ("T = 1\nlater = lambda: T\nT = 2", {"T"}),
    ],
)
def test_a_variable_counts_as_rebound_unless_its_assignments_precede_its_readers(text: str, names: set[str]) -> None:
    stores = Stores()
    stores.read(ast.parse(text), "file.py")
    assert {name for _, name in stores.names if name == "T"} == names
