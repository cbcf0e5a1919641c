"""A client that does anything in any order: the server answers all of it, breaks nowhere, and shows the text it has."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsp_client import LOOPED, PULLS, PUSHED, SOLVER, TRAIN, WHOLE, Client, client

CANCELLED = -32800
START = {"line": 0, "character": 0}
STEPS = 500


class Person:
    """Draws what to do next."""

    def __init__(self, server: Client, roots: list[Path], seed: int) -> None:
        self.server, self.draw = server, random.Random(seed)
        self.uris = [(root / name).as_uri() for root in roots for name in ("solver.py", "train.py", "new.py")]
        self.notebook = (roots[0] / "a.ipynb").as_uri()
        self.cells = [f"{self.notebook}#{number}" for number in range(3)]
        self.other = {"uri": roots[1].as_uri(), "name": "other"}
        self.config = roots[0] / "pyproject.toml"
        self.open: dict[str, int] = {}
        self.asked: list[int] = []
        self.version = 0  # of the notebook; 0 where it is not open yet

    def act(self) -> None:
        deeds: dict[Callable[[], None], int] = {
            self.types: 40,
            self.asks: 30,
            self.opens: 8,
            self.closes: 4,
            self.saves: 4,
            self.edits_a_notebook: 8,
            self.configures: 3,
            self.moves_folders: 2,
        }
        (deed,) = self.draw.choices(list(deeds), list(deeds.values()))
        deed()

    def listens(self) -> None:
        for answer in self.server.all_answers(self.asked):
            assert "error" not in answer or answer["error"]["code"] == CANCELLED, answer
        self.asked = []

    def types(self) -> None:
        if not self.open:
            return
        uri = self.draw.choice(sorted(self.open))
        at = {"line": self.draw.randrange(12), "character": 0}
        new = self.draw.choice(["#", "\n", "x = (", "import solver\n", "𝔘"])
        whole = {"text": self.draw.choice([LOOPED, SOLVER, TRAIN])}
        self.server.change(uri, whole if self.draw.random() < 0.1 else {"range": {"start": at, "end": at}, "text": new})

    def asks(self) -> None:
        near = {"range": WHOLE, "context": {"diagnostics": []}}
        questions: dict[str, dict[str, Any]] = {"diagnostic": {}, "codeLens": {}, "codeAction": near}
        questions["hover"] = {"position": {"line": 8, "character": 12}}
        name = self.draw.choice(sorted(questions))
        document = {"uri": self.draw.choice([*self.uris, *self.cells])}
        number = self.server.start(f"textDocument/{name}", {"textDocument": document, **questions[name]})
        self.asked.append(number)
        if self.draw.random() < 0.4:
            self.server.notify("$/cancelRequest", id=number)

    def opens(self) -> None:
        uri = self.draw.choice(self.uris)
        if uri not in self.open:
            self.server.open(uri, self.draw.choice([LOOPED, SOLVER, TRAIN]))
            self.open[uri] = 1

    def closes(self) -> None:
        if self.open:
            uri = self.draw.choice(sorted(self.open))
            self.server.notify("textDocument/didClose", textDocument={"uri": uri})
            del self.open[uri]

    def saves(self) -> None:
        if self.open:
            uri = self.draw.choice(sorted(self.open))
            self.server.notify("textDocument/didSave", textDocument={"uri": uri})
            self.server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": uri, "type": 2}])

    def edits_a_notebook(self) -> None:
        self.version = version = self.version + 1
        if version == 1:
            texts = ["import jax", SOLVER, "for i in range(4):\n    solve(1.0)"]
            cells = [{"kind": 2, "document": cell} for cell in self.cells]
            document = {"uri": self.notebook, "notebookType": "jupyter-notebook", "version": 1, "cells": cells}
            own = [{"languageId": "python", "version": 1}] * 3
            documents = [{"uri": c, "text": t, **o} for c, t, o in zip(self.cells, texts, own, strict=True)]
            self.server.notify("notebookDocument/didOpen", notebookDocument=document, cellTextDocuments=documents)
            return
        changes = [{"range": {"start": START, "end": START}, "text": "\n"}]
        content = [{"document": {"uri": self.cells[1], "version": version}, "changes": changes}]
        document = {"uri": self.notebook, "version": version}
        change = {"cells": {"textContent": content}}
        self.server.notify("notebookDocument/didChange", notebookDocument=document, change=change)

    def configures(self) -> None:
        text = self.draw.choice(["", 'select = ["weak-state"]', 'extend-exclude = ["new.py"]'])
        self.config.write_text(f"[tool.jaxfix]\n{text}\n")
        self.server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": self.config.as_uri(), "type": 2}])

    def moves_folders(self) -> None:
        added, removed = self.draw.choice([([self.other], []), ([], [self.other])])
        self.server.notify("workspace/didChangeWorkspaceFolders", event={"added": added, "removed": removed})


@pytest.mark.parametrize(("seed", "offered"), [(1, PULLS), (2, PULLS), (3, PUSHED)])
def test_anything_in_any_order(tmp_path: Path, seed: int, offered: dict[str, Any]) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        (root / ".git").mkdir(parents=True)
        (root / "solver.py").write_text(SOLVER)
        (root / "train.py").write_text(TRAIN)
    with client(roots[0]) as server:
        server.initialize(*roots, capabilities=offered)
        person = Person(server, roots, seed)
        for _ in range(STEPS):
            person.act()
            if person.draw.random() < 0.1:
                person.listens()
        person.listens()
        person.config.write_text("[tool.jaxfix]\n")
        server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": person.config.as_uri(), "type": 2}])
        uri = server.open((tmp_path / "last.py").as_uri(), LOOPED)
        assert len(server.diagnostics(uri)) == 1
        assert server.end() == 0
        assert server.log.read_text() == ""
