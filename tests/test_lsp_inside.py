"""Parts of the language server by themselves: what no client can bring about, and what no codemod of ours does."""

import ast
import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from lsprotocol import types

from jaxfix.drivers.lsp import viewing
from jaxfix.drivers.lsp.buffers import Buffer, of_text
from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.schedule import Schedule
from jaxfix.drivers.lsp.session import made
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.drivers.lsp.texts import Text
from jaxfix.drivers.workflow.targets import Target
from jaxfix.report.finding import Equality, Finding, Safety
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module


class Sink:
    """What a client would have read."""

    def __init__(self) -> None:
        self.said: list[dict[str, object]] = []

    def write(self, data: bytes) -> None:
        self.said.append(json.loads(data)["params"])

    def close(self) -> None:
        return


def test_what_goes_on_ends_in_the_status_when_it_breaks() -> None:
    server, sink = made(), Sink()
    server.protocol.set_writer(sink, include_headers=False)
    client = Client(server)
    offered = types.ClientCapabilities(experimental={"jaxfix": {"status": True}})
    client.greeted(types.InitializeParams(offered))
    with client.busy("tracing", "python train.py"), pytest.raises(ZeroDivisionError), client.busy("surveying", "here"):
        _ = 1 / 0
    states = [(status["state"], status["message"], status["busy"]) for status in sink.said]
    assert states == [
        ("tracing", "python train.py", True),
        ("surveying", "here", True),
        ("tracing", "python train.py", True),
        ("ready", "", False),
    ]


def test_work_that_breaks_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> None:
        raise KeyError("facts")

    async def waited() -> None:
        schedule = Schedule()
        schedule.later("survey of here", 0.0, broken)
        while "survey of here" in schedule:
            await asyncio.sleep(0.01)

    asyncio.run(waited())
    assert caplog.messages == ["a bug at `survey of here`: KeyError: 'facts'"]


def buffer(text: str) -> Buffer:
    return of_text(Text("file:///old.py", text, 1, "python"), Path("/old.py"), "utf-16")


def test_what_a_codemod_calls_deprecated_is_tagged() -> None:
    def find(module: Module) -> Iterator[Finding]:
        for call in module.nodes(ast.Call):
            deprecated = module.qualname(call.func) == "jax.tree_map"
            yield Finding(at=call, message="`tree_map` is gone", title="Say `jax.tree.map`", deprecated=deprecated)

    codemod = Codemod("old-name", ("jax.tree_map",), Safety.SAFE, Equality.BITWISE, find)
    shown = buffer("import jax\n\njax.tree_map(abs, [1])\njax.tree.map(abs, [1])\n")
    view = viewing.view(shown, Target(shown.source, (codemod,), None, None))
    (items,) = viewing.items(view, Settings(all=True)).values()
    assert [(item.range.start.line, item.tags) for item in items] == [(2, [types.DiagnosticTag.Deprecated]), (3, None)]


@pytest.mark.parametrize("raw", ["x = 1\n", "\ufeffx = 1\n", "# coding: latin-1\nx = 'é'\n", "x = 'é'\r\n"])
def test_a_file_says_what_its_editor_shows(raw: str) -> None:
    shown = raw.removeprefix("\ufeff")
    on_disk = raw.encode("latin-1" if "latin" in raw else "utf-8")
    assert buffer(shown).says(on_disk) and not buffer(shown + "#").says(on_disk)
    assert not buffer(shown).says(b"\xff\xfe")
