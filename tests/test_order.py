"""What is found depends neither on the order of definitions, files and codemods, nor on what was asked first."""

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxfix import testing
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Unit
from jaxfix.report.finding import Finding
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.call_edges import CallGraph
from jaxfix.staging.contexts import Staging
from jaxfix_codemods import CODEMODS

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
HEAD = "import jax\nfrom functools import partial\nfrom jax import lax\nfrom elsewhere import register, run\n"
SCAN = """\
    def body(c, _):
        return c * 2, None
    x, _ = lax.scan(body, x, None, 3)
"""
BODY = f"{SCAN}    return x\n"
DECORATORS = ("", "", "", "@jax.jit\n", "@register\n")
LOOP = "for _ in range(9): x = {}(x)"
CALLS = ("{}(x)", "{}(x)", LOOP, "[{}(y) for y in x]", "run({})", "jax.jit({})(x)", "jax.grad({})(x)")
PASSING = ("k = {}; k(x)", "h = {}(x); h(x)", "h = {}(x); run(h)", "run(lambda y: {}(y))", "run(partial({}, x))")
ENDS = ("", "for i in range(9):\n    {}(1.0)\n", "{}(1.0)\n", "jax.jit({})(1.0)\n")


@dataclass(frozen=True)
class Program:
    """Functions by name, which may call each other in circles, and what calls some of them."""

    functions: dict[str, str]
    ends: str

    def text(self, order: Sequence[str]) -> str:
        return HEAD + "".join(self.functions[name] for name in order) + self.ends


@st.composite
def programs(draw: st.DrawFn, others: Sequence[str] = ()) -> Program:
    """Of the calls some are in the forms of `others`; with these, functions may return functions."""
    private = draw(st.lists(st.booleans(), min_size=2, max_size=6))
    names = [f"{'_' * is_private}f{number}" for number, is_private in enumerate(private)]
    functions = {}
    for name in names:
        callees = draw(st.lists(st.tuples(st.sampled_from([*CALLS, *others]), st.sampled_from(names)), max_size=3))
        calls = "".join(f"    {call.format(callee)}\n" for call, callee in callees)
        returned = draw(st.sampled_from(["x", "x", *names])) if others else "x"
        head = f"{draw(st.sampled_from(DECORATORS))}def {name}(x):\n"
        functions[name] = f"{head}{calls}{SCAN}    return {returned}\n"
    ends = draw(st.lists(st.tuples(st.sampled_from(ENDS), st.sampled_from(names)), max_size=2))
    return Program(functions, "".join(end.format(name) for end, name in ends))


