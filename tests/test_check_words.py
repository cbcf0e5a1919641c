"""What `check` says of findings that depend on callers, and in which order it says it."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix import testing
from jaxfix.api import Codemod, Proves
from jaxfix.engine import estimate
from jaxfix.render import text
from jaxfix.render.paint import plain
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic, Seen
from jaxfix.report.wire import from_json
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS
from jaxfix_codemods.local_loop_function.naming import shown

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SOLVER = """\
import jax


def solve(x, rate):
    def body(i, value):
        return value * rate

    return jax.lax.fori_loop(0, 10, body, x)
"""
LOOP = "\n\nfor step in range(9):\n    x = solve(1.0, step)\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package below `src`, of which nothing in the project calls anything."""
    folder = tmp_path / "src" / "solvers"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "fixed.py").write_text(SOLVER)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_possible_finding_says_what_would_make_it_certain(package: Path, cli: Cli) -> None:
    line, *_ = cli("check", "--all").out.splitlines()
    assert line.endswith("; certain if `solve` is called eagerly in a loop")
    document = json.loads(cli("check", "--all", "--output-format", "json").out)
    assert [entry["certain_if"] for entry in document["findings"]] == ["`solve` is called eagerly in a loop"]


def test_a_certain_one_does_not(package: Path, cli: Cli) -> None:
    (package / "fixed.py").write_text(SOLVER + LOOP)
    done = cli("check")
    assert done.code == 1 and "local-loop-function" in done.out and "certain if" not in done.out


def test_a_library_sees_what_depends_on_callers_and_does_not_fail(package: Path, cli: Cli) -> None:
    assert cli("check").out == ""
    (package.parents[1] / "pyproject.toml").write_text('[build-system]\nrequires = ["hatchling"]\n')
    done = cli("check", "--no-cache")
    assert "certain if `solve` is called eagerly" in done.out
    assert done.code == 0 and "--all" not in done.err
    assert cli("check", "--all").code == 1


def test_scripts_of_a_project_that_is_built_are_no_library(package: Path, cli: Cli) -> None:
    (package.parents[1] / "pyproject.toml").write_text('[build-system]\nrequires = ["hatchling"]\n')
    (package.parents[1] / "script.py").write_text(SOLVER)
    assert "script.py" not in cli("check", "--no-cache").out


def test_the_dearest_comes_first_then_what_is_certain(package: Path, cli: Cli) -> None:
    found = json.loads(cli("check", "--all", "--output-format", "json").out)["findings"][0]
    base = from_json(Diagnostic, {**_blank(), "id": found["id"], "path": "a.py"})
    several = [
        _at(base, 1, Confidence.POSSIBLE, None),
        _at(base, 2, Confidence.CERTAIN, None),
        _at(base, 3, Confidence.SEEN, 1.0),
        _at(base, 4, Confidence.SEEN, 9.0),
    ]
    told = text.findings(several, plain).splitlines()
    assert [line.split(":")[1] for line in told] == ["4", "3", "2", "1"]


def test_a_long_line_goes_on_indented_on_a_terminal(package: Path, cli: Cli) -> None:
    found = json.loads(cli("check", "--all", "--output-format", "json").out)["findings"][0]
    one = _at(from_json(Diagnostic, {**_blank(), "id": found["id"], "path": "a.py"}), 1, Confidence.CERTAIN, None)
    one = replace(one, message="`body` is a new function at every call of `smooth`: `scan` compiles again")
    (line,) = text.findings([one], plain).splitlines()
    first, *rest = text.findings([one], plain, 60).splitlines()
    assert rest and all(each.startswith("    ") for each in rest)
    assert all(len(each) <= 60 for each in (first, *rest))
    assert " ".join([first, *(each.strip() for each in rest)]) == line
    assert text.findings([one], plain, 200) == f"{line}\n"
    painted = text.findings([one], lambda style, words: f"<{words}>", 60)
    assert painted.startswith(f"<a.py:1:{one.column}>: <{one.id}>")


def test_the_summary_has_the_command_that_proves_what_needs_a_rerun(package: Path, cli: Cli) -> None:
    assert "1 fixable after a rerun: `jaxfix apply --run CMD`" in cli("check", "--all", "--no-cache").err
    (package / "fixed.py").write_text(SOLVER + LOOP)
    whole = "jaxfix apply src/solvers/fixed.py --allow-no-vcs --run 'PYTHONPATH=src python -m solvers.fixed'"
    assert f"1 fixable after a rerun: `{whole}`\n" in cli("check", "--no-cache").err


