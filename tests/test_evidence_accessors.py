"""What a method assigns to attributes that code of the class stores: compared, and put back."""

from pathlib import Path

import pytest
from beside_program import differing, measured

pytestmark = pytest.mark.evidence

_DESCRIPTOR = """
class Bounded:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return getattr(owner, self.name)

    def __set__(self, owner, value):
        setattr(owner, self.name, jnp.clip(value, -2.0, 2.0))


class Learner:
    weights = Bounded()
"""
_SETATTR = """
class Learner:
    def __setattr__(self, name, value):
        object.__setattr__(self, "_" + name, jnp.clip(value, -2.0, 2.0))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self, "_" + name)
"""
_PROPERTY = """
class Learner:
    @property
    def weights(self):
        return self._weights

    @weights.setter
    def weights(self, value):
        self._weights = jnp.clip(value, -2.0, 2.0)
"""


@pytest.mark.parametrize("head", [_DESCRIPTOR, _SETATTR, _PROPERTY], ids=["descriptor", "setattr", "property"])
def test_assignments_that_are_merged_are_found_out_with_other_data(tmp_path: Path, head: str) -> None:
    # as called, only the first assignment of both leaves the bounds
    text = f"""{head}
    def __init__(self):
        self.weights = jnp.zeros(3)

    def update(self, v):
        self.weights = self.weights * 0.1 + v
        self.weights = self.weights - 0.5

learner = Learner()
for _ in range(3):
    learner.update(x[:3])
print(learner.weights)
"""
    assignments = "self.weights = self.weights * 0.1 + v\n        self.weights = self.weights - 0.5"
    merged = text.replace(assignments, "self.weights = self.weights * 0.1 + v - 0.5")
    found = measured(tmp_path, text, merged, "Learner.update")
    assert differing(found)["Learner.update"] >= {"as called", "perturbed"}
