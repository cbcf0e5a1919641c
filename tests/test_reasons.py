"""Why fixes are declined: one type, codes that are all met, and no exception beside `Declined`."""

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix.api.analysis import why_unstable
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.render import json_report
from jaxfix.report.reason import Code, Declined, Reason, is_code
from jaxfix.report.report import Report
from jaxfix.report.wire import from_json, to_json
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE
from jaxfix_codemods import CODEMODS

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("library", "syntax", "semantic", "staging", "dataflow", "effects", "motion", "summary", "report")
ELSEWHERE = {
    Code.CHANGED_ELSEWHERE: "asks for a second file, as the test of two files below has",
    Code.NOT_ELEMENTWISE: "such a `cond` is not a finding at all",
    Code.NOT_WRITABLE: "no recipe of ours does it: tests/test_engine.py has such",
    Code.OLDER_VERSION: "a pyproject.toml decides, as in tests/test_removed_api.py",
    Code.OVERLAPS: "holds a fix for one round of planning",
    Code.WAITS: "holds a fix for one round of planning",
    Code.LEFT_OUT: "a person decides, as in tests/test_decisions.py",
    Code.NO_EVIDENCE: "what writes decides, as in tests/test_decisions.py",
    Code.NOT_PROVEN: "what reruns decides, as in tests/test_cli_prove.py",
}
"""Codes that no file alone can show, and why."""
RARE = {
    Code.COROUTINE: "    def body(x):\n        yield x\n    return jax.jit(body)(x)",
    Code.MULTILINE_STRING: '    return jax.jit(lambda x: x + len("""a\nb"""))(x)',
}
"""Bodies of a function of `x` for codes that no golden has."""


def declined() -> Iterator[Reason]:
    """The reasons of the findings in goldens, notebooks and traps, each file by itself, with its trace."""
    for case in testing.cases(ROOT / "golden", CODEMODS):
        source = SourceFile.decode(str(case), case.path.read_bytes())
        found = analyze(source, CODEMODS, seen=case.seen(source), surroundings=BESIDE).found
        yield from (entry.finding.declined for entry in found if entry.finding.declined is not None)
    for path in sorted((ROOT / "golden").rglob("*.ipynb")):
        found = analyze(SourceFile.decode(path.as_posix(), path.read_bytes()), CODEMODS).found
        yield from (entry.finding.declined for entry in found if entry.finding.declined is not None)


@pytest.fixture(scope="module")
def met() -> Counter[str]:
    return Counter(reason.code for reason in declined())


def test_every_code_is_met_in_goldens_or_says_where_else(met: Counter[str]) -> None:
    assert {code for code in Code if code not in met} == {*ELSEWHERE, *RARE}


@pytest.mark.parametrize("code", RARE)
def test_a_rare_code_is_met(code: Code) -> None:
    source = SourceFile.decode("a.py", f"import jax\ndef run(x):\n{RARE[code]}\n".encode())
    (found,) = (each for each in analyze(source, CODEMODS).found if not each.finding.moot)
    assert found.finding.declined is not None and found.finding.declined.code is code


def test_what_another_file_changes_has_a_code_of_its_own() -> None:
    files = {"model": b"rate = 1\n", "train": b"import model\nmodel.rate = 2\n"}
    given = [(SourceFile.decode(f"{name}.py", text), Surroundings(name)) for name, text in files.items()]
    module = Module.parse(given[0][0], replace(given[0][1], project=joined(given)))
    reason = Reason(Code.CHANGED_ELSEWHERE, "another file changes `rate`")
    assert why_unstable(module, "rate", module.tree) == reason


def test_built_in_codemods_use_listed_codes_alone(met: Counter[str]) -> None:
    assert set(met) <= set(Code)


@pytest.mark.parametrize("code", Code)
def test_a_code_is_spelled_in_words_and_means_something(code: Code) -> None:
    assert is_code(code)
    assert (code.means and code.means[0] in "`*") or code.means[0].islower()
    assert not code.means.endswith(".")


@pytest.mark.parametrize("odd", ["", "No", "two words", "a--b", "-a", "a-", "ä", "a_b", "1"])
def test_other_spellings_are_no_codes(odd: str) -> None:
    assert not is_code(odd)


def exceptions(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(
            ast.unparse(base).endswith(("Exception", "Error", "Declined")) for base in node.bases
        ):
            yield node.name


def test_nothing_but_declined_is_raised_to_decline() -> None:
    files = [path for room in ROOMS for path in (ROOT / "jaxfix" / room).rglob("*.py")]
    files += (ROOT / "codemods").rglob("*.py")
    found = {name: path for path in files for name in exceptions(ast.parse(path.read_bytes()))}
    assert set(found) - {"_Spent"} == {"Declined"}  # the other ends a search whose budget is spent


def test_a_reason_keeps_its_code_and_its_line_in_other_words() -> None:
    inner = Reason(Code.MUTATED, "line 3 changes `x`", 3)
    assert inner.restated(f"it reads `x`: {inner}") == Reason(Code.MUTATED, "it reads `x`: line 3 changes `x`", 3)


def test_a_reason_travels() -> None:
    reason = Reason(Code.MUTATED, "line 3 changes `x`", 3)
    assert from_json(Reason, to_json(reason)) == reason
    assert str(Declined(reason)) == reason.text


def test_what_a_function_reads_says_why_it_is_unstable() -> None:
    module = Module.parse(SourceFile.decode("a.py", b"x = [1]\nkeep(x)\ny = 1\ny = 2\nz = 3\n"))
    assert why_unstable(module, "z", module.tree) is None
    assert why_unstable(module, "y", module.tree) == Reason(Code.REBOUND, "`y` is bound more than once")
    handed = Reason(Code.ESCAPES, "line 2 passes `x` to code that may change it", 2)
    assert why_unstable(module, "x", module.tree) == handed


SHARED = "import jax\nimport numpy as np\ntable = np.ones(3)\nkeep(table)\n"
RUN = "def run(x):\n    return jax.jit(lambda x: x + table)(x)\n"


def told(source: SourceFile) -> list[tuple[object, object, object]]:
    found = json.loads(json_report.findings(Report(analyze(source, CODEMODS).diagnostics), not_shown=0))["findings"]
    return [(entry["declined"], entry["declined_code"], entry["declined_line"]) for entry in found]


def test_json_has_the_code_and_the_line_of_a_reason() -> None:
    ((text, code, line),) = told(SourceFile.decode("a.py", f"{SHARED}{RUN}".encode()))
    assert str(text).endswith("line 4 passes `table` to code that may change it")
    assert (code, line) == ("escapes", 4)


@pytest.mark.parametrize(("cells", "line"), [((SHARED + RUN,), 4), ((SHARED, RUN), None)])
def test_a_line_of_another_cell_is_left_to_the_text(cells: tuple[str, ...], line: int | None) -> None:
    ((_, _, found),) = told(SourceFile.of_cells("a.ipynb", cells))
    assert found == line


def test_json_of_a_fix_has_no_code() -> None:
    fixed = "import jax\ndef run(x):\n    return jax.jit(lambda x: x + 1)(x)\n"
    assert told(SourceFile.decode("a.py", fixed.encode())) == [(None, None, None)]
