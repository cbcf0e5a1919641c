"""Callers of a rewritten function that nobody has asked: they pass what the original takes."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jaxfix.evidence.probe import frozen
from jaxfix.evidence.probe.alter import Alter
from jaxfix.evidence.probe.originals import Text
from jaxfix.evidence.probe.parameters import changed, unknown
from jaxfix.evidence.probe.samples import Sample


def texts(folder: Path, before: str, after: str) -> tuple[Text, Text]:
    made = []
    for name, head in (("before", before), ("after", after)):
        (folder / f"{name}.py").write_text(f"class Model:\n    {head}\n{head}\n")
        made.append(Text(str(folder / f"{name}.py")))
    return made[0], made[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("params, grads", "p, g"),
        ("v, rate", "rate, v"),
        ("v, rate=0.5", "v, rate"),
        ("v, rate=0.5", "v, rate=0.25"),
        ("v, rate=1", "v, rate=1.0"),
        ("v, *, rate", "v, *, speed"),
        ("v, rate=0.5", "v"),
        ("v", "v, rate"),
        ("v, *rest", "v"),
        ("v, **options", "v"),
    ],
)
def test_what_callers_can_no_longer_pass_is_seen(before: str, after: str, tmp_path: Path) -> None:
    pair = texts(tmp_path, f"def f(self, {before}): return v", f"def f(self, {after}): return v")
    assert changed("f", *pair) is not None
    assert changed("Model.f", *pair) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("v, rate", "v, rate, _table=None"),
        ("v, rate", "v, rate, *, _table=None"),
        ("v, rate", "*args, **options"),
        ("v, /, rate", "w, /, rate"),
        ("v, *, rate=0.5", "v, rate=0.5"),
        ("v: float, rate", "v, rate"),
    ],
)
def test_what_callers_need_not_know_is_let_pass(before: str, after: str, tmp_path: Path) -> None:
    pair = texts(tmp_path, f"def f(self, {before}): return 0", f"def f(self, {after}): return 0")
    assert changed("f", *pair) is None


def test_the_object_of_a_method_may_have_another_name_and_a_default_another_text(tmp_path: Path) -> None:
    pair = texts(tmp_path, "def f(self, v, rate=1 / 3): return v", "def f(model, v, rate=RATE): return v")
    assert changed("Model.f", *pair) is None
    assert unknown("Model.f", *pair)
    assert not unknown("Model.f", pair[0], pair[0])


@dataclass(frozen=True)
class Frozen:
    decay: float = 0.0
    nesterov: bool = False
    unread: float = 1.0


@dataclass
class Assigned:
    decay: float = 0.0


def sample_of(options: Any) -> Sample:
    return Sample(sys._getframe())


def test_other_options_of_a_frozen_class_are_passed_one_at_a_time() -> None:
    pytest.importorskip("jax")
    options = Frozen()
    sample = sample_of(options)
    made = dict(frozen.others(sample, sample.leaves(), Alter(lambda module: True), {"decay", "nesterov"}))
    found = {name: other.arguments(other.leaves())["options"] for name, other in made.items()}
    assert sorted(found) == ["options.decay", "options.nesterov"]
    assert found["options.decay"].decay and not found["options.decay"].nesterov
    assert found["options.nesterov"].nesterov
    assert options == Frozen()


def test_what_can_be_assigned_to_is_rebound_and_not_passed() -> None:
    pytest.importorskip("jax")
    sample = sample_of(Assigned())
    assert not [*frozen.others(sample, sample.leaves(), Alter(lambda module: True), {"decay"})]
