"""What the language server makes of projects: their surveys, their configuration, and what is in none."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsp_client import LOOPED, PACK, PULLS, PUSHED, ROOT, SOLVER, TRAIN, Client, client

STATUS: dict[str, Any] = {**PULLS, "experimental": {"jaxfix": {"status": True}}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def server(project: Path) -> Iterator[Client]:
    with client(project) as found:
        yield found


def said(server: Client, **status: object) -> None:
    server.wait("jaxfix/status", **status)


# --- the survey -------------------------------------------------------------------------------------------------


def test_what_goes_on_ends_in_the_status_too(server: Client, project: Path) -> None:
    server.initialize(project, capabilities=STATUS)
    said(server, state="ready", busy=False)
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    said(server, state="surveying", message="project", busy=True)
    server.notify("textDocument/didClose", textDocument={"uri": uri})  # nobody wants to know it any more
    said(server, state="ready", busy=False)


BEHAVES = {
    "prints as it starts": ("print('welcome')", 1),
    "is of another version": ("import pickle; pickle.dumps = lambda told: b'told otherwise'", 0),
    "ends at once": ("os._exit(3)", 0),
}


@pytest.mark.parametrize("how", BEHAVES)
def test_a_survey_that_breaks_leaves_each_file_alone(project: Path, tmp_path: Path, how: str) -> None:
    code, number = BEHAVES[how]
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(f"import os, sys\nif 'surveying' in ' '.join(sys.orig_argv):\n    {code}\n")
    (project / "solver.py").write_text(SOLVER)
    (project / "train.py").write_text(TRAIN)
    places = os.pathsep.join(map(str, (site, ROOT, ROOT / "codemods", PACK)))
    with client(project, env={"PYTHONPATH": places}) as server:
        server.initialize(project, capabilities=STATUS)
        said(server, state="ready")
        solver = server.open_file(project / "solver.py")
        said(server, state="surveying")
        said(server, state="ready")
        assert len(server.until(solver, number)) == number
        assert server.end() == 0
        lines = server.log.read_text().splitlines()
        assert all(line.startswith("jaxfix lsp: ") for line in lines)
        assert len([line for line in lines if "each file is analysed alone" in line]) == 1 - number


# --- configuration ----------------------------------------------------------------------------------------------


def test_each_root_has_its_own_configuration(tmp_path: Path) -> None:
    one, two, outside = (tmp_path / name for name in ("one", "two", "outside"))
    for folder in (one, two, outside):
        folder.mkdir()
        (folder / "pyproject.toml").write_text("[tool.jaxfix]\n")
    (one / "pyproject.toml").write_text('[tool.jaxfix]\nignore = ["local-loop-function"]\n')
    with client(one) as server:
        server.initialize(one, two)
        uris = [server.open((folder / "loop.py").as_uri(), LOOPED) for folder in (one, two, outside)]
        assert [len(server.diagnostics(uri)) for uri in uris] == [0, 1, 1]

        (one / "pyproject.toml").write_text("[tool.jaxfix]\n")
        (two / "pyproject.toml").write_text('[tool.jaxfix]\nextend-exclude = ["loop.py"]\n')
        changed = [{"uri": (folder / "pyproject.toml").as_uri(), "type": 2} for folder in (one, two)]
        server.notify("workspace/didChangeWatchedFiles", changes=changed)
        assert [len(server.until(uri, number)) for uri, number in zip(uris, (1, 0, 1), strict=True)]

        (two / "pyproject.toml").unlink()
        server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": changed[1]["uri"], "type": 3}])
        assert len(server.until(uris[1], 1)) == 1

        nested = two / "nested"  # between the root and the file
        nested.mkdir()
        uri = server.open((nested / "loop.py").as_uri(), LOOPED)
        assert len(server.diagnostics(uri)) == 1
        (nested / "pyproject.toml").write_text('[tool.jaxfix]\nselect = ["weak-state"]\n')
        server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": changed[0]["uri"], "type": 1}])
        assert server.until(uri, 0) == [] and len(server.diagnostics(uris[1])) == 1


def test_who_tells_of_no_file_is_told_what_is_configured_when_one_is_saved(server: Client, project: Path) -> None:
    server.initialize(project, capabilities=PUSHED)
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert len(server.pushed(uri)) == 1
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nignore = ["local-loop-function"]\n')
    server.notify("textDocument/didSave", textDocument={"uri": uri})
    assert server.pushed(uri) == []


def test_who_asks_is_told_to_ask_again_when_it_saves(server: Client, project: Path) -> None:
    server.initialize(project)
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert len(server.diagnostics(uri)) == 1
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nignore = ["local-loop-function"]\n')
    server.notify("textDocument/didSave", textDocument={"uri": uri})
    assert server.until(uri, 0) == []


def test_folders_come_and_go(server: Client, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "solver.py").write_text(SOLVER)
    (other / "train.py").write_text(TRAIN)
    server.initialize(project)
    solver = server.open_file(other / "solver.py")
    assert server.diagnostics(solver) == []  # nothing says that the two files belong together
    folder = {"uri": other.as_uri(), "name": "other"}
    server.notify("workspace/didChangeWorkspaceFolders", event={"added": [folder], "removed": []})
    assert len(server.until(solver, 1)) == 1
    server.notify("workspace/didChangeWorkspaceFolders", event={"added": [], "removed": [folder]})
    assert server.until(solver, 0) == []


def test_a_setting_that_is_taken_back_counts_no_more(server: Client, project: Path) -> None:
    server.initialize(project, options={"severity": {"certain": "error"}})
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    for given, severity in (({"severity": {"certain": "hint"}}, 4), ({"all": True}, 1)):
        server.notify("workspace/didChangeConfiguration", settings={"jaxfix": given})
        assert [entry["severity"] for entry in server.diagnostics(uri)] == [severity]


# --- requests ---------------------------------------------------------------------------------------------------


def test_who_gives_up_is_answered_and_hinders_nobody(server: Client, project: Path) -> None:
    server.initialize(project)
    text = "".join(LOOPED.replace("solve", f"solve{number}") for number in range(40))
    uri = server.open((project / "long.py").as_uri(), text)
    given_up = server.start("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    kept = server.start("textDocument/codeLens", {"textDocument": {"uri": uri}})
    server.notify("$/cancelRequest", id=given_up)
    assert server.answer(given_up)["error"]["code"] == -32800
    assert server.answer(kept)["result"] in ([], None)
    assert len(server.diagnostics(uri)) == 40
    assert server.end() == 0 and server.log.read_text() == ""
