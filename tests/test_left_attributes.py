"""What a function that returns nothing leaves: in its variables, and in the objects there."""

import numpy as np

from jaxfix.evidence.probe.calls import _with_attributes


class Filter:
    def __init__(self) -> None:
        self.state = np.zeros(2)
        self.gain = 0.5


class Guarded:
    """Its attributes are looked up by code of the user's, which must not run."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


def test_attributes_of_plain_objects_are_named() -> None:
    own = Filter()
    assert [name for name, _ in _with_attributes({"own": own, "_hidden": own, "rate": 0.1})] == [
        *("own", "own.gain", "own.state"),
        "rate",
    ]


def test_no_code_of_an_object_runs() -> None:
    assert [name for name, _ in _with_attributes({"odd": Guarded(), "kind": Filter, "call": print})] == [
        *("call", "kind", "odd")
    ]