def test_a_fix_that_needs_no_rerun_has_the_short_command(package: Path, cli: Cli) -> None:
    (package / "fixed.py").write_text("import jax\n\nfor _ in range(9):\n    print(jax.jit(lambda x: x)(1.0))\n")
    assert "1 fixable with `jaxfix apply`\n" in cli("check", "--select", "local-jit").err


NESTED = """\
import jax

for row in range(9):
    print(jax.jit(lambda x: x * 2)(1.0))
    for column in range(9):
        print(jax.jit(lambda x: x * 3)(1.0))

key = jax.random.key(0)
noise = jax.random.normal(key, (3,))
more = jax.random.normal(key, (3,))
print(noise + more)
"""


def test_without_a_trace_an_estimate_sorts_and_says_so(package: Path, cli: Cli) -> None:
    (package / "fixed.py").write_text(NESTED)
    done = cli("check", "--all")
    assert [line.split()[0].split(":")[1] for line in done.out.splitlines()] == ["10", "6", "4"]
    assert "sorted by an estimate of cost" in done.err
    assert "sorted" not in cli("check", "--all", "--output-format", "json").err
    found = json.loads(cli("check", "--all", "--output-format", "json").out)["findings"]
    assert {entry["line"]: entry.get("estimate") for entry in found} == {
        4: "a compile in each iteration",
        6: "a compile in each iteration of 2 nested loops",
        10: "random numbers that depend on each other",
    }


def test_each_gain_has_a_cost_or_is_none() -> None:
    assert set(Proves) - set(estimate.COSTS) == {Proves.SAME_RESULTS, Proves.SAME_ON_DEVICES}


def test_one_finding_is_not_said_to_be_sorted(package: Path, cli: Cli) -> None:
    assert "sorted" not in cli("check", "--all").err


@pytest.mark.parametrize("codemod", CODEMODS, ids=lambda codemod: codemod.id)
def test_each_possible_finding_of_the_goldens_says_what_would_make_it_certain(codemod: Codemod) -> None:
    cases = [case for case in testing.cases(GOLDEN, CODEMODS) if case.path.parent.name == codemod.id.replace("-", "_")]
    found = [entry for case in cases for entry in testing.diagnostics(case) if case.path.suffix == ".py"]
    assert found
    unsure = [entry for entry in found if entry.confidence is Confidence.POSSIBLE]
    assert [(entry.where, entry.message) for entry in unsure if entry.certain_if is None] == []


def _at(base: Diagnostic, line: int, confidence: Confidence, seconds: float | None) -> Diagnostic:
    from dataclasses import replace

    return replace(base, line=line, confidence=confidence, seen=None if seconds is None else Seen(1, seconds))


def _blank() -> dict[str, object]:
    anchor = {"function": "f", "text": "x", "digest": "0"}
    places = dict.fromkeys(("line", "column", "end_line", "end_column"), 1)
    words = {"message": "m", "title": "t", "key": "k", "confidence": "certain", "safety": "safe"}
    return {**places, **words, "fixable": True, "declined": None, "anchor": anchor}


def test_many_findings_of_other_versions_name_the_command_that_sums_them_up(tmp_path: Path, cli: Cli) -> None:
    lines = "\n".join(f"    x{number} = jax.tree_map(abs, x)" for number in range(12))
    (tmp_path / "old.py").write_text(f"import jax\n\n\ndef f(x):\n{lines}\n    return x11\n")
    done = cli("check", str(tmp_path / "old.py"))
    assert "12 of these are about newer versions of libraries: `jaxfix upgrade` sums them up" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("partial(f, 1), partial(g, 2)", "both `partial` objects"),
        ("partial(f, 1), lambda v: v", "the `partial` object and the lambda"),
        ("lambda v: v, lambda v: -v, lambda v: 0", "all 3 lambdas"),
        ("f, g, lambda v: v", "`f`, `g` and the lambda"),
        ("f, f", "`f`"),
    ],
)
def test_functions_of_one_kind_are_counted(arguments: str, words: str) -> None:
    module = Module.parse(SourceFile.decode("a.py", f"call({arguments})\n".encode()))
    (call,) = (node for node in module.nodes(ast.Call) if module.text(node.func) == "call")
    assert shown(module, *call.args) == words