def answers(module: Module, order: Sequence[str]) -> dict[str, tuple[object, ...]]:
    """What is known of a line of each function, asked in this order."""
    places = {node.name: node.body[-1] for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    staging, found = module.get(Staging), {}
    for name in order:
        at = places[name]
        again = staging.repeats(at), staging.may_repeat(at), staging.surely_repeats(at)
        paths = frozenset(staging.through(at))
        found[name] = (staging.runs(at), staging.ways(at), *again, staging.differentiated(at), paths)
    return found


def found_in(text: str, codemods: Sequence[Codemod] = CODEMODS) -> list[tuple[object, ...]]:
    analysis = analyze(SourceFile.decode("a.py", text.encode()), codemods)
    assert not analysis.bugs
    return sorted(told(each.finding, analysis.module.path(each.finding.at), each.codemod.id) for each in analysis.found)


def told(finding: Finding, *parts: str) -> tuple[object, ...]:
    """What is said of it; of several reasons to decline the first in the text counts, so that one may be another."""
    is_declined = finding.declined is not None
    return (*parts, finding.message, str(finding.title), finding.confidence.value, str(finding.safety), is_declined)


@settings(max_examples=150, deadline=None)
@given(programs(), st.randoms(use_true_random=False))
def test_the_order_of_definitions_and_of_codemods_does_not_matter(program: Program, shuffled: random.Random) -> None:
    names, codemods = [*program.functions], [*CODEMODS]
    expected = found_in(program.text(names))
    for _ in range(3):
        shuffled.shuffle(names)
        shuffled.shuffle(codemods)
        assert found_in(program.text(names), codemods) == expected


def test_a_function_that_is_handed_on_by_its_callee_is_read_alike_whoever_is_asked_first() -> None:
    """What is known of it grows from nothing seen, which is unknown, to a trace: no order of values holds both."""
    first, second = f"def f0(x):\n    run(f1)\n{BODY}", f"def f1(x):\n    f0(x)\n{BODY}"
    program = Program({"f0": first, "f1": second}, "jax.jit(f1)(1.0)\n")
    source, around = SourceFile.decode("a.py", program.text(["f0", "f1"]).encode()), Surroundings("a")
    one, other = (answers(Module.parse(source, around), order) for order in (["f0", "f1"], ["f1", "f0"]))
    assert one == other


@settings(max_examples=200, deadline=None)
@given(st.one_of(programs(), programs(PASSING)), st.randoms(use_true_random=False))
def test_what_was_asked_first_does_not_matter(program: Program, shuffled: random.Random) -> None:
    names = [*program.functions]
    source, around = SourceFile.decode("a.py", program.text(names).encode()), Surroundings("a")
    expected = answers(Module.parse(source, around), names)
    for _ in range(3):
        shuffled.shuffle(names)
        assert answers(Module.parse(source, around), names) == expected


def test_functions_that_return_each_other_are_used_alike_whichever_is_asked_first() -> None:
    """What becomes of either is read off the uses of the other: neither answer is kept while the other is open."""
    text = "def _f0(x):\n    return f1\ndef f1(x):\n    return _f0\n_f0(1)(2)\n"

    def returned(order: Sequence[int]) -> list[set[str]]:
        module = Module.parse(SourceFile.decode("a.py", text.encode()), Surroundings("a"))
        functions, graph = module.nodes(ast.FunctionDef), module.get(CallGraph)
        found = {index: {*graph.returned_as(functions[index])} for index in order}
        return [found[0], found[1]]

    assert returned([0, 1]) == returned([1, 0]) == [{"a.f1->"}] * 2


def test_two_functions_that_call_each_other_are_read_alike_whichever_stands_first() -> None:
    """Each runs eagerly and repeatedly, because the other does; the loop may compile both as one step."""
    one = "def _one(x):\n    _two(x)\n" + BODY
    two = "def _two(x):\n    _one(x)\n" + BODY
    end = "for i in range(9):\n    _one(1.0)\n"
    assert len(found_in(HEAD + one + two + end)) == 3
    assert found_in(HEAD + one + two + end) == found_in(HEAD + two + one + end)


def test_of_several_ways_to_eager_work_the_same_is_shown_whichever_function_stands_first() -> None:
    """The gradient of `f1` itself is nearer than that of `f0`, which `f1` calls."""
    near = "def f1(x):\n    f0(x)\n    jax.grad(f0)(x)\n" + BODY
    far = "def f0(x):\n    jax.grad(f0)(x)\n" + BODY
    end = "for i in range(9):\n    f1(1.0)\n"
    found = found_in(HEAD + near + far + end)
    assert any("`f1` runs eagerly" in str(message) for _, _, message, *_ in found)
    assert found_in(HEAD + far + near + end) == found


@pytest.mark.parametrize("first", ["_a", "_b", "_c"])
def test_a_circle_that_is_entered_under_a_trace_is_traced_whichever_is_asked_first(first: str) -> None:
    text = "import jax\ndef _a(x):\n    _b(x)\ndef _b(x):\n    _c(x)\ndef _c(x):\n    _a(x)\nstep = jax.jit(_b)\n"
    module = Module.parse(SourceFile.decode("a.py", text.encode()))
    places = {node.name: node.body[0] for node in module.nodes(ast.FunctionDef)}
    assert {name: module.get(Staging).runs(places[name]) for name in (first, *places)} == dict.fromkeys(
        places, Runs.TRACED
    )


def test_of_several_loops_that_call_a_step_the_same_is_shown_whichever_stands_first() -> None:
    step = "def _step(x):\n    return jax.numpy.sin(x) @ x @ x @ x @ x\n"
    loops = [f"def {name}(x):\n    for _ in range(9):\n        print(_step(x))\n" for name in ("_a", "_b")]
    end = "_a(1.0)\n_b(1.0)\n"
    found = found_in(HEAD + step + "".join(loops) + end)
    assert [place for place, *_ in found] == ["_a"]
    assert found_in(HEAD + step + "".join(reversed(loops)) + end) == found


def test_a_function_that_calls_itself_in_a_loop_is_run_again_by_one_call_of_it() -> None:
    text = "def f(x):\n    inner = x\n    for y in x:\n        f(y)\n"
    module = Module.parse(SourceFile.decode("a.py", text.encode()), Surroundings("a"))
    paths = module.get(Staging).through(module.nodes(ast.FunctionDef)[0].body[0])
    assert {path.name for path in paths} == {"a.f"} and {path.repeats for path in paths} == {False, True}


# --- several files --------------------------------------------------------------------------------------------


@st.composite
def projects(draw: st.DrawFn) -> dict[str, str]:
    """Files of two functions each, which call those of any file."""
    names = [f"m{number}" for number in range(draw(st.integers(2, 5)))]
    functions = [f"{module}.{function}" for module in names for function in "ab"]
    files = {}
    for name in names:
        parts = [HEAD, *(f"import {other}\n" for other in names if other != name)]
        for function in "ab":
            callees = draw(st.lists(st.tuples(st.sampled_from(CALLS), st.sampled_from(functions)), max_size=2))
            calls = "".join(f"    {call.format(callee)}\n" for call, callee in callees)
            parts.append(f"def {function}(x):\n{calls.replace(f'{name}.', '')}{BODY}")
        files[name] = "".join(parts)
    end = draw(st.sampled_from(ENDS)).format(draw(st.sampled_from(functions)))
    return files | {"main": "".join(f"import {name}\n" for name in names) + "import jax\n" + end}


def looks(files: dict[str, str], order: Sequence[str], codemods: Sequence[Codemod] = CODEMODS) -> dict[str, object]:
    """What a survey in this order shows of each file; of findings at one place the order is that of the codemods."""
    units = [
        Unit(SourceFile.decode(f"{name}.py", files[name].encode()), tuple(codemods), Surroundings(name))
        for name in order
    ]
    found = survey(units, lambda path: None).looks
    return {name: (look.error, sorted(map(repr, look.diagnostics))) for name, look in zip(order, found, strict=True)}


@settings(max_examples=40, deadline=None)
@given(projects(), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(files: dict[str, str], shuffled: random.Random) -> None:
    names = [*files]
    expected = looks(files, names)
    for _ in range(2):
        shuffled.shuffle(names)
        assert looks(files, names) == expected


def test_of_several_files_that_hand_a_function_on_the_same_is_named_whichever_is_read_first() -> None:
    files = {"made": f"{HEAD}def f(x):\n    f(x)\n{BODY}", "loop": "import made\nfor i in range(9):\n    made.f(1.0)\n"}
    files |= dict.fromkeys(("one", "two"), f"{HEAD}import made\ndef g(x):\n    run(made.f)\n{BODY}")
    found = looks(files, ["made", "one", "two", "loop"])
    assert "`f` is passed on in one.py" in str(found["made"])
    assert looks(files, ["loop", "two", "one", "made"]) == found


def test_of_several_files_that_repeat_a_line_the_same_is_named_whichever_is_read_first() -> None:
    loop = "import made\nfor i in range(9):\n    made.f(1.0)\n"
    files = {"made": f"{HEAD}def f(x):\n{BODY}", "one": loop, "two": loop}
    found = looks(files, ["made", "one", "two"])
    assert "path='one.py'" in str(found["made"])
    assert looks(files, ["two", "one", "made"]) == found


@settings(max_examples=60, deadline=None)
@given(projects(), st.randoms(use_true_random=False))
def test_what_was_asked_first_of_other_files_does_not_matter(files: dict[str, str], shuffled: random.Random) -> None:
    given = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in files.items()]
    queries = [
        (query, f"{name}.{function}")
        for query in ("runs", "repeats", "surely repeats", "differentiated")
        for name in files
        for function in "ab"
    ]
    expected = joined(given).answers(queries)
    for _ in range(3):
        shuffled.shuffle(queries)
        project = joined(given)
        assert {key: told for each in queries for key, told in project.answers([each]).items()} == expected


def test_the_goldens_are_read_alike_in_any_order_of_files_and_codemods() -> None:
    files = {f"golden_{number}": case.path.read_text() for number, case in enumerate(testing.cases(GOLDEN, CODEMODS))}
    names, codemods, shuffled = [*files], [*CODEMODS], random.Random(1)
    expected = looks(files, names)
    shuffled.shuffle(names)
    shuffled.shuffle(codemods)
    assert looks(files, names, codemods) == expected
    assert len(files) > 50
