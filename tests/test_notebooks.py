"""Notebooks: their cells as one module, and every byte around what changes in them."""

import ast
import json
import os
import random
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxfix import testing
from jaxfix.drivers.lsp import proving
from jaxfix.drivers.lsp.task import Task
from jaxfix.drivers.workflow import decisions
from jaxfix.engine.analyze import analyze, diagnostic
from jaxfix.engine.check import parses
from jaxfix.engine.plan import plan
from jaxfix.engine.seen import sightings
from jaxfix.render import diff
from jaxfix.render.paint import plain
from jaxfix.report.measurement import Compile, Measurement
from jaxfix.report.report import Diagnostic, Patch
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import EvidenceError, ForeignNotebookError, SourceError
from jaxfix.source.notebook.cells import Notebook
from jaxfix.source.notebook.magics import masked
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments
from jaxfix_codemods import CODEMODS

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "_notebooks"
INPUTS = sorted(path for path in GOLDEN.iterdir() if ".fixed." not in path.name)
STEP = """\
def step(x):
    def body(c, _):
        return c * 2.0, None
    return jax.lax.scan(body, x, None, 3)[0]
"""
USE = "x = jnp.ones(3)\nfor _ in range(10):\n    x = step(x)"
CELLS = ("import jax\nimport jax.numpy as jnp", STEP.rstrip(), USE)


def document(*sources: str | list[str], **metadata: object) -> dict[str, object]:
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def notebook(*sources: str | list[str], **metadata: object) -> SourceFile:
    return SourceFile.decode("n.ipynb", json.dumps(document(*sources, **metadata), indent=1).encode())


def fixed(source: SourceFile) -> Patch:
    return plan(source, CODEMODS, lambda fix: None, testing.BESIDE)


def code_of(raw: bytes) -> tuple[list[str], dict[str, object]]:
    """The sources of the cells of code, and all the rest."""
    whole = json.loads(raw)
    cells = whole.get("cells") or [cell for sheet in whole["worksheets"] for cell in sheet["cells"]]
    key = "source" if "cells" in whole else "input"
    return ["".join(cell.pop(key)) for cell in cells if cell["cell_type"] == "code"], whole


# golden


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_golden(path: Path, pytestconfig: pytest.Config) -> None:
    source = SourceFile.decode(path.name, path.read_bytes())
    assert Counter(wanted(source)) == Counter(found(source))
    patch = fixed(source)
    result = path.with_name(f"{path.stem}.fixed{path.suffix}")
    if pytestconfig.getoption(testing.UPDATE) and not os.environ.get("CI") and patch.applied:
        result.write_bytes(patch.after)
    assert patch.after == (result.read_bytes() if result.exists() else path.read_bytes())
    assert not patch.held
    again = SourceFile.decode(path.name, patch.after)
    assert fixed(again).after == patch.after
    assert not Counter(c.text for c in comments(source.text)) - Counter(c.text for c in comments(again.text))
    if path.suffix == ".ipynb":
        assert code_of(patch.before)[1] == code_of(patch.after)[1]


def wanted(source: SourceFile) -> list[tuple[str, str, bool]]:
    return [(source.shown(want.line), want.id, want.declined) for want in testing.wants(source.text)]


def found(source: SourceFile) -> list[tuple[str, str, bool]]:
    analysis = analyze(source, CODEMODS, surroundings=testing.BESIDE)
    assert not analysis.bugs
    told = [diagnostic(analysis.module, each) for each in analysis.found]
    return [(entry.where, entry.id, not entry.fixable) for entry in told]


