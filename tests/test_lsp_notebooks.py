"""Notebooks in the language server: their cells are one module, and each finding is in its cell."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from lsp_client import SOLVER, WHOLE, Client, applied, change_of, client, titled

from jaxfix.drivers.lsp import edits
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.plan import patched
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The root of a project, with a name that a uri has to quote."""
    root = tmp_path / "my 100% project é"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def server(project: Path) -> Iterator[Client]:
    with client(project) as found:
        yield found


CELLS = [
    ("%matplotlib inline\nimport jax", "python"),
    ("SELECT 1", "sql"),
    (
        "def solve(x):\n    def body(c, _):\n        return c * 2, None\n    return jax.lax.scan(body, x, None, 3)[0]",
        "python",
    ),
    ("for i in range(4):\n    '𝔘', solve(i * 1.0)\n!ls", "python"),
]


def opened_notebook(server: Client, path: Path, cells: Sequence[tuple[str, str]] = CELLS) -> list[str]:
    uris = [f"vscode-notebook-cell:{path.as_uri().removeprefix('file:')}#cell{n}" for n in range(len(cells))]
    server.notify(
        "notebookDocument/didOpen",
        notebookDocument={
            "uri": path.as_uri(),
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 2, "document": uri} for uri in uris],
        },
        cellTextDocuments=[
            {"uri": uri, "languageId": language, "version": 1, "text": text}
            for uri, (text, language) in zip(uris, cells, strict=True)
        ],
    )
    return uris


def test_the_cells_of_a_notebook_are_one_module(server: Client, project: Path) -> None:
    server.initialize(project)
    path = project / "a.ipynb"
    uris = opened_notebook(server, path)
    (found,) = server.pushed(uris[2])
    assert found["range"] == {"start": {"line": 3, "character": 11}, "end": {"line": 3, "character": 41}}
    places = [(e["location"]["uri"], e["location"]["range"]["start"]) for e in found["relatedInformation"]]
    assert places == [(uris[3], {"line": 1, "character": 10}), (uris[3], {"line": 0, "character": 0})]
    assert server.pushed(uris[3]) == [] and server.diagnostics(uris[2]) == []
    assert server.actions(uris[0], WHOLE, ["quickfix"]) == []
    fixed = server.resolve(server.actions(uris[2], found["range"], ["quickfix"])[0])
    after = applied(CELLS[2][0], change_of(fixed, uris[2]))
    assert after.startswith(
        "def _solve_body(c, _):\n    return c * 2, None\n\n\ndef solve(x):\n    return jax.lax.scan("
    )
    assert server.actions(uris[2], WHOLE, ["source.fixAll"]) == []
    (everything,) = server.actions(uris[0], WHOLE, ["notebook.source.fixAll.jaxfix"])
    assert change_of(server.resolve(everything), uris[2]) == change_of(fixed, uris[2])

    change = {"cells": {"structure": {"array": {"start": 3, "deleteCount": 1}, "didClose": [{"uri": uris[3]}]}}}
    notebook = {"uri": path.as_uri(), "version": 2}
    server.told.clear()
    server.notify("notebookDocument/didChange", notebookDocument=notebook, change=change)
    assert server.pushed(uris[2]) == []  # nothing repeats it any more
    stale = server.resolve(everything)
    assert "edit" not in stale and "disabled" in stale
    closed = [{"uri": uri} for uri in uris[:3]]
    server.notify("notebookDocument/didClose", notebookDocument={"uri": path.as_uri()}, cellTextDocuments=closed)
    assert server.end() == 0 and server.log.read_text() == ""


def test_what_is_told_line_by_line_stays_in_its_cells() -> None:
    golden = Path(__file__).resolve().parents[1] / "golden"
    names = ("local_jit/basic.py", "python_counter/program.py")
    cells = [cell for name in names for cell in (golden / name).read_text().split("\n\n\n")]
    source = SourceFile.of_cells("n.ipynb", cells)
    made = edits.change(Target(source, CODEMODS, None, None), lambda fix: None)
    _, after = patched(source, CODEMODS, lambda fix: None)
    assert source.notebook is not None and after.notebook is not None
    found = source.notebook.edited(made.edits, source.path)
    assert [found.get(n, cell) for n, cell in enumerate(cells, 1)] == [cell.source for cell in after.notebook.cells]


