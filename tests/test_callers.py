"""Who uses a function, as far as one file tells."""

import ast

import pytest

from jaxfix.dataflow.call_graph import callers, outside_arguments
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.summary_types import ArgumentSummary, CallSite, Facts, Runs, Use
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile


def parsed(text: str, surroundings: Surroundings | None = None) -> Module:
    return Module.parse(SourceFile.decode("a.py", text.encode()), surroundings or Surroundings())


def function(module: Module, name: str) -> ast.FunctionDef:
    return next(f for f in module.functions if isinstance(f, ast.FunctionDef) and f.name == name)


def test_calls_and_other_uses_are_told_apart() -> None:
    module = parsed("def step(p): return p\nq = step(1)\nrun(step)\nalias = step\n")
    found = callers(module, function(module, "step"))
    assert [call.lineno for call in found.calls] == [2]
    assert [use.lineno for use in found.others] == [3, 4]


def test_a_variable_of_the_same_name_elsewhere_is_another() -> None:
    module = parsed("def step(p): return p\ndef other(step): return step(1)\n")
    assert callers(module, function(module, "step")).calls == ()


def test_a_method_is_called_through_any_object() -> None:
    module = parsed("class A:\n    def step(self): ...\n    def run(self): self.step()\nA().step()\n")
    assert [call.lineno for call in callers(module, function(module, "step")).calls] == [3, 4]


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("def step(): ...\n", False),
        ("def _step(): ...\n", True),
        ("def __step__(): ...\n", False),
        ("def step(): ...\nif __name__ == '__main__':\n    step()\n", True),
        ("def outer():\n    def step(): ...\n    step()\n", True),
        ("class A:\n    def step(self): ...\n", False),
        ("class A:\n    def _step(self): ...\n", True),
    ],
)
def test_a_name_tells_whether_others_may_call_it(text: str, closed: bool) -> None:
    module = parsed(text)
    name = "__step__" if "__step__" in text else "_step" if "_step" in text else "step"
    assert callers(module, function(module, name)).is_closed() is closed


def test_a_project_that_calls_it_to_the_end_is_its_program() -> None:
    eager = Facts("other", uses=(Use("train.step", (Runs.EAGER,), at="other.py:3", call=CallSite(())),))
    unknown = Facts("other", uses=(Use("train.step", (Runs.UNKNOWN,), at="other.py:3", call=CallSite(())),))
    called = Use("train.step", (), at="other.py:3", call=CallSite(()))
    test = Facts("test_train", is_test=True, uses=(called,))
    for others, unread, closed in (
        ((), False, False),  # a library's, as far as this run tells
        ((eager,), False, True),
        ((eager,), True, False),
        ((unknown,), False, False),
        ((test,), False, False),
        ((unknown, eager), False, True),
    ):
        surroundings = Surroundings("train", project=Project((Facts("train"), *others), unread))
        module = parsed("def step(): ...\n", surroundings)
        found = callers(module, function(module, "step"))
        assert found.is_closed() is closed, others
        assert [use.at for use in found.outside] == ["other.py:3"] * len(others)


def test_whoever_is_handed_the_module_may_call_all_of_it() -> None:
    user = Facts("other", uses=(Use("train", (Runs.UNKNOWN,), at="other.py:3"),))
    module = parsed("def step(): ...\n", Surroundings("train", project=Project((user,))))
    assert [use.at for use in callers(module, function(module, "step")).outside] == ["other.py:3"]


def test_arguments_of_other_files_meet_their_parameters() -> None:
    module = parsed("class A:\n    def step(self, p, *, lr=1): ...\n")
    step = function(module, "step")
    p, lr = ArgumentSummary(0, "params"), ArgumentSummary("lr", "0.1")
    assert outside_arguments(step, CallSite((p, lr), bound=True)) == {"p": p, "lr": lr}
    assert outside_arguments(step, CallSite((p,), bound=True)) == {"p": p, "lr": None}
    assert outside_arguments(step, CallSite((p,))) == {"self": p, "p": None, "lr": None}
    assert outside_arguments(step, CallSite(None, bound=True)) is None
    assert outside_arguments(step, CallSite((p, ArgumentSummary(1, "b")), bound=True)) is None