@pytest.mark.parametrize("path", [path for path in INPUTS if path.suffix == ".ipynb"], ids=lambda path: path.name)
def test_what_is_written_is_a_notebook(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    after = json.loads(fixed(SourceFile.decode(path.name, path.read_bytes())).after)
    nbformat.validate(after, version=after["nbformat"])


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_other_newlines_and_a_mark_in_front_stay(path: Path) -> None:
    raw = path.read_bytes().replace(b"\r\n", b"\n")
    after = fixed(SourceFile.decode(path.name, raw)).after
    odd = b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n")
    assert fixed(SourceFile.decode(path.name, odd)).after == b"\xef\xbb\xbf" + after.replace(b"\n", b"\r\n")


def test_functions_are_moved_where_a_cell_may_bind_anything_only_on_evidence() -> None:
    source = SourceFile.decode("strange.ipynb", (GOLDEN / "strange.ipynb").read_bytes())
    (careful,) = analyze(source, CODEMODS, surroundings=testing.BESIDE).diagnostics
    plain = SourceFile.of_cells("n.ipynb", [*CELLS[:1], "import sys", *CELLS[1:]])
    (sure,) = analyze(plain, CODEMODS, surroundings=testing.BESIDE).diagnostics
    assert (careful.safety.value, sure.safety.value) == ("needs-evidence", "safe")


# what is not Python


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline", "0                 "),
        ("!pip install \\\n  jax\nx = 1", "0             \n     \nx = 1"),
        ("files = !ls", "files = Q_ "),
        ("a, b = %magic 1", "a, b = Q_      "),
        ("spent = %timeit -o f(x)", "spent = Q_             "),
        ("x?", "0 "),
        ("jax.jit??", "0        "),
        ("?jax.jit", "0       "),
        ("a['x='] = !ls", "a['x='] = Q_ "),
        ("x; y?", "0    "),
        ("if x:\n    !ls\nelse:\n    %cd ..", "if x:\n    0  \nelse:\n    0     "),
        ("%time x = f(y)  # 1", "0;    x = f(y)  # 1"),
        ("%timeit -n 10 -r3 f(𝛼)", "0;                f(𝛼)"),
        ("%timeit x = f(y)", "0               "),
        ("%%time\nx = 1", "0     \nx = 1"),
        ("\n%%capture out\n%%time\nx = 1", "\nout=Q_       \n0     \nx = 1"),
        ("%%capture --no-stderr é\nx = 1", "é=Q_                   \nx = 1"),
        ("#@title\n%%capture\n!ls", "#@title\n0        \n0  "),
        ("%%bash\nécho $x\r\n", "0     \n        \r\n"),
        ("%%timeit\nf(x)", "0       \n    "),
        ("x %= 3\ny = (a\n % b)\nz = x != y", None),
        ("'''\n%no\n!no\n'''  # what?", None),
        ('f"{x!r}" % y  # %\nx = "\\\n%d" % 3', None),
        ("x = {\n  # ?\n}\n# why?", None),
        ("x = (\n'''\n?'''\n)", None),
        ("a = b == -1; c = d = '!'", None),
        ("x: int = 1;", None),
        ("a['=%'] = a[\"=!\"] = b", None),
    ],
)
def test_what_is_no_python_leaves_its_place(cell: str, python: str | None) -> None:
    found = masked(cell, "Q_")
    assert found.text.decode() == (cell if python is None else python)
    assert len(found.text) == len(cell.encode()) and bool(found.foreign) == (python is not None)
    compile(found.text.decode(), "cell", "exec")


@pytest.mark.parametrize(
    ("cell", "strange", "hidden"),
    [
        ("%run other.py", True, True),
        ("%unheard of", True, True),
        ("%%cython\ndef f(): ...", True, True),
        ("%time for i in x: f(i)", True, True),
        ("x = %store y", True, True),
        ("/f x", True, True),
        (" x = 1\n y = 2", True, True),
        ("  !ls", True, True),
        ("%%timeit\nf(x)", False, True),
        ("%timeit y = f(x)", False, True),
        ("%timeit f(x)", False, False),
        ("%%bash\nf x", False, False),
        ("%%bash --out f\nls", True, True),
        ("%%bash --ou f\nls", True, True),
        ("%%prun f = 1\ng(x)", True, True),
        ("%%memit -r 1 f = 1\ng(x)", True, True),
        ("%%snakeviz f = 1\ng(x)", True, True),
        ("%%prun -s time -q\ng(x)", False, False),
        ("%%snakeviz\ng(x)", False, False),
        ("!echo {f(x)}", False, True),
        ("files = !ls $f", False, True),
        ("get_ipython().user_ns['f'] = 1", True, True),
        ("get_ipython().run_line_magic('run', 'f.py')", True, True),
        ("ip = get_ipython()\nip.run_cell(text)", True, True),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx.run(1)", False, False),
        ("%time", False, False),
        ("%pip install f", False, False),
        ("!f", False, False),
    ],
)
def test_what_may_bind_and_what_may_read_is_known(cell: str, strange: bool, hidden: bool) -> None:
    notebook = Notebook.of_cells([cell])
    assert (bool(notebook.strange), notebook.may_use("f")) == (strange, hidden)


