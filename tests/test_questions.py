"""What files ask of those that are read after them."""

import pytest

from jaxfix.engine.questions import Questions, wanted
from jaxfix.semantic.project.summary_types import CallerPath, Facts, Use

SOLVE = "lib.solver.solve"
PACKAGE = Facts("lib", aliases={"run": SOLVE})
SCRIPT = Facts("main", aliases={"go": "lib.run"})


def test_a_question_is_known_under_each_name_whatever_comes_first() -> None:
    asked_first, asked_last = Questions(), Questions()
    asked_first.add([("runs", SOLVE)], None, ())
    for each in (PACKAGE, SCRIPT):
        asked_first.add((), each, ())
        asked_last.add((), each, ())
    asked_last.add([("runs", SOLVE)], None, ())
    assert asked_first.names == asked_last.names == {SOLVE, "lib.run", "main.go"}


def test_what_calls_pass_is_asked_for_under_each_name_as_soon_as_one_question_needs_it() -> None:
    questions = Questions()
    questions.add([("runs", SOLVE)], PACKAGE, ())
    questions.add([("values", f"{SOLVE}:0:rate")], None, ())
    questions.add([("runs", SOLVE), ("stores", "rate"), ("jit", "lib.step")], None, ())
    assert questions.names == {f"{SOLVE}()", "lib.run()"}
    assert wanted(questions.names, Facts("main", mentions=("lib.run", "lib.walk"))) == {"lib.run()"}


@pytest.mark.parametrize(("query", "expected"), [("runs", {SOLVE, "lib.outer"}), ("is used", {SOLVE})])
def test_the_functions_through_which_others_get_there_are_asked_about_where_callers_matter(
    query: str, expected: set[str]
) -> None:
    questions = Questions()
    path = CallerPath("lib.outer", repeats=True, always=True, again=False)
    questions.add([(query, SOLVE)], None, [Use(SOLVE, (), (path,))])
    assert questions.names == expected