def test_only_cells_that_show_something_else_are_told_of(server: Client, project: Path) -> None:
    server.initialize(project)
    path = project / "a.ipynb"
    uris = opened_notebook(server, path)
    assert [len(server.pushed(uri)) for uri in (uris[0], *uris[2:])] == [0, 1, 0]
    start = {"line": 0, "character": 0}
    edits = [{"range": {"start": start, "end": start}, "text": "\n"}]
    content = [{"document": {"uri": uris[2], "version": 2}, "changes": edits}]
    server.notify(
        "notebookDocument/didChange",
        notebookDocument={"uri": path.as_uri(), "version": 2},
        change={"cells": {"textContent": content}},
    )
    assert [entry["range"]["start"]["line"] for entry in server.pushed(uris[2], 2)] == [4]
    assert server.end() == 0
    told = [message["params"] for message in server.told if message["method"] == "textDocument/publishDiagnostics"]
    assert told == []


def saved_notebook(path: Path, cells: Sequence[tuple[str, str]]) -> None:
    """As Jupyter writes it."""
    entries = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": text.splitlines(True)}
        for text, _ in cells
    ]
    path.write_text(json.dumps({"cells": entries, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))


def test_cells_that_are_not_saved_call_what_other_files_define(server: Client, project: Path) -> None:
    (project / "solver.py").write_text(SOLVER)
    saved_notebook(project / "a.ipynb", [("import solver", "python")])
    server.initialize(project)
    uri = server.open_file(project / "solver.py")
    cells = [("from solver import solve", "python"), (CELLS[3][0], "python")]
    uris = opened_notebook(server, project / "a.ipynb", cells)
    (found,) = server.until(uri, 1)
    (where,) = [entry["location"] for entry in found["relatedInformation"]]
    assert (where["uri"], where["range"]["start"]) == (uris[1], {"line": 1, "character": 0})


EXPONENT = [
    ("import jax.numpy as jnp\n%time x = 1", "python"),
    ("def debiased(moment, count):\n    return moment / (1 - 0.9**count)", "python"),
    ("count = jnp.zeros([], jnp.int32)\nmoment = jnp.ones(3)", "python"),
    ("for i in range(8):\n    count = count + 1\n    moment = debiased(moment, count)\nprint(moment)", "python"),
]


@pytest.mark.evidence
def test_a_notebook_is_traced_and_its_fix_proven(server: Client, project: Path) -> None:
    server.initialize(project, options={"python": sys.executable, "timeout": 120, "run": "python train.py"})
    path = project / "a.ipynb"
    saved_notebook(path, EXPONENT)
    uris = opened_notebook(server, path, EXPONENT)
    (found,) = server.pushed(uris[1])
    own = f"{sys.executable} a.ipynb"

    (trace,) = server.actions(uris[0], WHOLE, ["source.trace"])
    assert trace["title"] == f"Run `{own}` and see what compiles"
    server.told.clear()
    traced = server.command(trace["command"]["command"], *trace["command"]["arguments"])
    assert traced["ok"] and traced["again"] >= 6, traced
    while "(seen: 8 compiles, " not in server.pushed(uris[1])[0]["message"]:
        pass  # that of the survey may come first
    hover = server.ask("textDocument/hover", textDocument={"uri": uris[1]}, position=found["range"]["start"])
    assert "seen: 8 compiles, " in hover["contents"]["value"]
    lenses = [server.ask("textDocument/codeLens", textDocument={"uri": uri}) or [] for uri in uris]
    assert [[lens["range"]["start"]["line"] for lens in each] for each in lenses] == [[], [0], [], []]

    proof = titled(server.actions(uris[1], found["range"], ["quickfix"]), f"Prove it: rerun `{own}`")["command"]
    end = {"line": 0, "character": 0}
    edit = {"range": {"start": end, "end": end}, "text": "\n"}
    server.notify(
        "notebookDocument/didChange",
        notebookDocument={"uri": path.as_uri(), "version": 2},
        change={"cells": {"textContent": [{"document": {"uri": uris[0], "version": 2}, "changes": [edit]}]}},
    )
    unsaved = server.command(proof["command"], *proof["arguments"])
    assert not unsaved["ok"] and "save the file first" in unsaved["message"]
    saved_notebook(path, [("\n" + EXPONENT[0][0], "python"), *EXPONENT[1:]])
    saved = path.read_bytes()
    proven = server.command(proof["command"], *proof["arguments"])
    assert proven["ok"] and [entry["verdict"] for entry in proven["receipts"]] == ["proven"], proven
    (fix, *_) = server.actions(uris[1], found["range"], ["quickfix"])
    assert fix["title"].endswith(" (proven)") and fix["isPreferred"]
    assert path.read_bytes() == saved
    assert server.end() == 0 and server.log.read_text() == ""