LINES = (
    *("x = 1", "%time y = 2", "!ls", "x = !ls", "foo?", "?foo", "y = (a", "  % b)", "'''", "%no", "s = '''a", "b'''"),
    *(
        "if x:",
        "    !ls",
        "    pass",
        "# c?",
        "z = x != y",
        "x %= 3",
        "%%time",
        "%%bash",
        "a = %env",
        "f(",
        "  x,",
        ")",
    ),
    *("print('!')", 'x = "%d" % 3', "!a \\", "  b", "y = \\", "def f():", "    return 1", "x; y?", "a.b[0]?", "/f x"),
    *("%timeit f(x)", "await f()", "lambda: x?", "f'{x!r}'", "x = f'{y%3}'  # !", "%cd ..;", "a = b = !ls", ""),
    *("a['x='] = !ls", "a.b = %m x", "x == %m", "a['=%'] = 1"),
)


@pytest.mark.slow
def test_what_ipython_leaves_alone_is_left_alone() -> None:
    transformer = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager()
    chance, compared = random.Random(1), Counter[bool]()
    for _ in range(5_000):
        cell = "\n".join(chance.choice(LINES) for _ in range(chance.randint(1, 5)))
        try:
            text = transformer.transform_cell(cell)
            compile(text, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except SyntaxError:
            continue
        is_python = [line.rstrip() for line in text.split("\n") if line.strip()] == [
            line.rstrip() for line in cell.split("\n") if line.strip()
        ]
        found = masked(cell, "Q_")
        assert is_python or found.foreign or not parses(found.text), cell
        assert not is_python or not found.foreign or found.strange == (cell,), cell
        compared[is_python] += 1
    assert min(compared.values()) > 300


# what is written


STYLES: list[dict[str, object]] = [
    {"indent": 1, "ensure_ascii": False},
    {"indent": 1},
    {"indent": 2, "ensure_ascii": False},
    {"indent": None, "separators": (",", ":")},
    {"indent": "\t", "sort_keys": True},
]
TEXTS = st.text(st.sampled_from("ab \t\n\r'\"\\/#%!?é𝛼\x0c\u2028\x1b<&"), max_size=30)


@given(st.lists(TEXTS, min_size=1, max_size=5), st.sampled_from(STYLES), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_only_the_sources_that_change_are_written(
    texts: list[str], style: dict[str, object], joined: bool, seed: int
) -> None:
    cells = [text if joined else text.splitlines(keepends=True) for text in texts]
    raw = json.dumps(document(*cells, kernelspec={"language": "python"}), **style).encode()  # type: ignore[arg-type]
    source = SourceFile.decode("n.ipynb", raw)
    assert source.edited([]).raw == raw and source.around is not None
    chance = random.Random(seed)
    changed = {
        n: chance.choice([text + "\nx", f"é{text}", text[:3] + "y\n" + text[3:]]) for n, text in enumerate(texts, 1)
    }
    number = chance.choice(sorted(changed))
    after = source.around.written(raw, {number: changed[number]})
    expected = [changed[n] if n == number else text for n, text in enumerate(texts, 1)]
    assert code_of(after) == (expected, code_of(raw)[1])
    kept = [
        json.dumps(line, ensure_ascii=bool(style.get("ensure_ascii", True))).encode() for line in lines(texts, number)
    ]
    assert joined or all(line in after for line in kept)
    assert after.isascii() or not style.get("ensure_ascii", True) or raw.isascii()


def lines(texts: list[str], but: int) -> list[str]:
    return [line for n, text in enumerate(texts, 1) if n != but for line in text.splitlines(keepends=True)]


def test_lines_that_stay_keep_their_way_of_writing() -> None:
    old = r'["\u0061 = \"\u00e9\"\n","b = \"\/\"\n", "c = \u003c"]'
    raw = f'{{"nbformat":4,"cells":[{{"source":{old},"cell_type":"code"}}]}}'.encode()
    source = SourceFile.decode("n.ipynb", raw)
    assert source.around is not None
    after = source.around.written(raw, {1: 'a = "é"\nnew = "é/<"\nc = <'}).decode()
    assert r'["\u0061 = \"\u00e9\"\n","new = \"\u00e9\/\u003c\"\n", "c = \u003c"]' in after


def test_a_list_that_is_not_of_lines_is_written_as_one() -> None:
    raw = b'{"cells":[{"cell_type":"code","source":["a\\nb", "c\\n", "", "d"]}]}'
    source = SourceFile.decode("n.ipynb", raw)
    assert source.around is not None
    assert b'["a\\n", "bc\\n", "e"]' in source.around.written(raw, {1: "a\nbc\ne"})
    assert b'"source":[]' in source.around.written(raw, {1: ""})


# edits


def edited(source: SourceFile, at: str, text: str, length: int = 0) -> list[str]:
    start = source.text.index(at.encode())
    after = source.edited([Edit(Span(start, start + length), text)])
    assert after.notebook is not None
    return [cell.source for cell in after.notebook.cells]


def test_an_edit_at_an_end_of_a_cell_stays_in_it() -> None:
    source = notebook("a = 1", "b = 2", "c = 3\n")
    assert edited(source, "a = 1", "", len("a = 1\n")) == ["", "b = 2", "c = 3\n"]
    assert edited(source, "b = 2", "\n\nd = 4\n") == ["a = 1", "d = 4\nb = 2", "c = 3\n"]
    assert edited(source, "\n\n\nb", "\n\nd = 4\n") == ["a = 1\n\nd = 4", "b = 2", "c = 3\n"]
    assert edited(source, "b = 2", "", len("b = 2\n\n\n")) == ["a = 1", "", "c = 3\n"]
    assert edited(source, "\n\nb", "", len("\n\nb")) == ["a = 1", " = 2", "c = 3\n"]


@pytest.mark.parametrize(
    ("at", "text", "length", "why"),
    [
        ("= 1", "x", 12, "from cell 1 into cell 2"),
        ("0  ", "x = 1\n", 0, "line of cell 2"),
        ("Zz", "1", 2, "line of cell 3"),
        ("f(y)", "f(\ny)", 4, "line of cell 3"),
        ("0;", "x", 0, "line of cell 3"),
        ("a = 1", "%time\n", 0, "read as a magic"),
    ],
)
def test_an_edit_of_what_is_no_python_is_refused(at: str, text: str, length: int, why: str) -> None:
    source = notebook("a = 1", "%%time\nb = 2", "z = !ls\n%time x = f(y)")
    assert source.notebook is not None
    at = at.replace("Zz", source.notebook.cells[2].unknown)
    start = source.text.index(at.encode())
    edit = Edit(Span(start, start + length), text)
    with pytest.raises(SourceError, match=why):
        source.edited([edit])
    with pytest.raises(SourceError, match=why):
        source.refuse([edit])


def test_a_cell_in_another_language_is_never_written() -> None:
    source = SourceFile.of_cells("n.ipynb", [None, "a = 1"])
    with pytest.raises(SourceError, match="a line of cell 1 that is not Python"):
        source.edited([Edit(Span(0, 0), "b = 2\n")])


@pytest.mark.parametrize(
    ("above", "is_moved"),
    [("", True), ("%autoreload 2", False), ("import importlib\nimportlib.reload(own)", False)],
)
def test_what_reads_a_module_that_may_be_reloaded_is_not_moved(above: str, is_moved: bool) -> None:
    sources, _ = code_of(
        fixed(notebook(f"{CELLS[0]}\nimport own", above, STEP.replace("c * 2.0", "own.f(c)"), USE)).after
    )
    assert ("retrace(jax.lax.scan)(body" in sources[2]) != is_moved
    assert ("def _step_body" in sources[2]) == is_moved


@given(
    st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map("\n".join), min_size=1, max_size=3),
    st.integers(0, 200),
    st.integers(0, 12),
    st.sampled_from(["", "x", "x = 1\n", "\nx = 1", "%time\n", "é"]),
)
@settings(max_examples=150, deadline=None)
def test_no_edit_changes_what_is_no_python(cells: list[str], at: int, length: int, text: str) -> None:
    source = SourceFile.of_cells("n.ipynb", cells)
    start = min(at, len(source.text))
    try:
        after = source.edited([Edit(Span(start, min(start + length, len(source.text))), text)])
    except SourceError:
        return
    assert foreign(after) == foreign(source)
    assert len(after.notebook.cells if after.notebook else ()) == len(cells)


def foreign(source: SourceFile) -> list[list[bytes]]:
    assert source.notebook is not None
    spans = ((cell.source.encode(), cell.masked.foreign) for cell in source.notebook.cells)
    return [[raw[span.start : span.end] for span in found] for raw, found in spans]


def test_a_line_before_or_behind_a_magic_is_no_edit_of_it() -> None:
    source = notebook("%%time\nb = 2", "%time x = f(y)\nz = 1")
    assert edited(source, "b = 2", "a = 1\n")[0] == "%%time\na = 1\nb = 2"
    assert edited(source, "0;", "a = 1\n")[1] == "a = 1\n%time x = f(y)\nz = 1"
    assert edited(source, "f(y)", "g(y)", 4)[1] == "%time x = g(y)\nz = 1"
    assert edited(source, "z = 1", "a = 1\n")[1] == "%time x = f(y)\na = 1\nz = 1"


def test_a_magic_keeps_a_fix_that_would_change_its_line() -> None:
    call = "%time print(jax.lax.cond(x[0] > 0, lambda v: v, lambda v: -v, x))"
    source = notebook("import jax\nimport jax.numpy as jnp\nx = jnp.ones(3)", f"for _ in range(4):\n    {call}")
    patch = fixed(source)
    for held in patch.held:
        assert "no Python" in held.reason.text
    assert code_of(patch.after)[0][1].count("%time ") == 1


def test_an_import_stands_with_the_imports_of_the_notebook() -> None:
    source = notebook("%%capture\n!pip install jax", "import jax\nimport jax.numpy as jnp", *CELLS[1:])
    assert source.notebook is not None
    again = "rate = 1.0", STEP.replace("2.0", "rate").rstrip()
    patch = fixed(notebook("%%time\nimport jax\nimport jax.numpy as jnp", *again, USE))
    sources, _ = code_of(patch.after)
    assert sources[0] == "%%time\nimport jax\nimport jax.numpy as jnp\nfrom jaxfix_helpers import retrace"
    assert sources[1] == "rate = 1.0" and "retrace(jax.lax.scan)" in sources[2]


def test_own_text_of_a_person_goes_into_the_cells() -> None:
    source = notebook("a = 1", "%time b = 2\nc = 3", "'d'")
    wish = json.dumps(document("a = 1\nnew = 2", "%time b = 2\nc = 4", "'d'"), indent=1).encode()
    edits = decisions.rewritten(source, wish)
    assert source.edited(edits).raw == wish and len(edits) == 2
    for other in (
        document("a = 1"),
        document("a = 1", "!ls", "'d'"),
        document("a = 1", "%time b = 2\nc = 3", "'d'", x=1),
    ):
        with pytest.raises(SourceError):
            decisions.rewritten(source, json.dumps(other, indent=1).encode())


# places


def test_lines_count_within_cells() -> None:
    source = notebook("a = 1\nb = 2", "", "c = 3", ["d = 4\n", "e = 5\n"])
    module = Module.parse(source)
    places = [source.place(statement.lineno) for statement in module.tree.body]
    assert places == [(1, 1), (1, 2), (3, 1), (4, 1), (4, 2)]
    assert [source.line_at(*place) for place in places] == [s.lineno for s in module.tree.body]
    assert source.notebook is not None
    assert [source.notebook.line(*place) for place in ((1, 3), (0, 1), (5, 1), (4, 2))][:3] == [None] * 3
    told = source.placed("line 8 and `line 9`: overlaps at line 2")
    assert told == "cell 3, line 1 and `line 9`: overlaps at cell 1, line 2"


def test_a_person_reads_the_magics_where_they_stand() -> None:
    source = notebook("%time x = 1", "b = !ls é\nc = 2", "")
    assert source.original.decode().split("\n\n\n") == ["%time x = 1", "b = !ls é\nc = 2", "", ""]
    at = source.text.index(b"c = 2")
    assert source.original[at:].startswith(b"c = 2") and len(source.original) == len(source.text)


def test_lines_of_markdown_are_those_of_the_file() -> None:
    source = SourceFile.decode("n.md", b"# T\n\n```python\na = 1\n```\n\n```python\n\nb = 2\n```\n")
    module = Module.parse(source)
    assert [source.place(s.lineno) for s in module.tree.body] == [(None, 4), (None, 9)]
    assert [source.line_at(None, line) for line in (4, 9)] == [s.lineno for s in module.tree.body]


@pytest.mark.parametrize(
    ("source", "strange"), [("%%sql result <<\nSELECT 1", True), ("%%bash\nls", False), ("SELECT 1", False)]
)
def test_a_magic_of_a_cell_in_another_language_counts(source: str, strange: bool) -> None:
    whole = document(source)
    whole["cells"][0]["metadata"] = {"vscode": {"languageId": "sql"}}  # type: ignore[index]
    notebook = SourceFile.decode("n.ipynb", json.dumps(whole).encode()).notebook
    assert notebook is not None and notebook.text.strip() in (b"", b"0") and bool(notebook.strange) == strange


def test_a_part_between_colons_has_cells_like_any_other() -> None:
    part = b"::: {.callout-note}\n```{python}\nb = 2\n```\n:::\n"
    source = SourceFile.decode("n.qmd", b"```{python}\na = 1\n```\n" + part + b":::{code-cell}\nc = 3\n:::\n")
    assert source.notebook is not None
    assert [cell.source for cell in source.notebook.cells] == ["a = 1", "b = 2", "c = 3"]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["a = 1", "b = 2\nc ="], "cell 2, line 2: syntax error"),
        (["a = (1,", "2)"], "cell 1, line 1: syntax error: it goes on in the next cell"),
        (["if a:", "    b = 1"], "cell 1, line 1: syntax error: expected an indented block .* on cell 1, line 1"),
        (["'''", "'''"], "cell 1, line 1: syntax error: it goes on in the next cell"),
        (["a = 1\n@jax.jit", "def f(x):\n    return x"], "cell 1, line 2: syntax error: it goes on in the next cell"),
    ],
)
def test_a_cell_that_is_no_python_is_named(cells: list[str], why: str) -> None:
    with pytest.raises(SourceError, match=why):
        Module.parse(notebook(*cells))


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"[]", "not an object with cells"),
        (b'{"cells": 1}', "line 1, column 11"),
        (b'{"a": 1}', "it has no cells"),
        (b'{"cells": [1]}', "line 1, column 12"),
        (b'{"cells": [], "nbformat": 4} x', "extra data"),
        (b'{"cells": [{"cell_type": "code", "source": 1}]}', "source of a cell is not a string"),
        (b'{"cells": [{"cell_type": "code", "source": ["a", 1]}]}', "source of a cell is not a string"),
        (b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', "half a character"),
        (b'{"cells": [{"cell_type": "code", "sou', "not valid JSON"),
        (b'{"cells": [{"cell_type": "code", "source": "\xff"}]}', "cannot be decoded"),
        (b'{"nbformat": 2, "worksheets": [{"cells": []}]}', "format 2, and 3 is the oldest"),
        (b'{"x": ' + b"[" * 100_000, "nested too deeply"),
        (b"<<<<<<< HEAD", "not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_told_in_one_line(raw: bytes, why: str) -> None:
    with pytest.raises(SourceError, match=why) as caught:
        SourceFile.decode("n.ipynb", raw)
    assert "\n" not in str(caught.value) and str(caught.value).startswith("n.ipynb: ")


@pytest.mark.parametrize(
    "metadata",
    [{"kernelspec": {"language": "R"}}, {"kernelspec": {"name": "julia"}, "language_info": {"name": "julia"}}],
)
def test_a_notebook_of_another_language_has_nothing_to_look_at(metadata: dict[str, object]) -> None:
    with pytest.raises(ForeignNotebookError, match="there is no Python"):
        notebook("x <- 1", **metadata)


@pytest.mark.parametrize("metadata", [{}, {"kernelspec": {"name": "x"}}, {"language_info": {"name": "ipython3"}}])
def test_a_notebook_is_of_python_unless_it_says_otherwise(metadata: dict[str, object]) -> None:
    assert notebook("x = 1", **metadata).text.startswith(b"x = 1")


# the command line


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a notebook that has a finding."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.ipynb").write_text(json.dumps(document(*CELLS), indent=1) + "\n")
    return tmp_path


def test_check_says_the_cell(project: Path, cli: Cli) -> None:
    for folder in (".ipynb_checkpoints", ".virtual_documents"):
        (project / folder).mkdir()
        (project / folder / "n.ipynb").write_text("{")
    done = cli("check")
    assert done.code == 1 and done.out.startswith("n.ipynb:cell 2:4:12: local-loop-function [*] `body` is")
    (finding,) = json.loads(cli("check", "--output-format", "json", "n.ipynb").out)["findings"]
    assert (finding["path"], finding["cell"], finding["line"], finding["column"]) == ("n.ipynb", 2, 4, 12)
    assert (finding["end_line"], finding["end_column"]) == (4, 42)


def test_apply_writes_a_notebook_and_undo_brings_it_back(project: Path, cli: Cli) -> None:
    before = Path("n.ipynb").read_bytes()
    done = cli("apply", "n.ipynb", "--allow-no-vcs", "--no-prove")
    after = Path("n.ipynb").read_bytes()
    assert done.code == 0 and code_of(after)[0][1].startswith("def _step_body(c, _):\n")
    assert code_of(after)[1] == code_of(before)[1]
    assert cli("undo").code == 0 and Path("n.ipynb").read_bytes() == before


def test_what_comes_through_stdin_is_a_notebook_by_its_name(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = Path("n.ipynb").read_bytes()
    with open("n.ipynb", "rb") as file:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": file, "isatty": lambda self: False})())
        done = cli("apply", "-", "--stdin-filename", "n.ipynb", "--no-prove")
    assert done.code == 0 and done.out.encode() == fixed(SourceFile.decode("n.ipynb", raw)).after


def test_a_filter_gives_no_empty_text_for_a_notebook_without_python(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("r.ipynb").write_text(json.dumps(document("x <- 1", kernelspec={"language": "R"})))
    with open("r.ipynb", "rb") as file:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": file, "isatty": lambda self: False})())
        done = cli("apply", "-", "--stdin-filename", "r.ipynb", "--no-prove")
    assert done.code == 2 and "is a notebook of R" in done.err


def test_a_diff_is_of_the_file_and_names_the_cells(project: Path, cli: Cli) -> None:
    whole = document(*(cell.splitlines(keepends=True) for cell in (*CELLS, *CELLS[1:])))
    (project / "n.ipynb").write_text(json.dumps(whole, indent=1))
    subprocess.run(["git", "init", "-q"], check=True)
    diff = cli("apply", "n.ipynb", "--diff", "--no-prove").out
    heads = [line.rpartition("@@")[2] for line in diff.splitlines() if line.startswith("@@")]
    assert "+++ b/n.ipynb" in diff and heads == [" cell 2", " cell 4"]
    assert '+    "def _step_body(c, _):\\n",' in diff
    expected = fixed(SourceFile.decode("n.ipynb", Path("n.ipynb").read_bytes())).after
    subprocess.run(["git", "apply", "-"], input=diff.encode(), check=True)
    assert Path("n.ipynb").read_bytes() == expected


def test_a_person_reads_the_diff_of_the_cells() -> None:
    shown = diff.hunks(fixed(notebook(*CELLS)), "utf-8", plain)
    assert shown.splitlines()[:3] == ["@@ -1,4 +1,6 @@ cell 2", "+def _step_body(c, _):", "+    return c * 2.0, None"]
    assert "-    return jax.lax.scan(body, x, None, 3)[0]\n" in shown and "\\n" not in shown


def test_one_broken_notebook_is_named_and_the_others_are_looked_at(project: Path, cli: Cli) -> None:
    (project / "broken.ipynb").write_text(json.dumps(document("x = (", "y = 1")))
    (project / "empty.ipynb").write_text("")
    (project / "r.ipynb").write_text(json.dumps(document("x <- 1", kernelspec={"language": "R"})))
    done = cli("check")
    assert done.code == 2 and "n.ipynb:cell 2:4:12" in done.out
    assert "broken.ipynb: cell 1, line 1: syntax error" in done.err and "empty.ipynb: is empty" in done.err
    assert "r.ipynb" not in done.err
    named = cli("check", "r.ipynb")
    assert named.code == 0 and "note: r.ipynb: is a notebook of R" in named.err


def test_a_notebook_calls_what_the_project_defines(project: Path, cli: Cli) -> None:
    (project / "n.ipynb").write_text(json.dumps(document("from lib import step\n" + CELLS[0], USE)))
    (project / "lib.py").write_text(f"import jax\n\n{STEP}")
    assert "lib.py:6:12: local-loop-function" in cli("check").out
    assert cli("check", "lib.py").out == ""


def test_outputs_do_not_count_as_code(project: Path, cli: Cli) -> None:
    whole = document(*CELLS)
    whole["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["é" * 600_000]}]  # type: ignore[index]
    (project / "n.ipynb").write_text(json.dumps(whole))
    done = cli("check")
    assert "n.ipynb:cell 2:4:12" in done.out and "not analysed" not in done.err


def test_markdown_is_looked_at_when_it_is_named(project: Path, cli: Cli) -> None:
    (project / "n.ipynb").unlink()
    (project / "n.md").write_text("".join(f"```python\n{cell}\n```\n" for cell in CELLS))
    assert "no Python files to analyse" in cli("check").err
    assert cli("check", "n.md").out.startswith("n.md:9:12: local-loop-function")
    (project / "none.md").write_text("# T\n")
    assert cli("check", "none.md").code == 0


@pytest.mark.parametrize(
    ("other", "formats"),
    [
        ("n.py", "ipynb,py:percent"),
        ("n.md", "ipynb,md"),
        ("n.pct.py", "ipynb,.pct.py:percent"),
        ("n.py", "ipynb,,a\0//py,\ud800//py,py"),
    ],
)
def test_a_pair_that_drifts_apart_is_named(project: Path, cli: Cli, other: str, formats: str) -> None:
    whole = document(*CELLS, jupytext={"formats": formats})
    (project / "n.ipynb").write_text(json.dumps(whole))
    (project / other).write_text("x = 1\n")
    told = cli("apply", "n.ipynb", "--allow-no-vcs", "--no-prove").err
    assert f"jupytext pairs `n.ipynb` with `{other}`, not written: run `jupytext --sync n.ipynb`" in told


def test_a_script_that_drifts_from_its_notebook_is_named(project: Path, cli: Cli) -> None:
    header = "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n"
    (project / "n.py").write_text(header + "\n\n".join(f"# %%\n{cell}" for cell in CELLS) + "\n")
    assert "pairs `n.py` with `n.ipynb`" in cli("apply", "n.py", "--allow-no-vcs", "--no-prove").err
    assert cli("undo").code == 0
    assert "pairs" not in cli("apply", "n.py", "n.ipynb", "--allow-no-vcs", "--no-prove").err


def test_a_kernel_is_not_watched(project: Path, cli: Cli) -> None:
    run = "jupyter nbconvert --to notebook --execute n.ipynb"
    done = cli("apply", "n.ipynb", "--allow-no-vcs", "--run", run)
    assert done.code == 2 and "in a kernel, where they are not watched; name the notebook itself" in done.err
    task = Task(str(project), str(project / "n.ipynb"), None, run, None, 600, None, ())
    with open(os.devnull, "wb") as sink, pytest.raises(EvidenceError, match="in a kernel"):
        proving.proven(task, proving.Teller(sink.fileno()))


# what a run has seen


def test_what_a_trace_tells_of_a_cell_is_told_of_its_line() -> None:
    source = notebook(*CELLS)
    place = {"path": "n.ipynb", "line": 4, "function": "step", "cell": 2}
    chain = ("n.ipynb:cell 2:4 in step", "n.ipynb:cell 3:3 in <module>")
    entry = Compile(**place, chain=chain, program="scan", cause=None, seconds=0.1, step=1)  # type: ignore[arg-type]
    rows = compiled([entry, replace(entry, step=2), replace(entry, step=3)])
    named = trace_file.named_lines(measurement(rows, entry))["n.ipynb"]
    then = trace_file.traced_source(source.raw, named, "n.ipynb")
    assert then.line(4, 2) == CELLS[1].splitlines()[3] and then.line(4) is None
    (diagnostic,) = seen(source, rows, then)
    assert (diagnostic.cell, diagnostic.line) == (2, 4) and diagnostic.seen is not None
    moved = notebook("'a new cell'", *CELLS)
    (diagnostic,) = seen(moved, rows, then)
    assert (diagnostic.cell, diagnostic.line) == (3, 4) and diagnostic.seen is not None


def seen(source: SourceFile, rows: tuple[Compiled, ...], then: trace_file.TracedSource) -> tuple[Diagnostic, ...]:
    found = sightings(rows, "n.ipynb", then, source)
    return analyze(source, CODEMODS, seen=found, surroundings=testing.BESIDE).diagnostics


def measurement(rows: tuple[Compiled, ...], entry: Compile) -> Measurement:
    assert rows[0].where == "n.ipynb:cell 2:4" and rows[0].chain[1].where == "n.ipynb:cell 3:3"
    return Measurement("run", None, (entry,), 0, (), (), "", (), {}, 0, None)


@pytest.mark.slow
@pytest.mark.evidence
def test_a_notebook_is_proven_by_its_cells(project: Path, cli: Cli) -> None:
    cells = ("%matplotlib inline\n" + CELLS[0], "rate = 2.0", STEP.replace("2.0", "rate"), f"%%time\n{USE}\n%time x")
    (project / "n.ipynb").write_text(json.dumps(document(*cells)))
    done = cli("apply", "n.ipynb", "--allow-no-vcs", "--run", "n.ipynb")
    assert done.code == 0 and "proven  local-loop-function  n.ipynb:cell 3:4  compiles per step 1 -> 0" in done.out
    assert "as the original in" in done.out and "bitwise equal" in done.out
    assert "retrace(jax.lax.scan)" in code_of(Path("n.ipynb").read_bytes())[0][2]
