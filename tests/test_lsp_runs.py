"""Programs of the user's that the language server runs when it is asked to, and what it shows of them."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsp_client import WHOLE, Client, client, titled


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


COSTLY = """\
import jax
import jax.numpy as jnp


def step(x, limit):
    return jax.lax.cond(limit > 2, lambda v: v * 2.0, lambda v: v - 1.0, x)


x = jnp.ones(3)
for i in range(4):
    x = step(x, i)
"""


@pytest.mark.evidence
def test_a_trace_is_asked_for_and_shown(server: Client, project: Path) -> None:
    server.initialize(project, options={"python": sys.executable})
    (project / "costly.py").write_text(COSTLY)
    uri = server.open_file(project / "costly.py")
    server.answers["window/showMessageRequest"] = {"title": "Cancel"}
    assert server.command("jaxfix.trace", {"uri": uri}) == {"ok": False, "message": "nothing was run"}
    assert f"{sys.executable} costly.py" in server.wait("window/showMessageRequest")["message"]
    (trace,) = server.actions(uri, WHOLE, ["source.trace"])
    traced = server.command(trace["command"]["command"], *trace["command"]["arguments"])
    assert traced["ok"] and traced["status"] == 0 and traced["again"] >= 3, traced
    kinds = [told["params"]["value"]["kind"] for told in server.told if told["method"] == "$/progress"]
    assert kinds[0] == "begin" and kinds[-1] == "end"
    (found,) = [entry for entry in server.diagnostics(uri) if entry["code"] == "local-loop-function"]
    assert "(seen: 4 compiles, " in found["message"]
    (lens,) = server.ask("textDocument/codeLens", textDocument={"uri": uri})
    assert lens["range"]["start"]["line"] == 4 and lens["command"]["title"].startswith("compiled 4 x, ")
    server.change(
        uri, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"}
    )
    (lens,) = server.ask("textDocument/codeLens", textDocument={"uri": uri})
    assert lens["range"]["start"]["line"] == 5
    assert server.command("jaxfix.clearTrace", {"uri": uri})["ok"]
    assert server.ask("textDocument/codeLens", textDocument={"uri": uri}) in ([], None)


@pytest.mark.evidence
def test_a_trace_ends_when_it_is_cancelled(server: Client, project: Path) -> None:
    psutil = pytest.importorskip("psutil")
    server.initialize(project, options={"python": sys.executable})
    (project / "endless.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    uri = server.open_file(project / "endless.py")
    number = server.start(
        "workspace/executeCommand",
        {"command": "jaxfix.trace", "arguments": [{"uri": uri, "command": f"{sys.executable} endless.py"}]},
    )
    while (told := server.wait("$/progress"))["value"].get("message") != "begun":
        pass
    children = psutil.Process(server.process.pid).children(recursive=True)
    busy = server.command("jaxfix.trace", {"uri": uri, "command": "x"})
    assert busy["message"] == "another run is in progress"
    server.notify("window/workDoneProgress/cancel", token=told["token"])
    assert server.answer(number)["result"]["message"] == "the trace was cancelled"
    running = [child for child in children if "surveying" not in "".join(_words(child))]
    assert running and not psutil.wait_procs(running, timeout=30)[1]


def _words(process: Any) -> list[str]:
    psutil = pytest.importorskip("psutil")
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


EXPONENT = """\
import jax.numpy as jnp


def debiased(moment, count):
    return moment / (1 - 0.9**count)


count = jnp.zeros([], jnp.int32)
moment = jnp.ones(3)
for i in range(8):
    count = count + 1
    moment = debiased(moment, count)
print(moment)
"""


SMOOTH = """\
import jax
import jax.numpy as jnp


def smooth(signal, gain):
    def body(state, x):
        state = state + gain * (x - state)
        return state, state

    return jax.lax.scan(body, jnp.zeros(()), signal)[1]


def run():
    for k in range(4):
        print(smooth(jnp.arange(8.0) + k, 0.1))
"""
TRAIN = """\
from model import run

if __name__ == "__main__":
    run()
"""


def test_a_proof_runs_the_program_that_imports_the_file(server: Client, project: Path) -> None:
    (project / "model.py").write_text(SMOOTH)
    (project / "train.py").write_text(TRAIN)
    server.initialize(project)
    uri = server.open_file(project / "model.py")
    titles: list[str] = []
    for _ in range(200):  # the finding depends on the callers, which are read after the file
        titles = [action["title"] for action in server.actions(uri, WHOLE, ["quickfix", "source.trace"])]
        if len(titles) > 1:
            break
        time.sleep(0.1)
    assert "Prove it: rerun `python train.py`" in titles
    assert "Run `python train.py` and see what compiles" in titles


@pytest.mark.evidence
def test_a_proof_is_asked_for_and_lasts_as_long_as_the_text(server: Client, project: Path) -> None:
    server.initialize(project, options={"run": f"{sys.executable} expo.py", "timeout": 120})
    saved = b"\xef\xbb\xbf" + EXPONENT.encode()  # few editors show what it begins with
    (project / "expo.py").write_bytes(saved)
    uri = server.open((project / "expo.py").as_uri(), EXPONENT)
    (found,) = server.diagnostics(uri)
    offered = server.actions(uri, found["range"], ["quickfix"])
    assert offered[0]["title"].endswith(" (unproven)") and not offered[0].get("isPreferred")
    assert server.actions(uri, WHOLE, ["source.fixAll"]) == []
    proof = titled(offered, f"Prove it: rerun `{sys.executable} expo.py`")["command"]
    server.change(uri, {"text": EXPONENT + "\n"})
    unsaved = server.command(proof["command"], *proof["arguments"])
    assert not unsaved["ok"] and "save the file first" in unsaved["message"]
    server.change(uri, {"text": EXPONENT})
    proven = server.command(proof["command"], *proof["arguments"])
    assert proven["ok"] and [entry["verdict"] for entry in proven["receipts"]] == ["proven"], proven
    offered = server.actions(uri, found["range"], ["quickfix"])
    assert offered[0]["title"].endswith(" (proven)") and offered[0]["isPreferred"]
    hover = server.ask("textDocument/hover", textDocument={"uri": uri}, position=found["range"]["start"])
    assert "**Rerun**: proven: compiles" in hover["contents"]["value"]
    assert (project / "expo.py").read_bytes() == saved
    server.change(uri, {"text": EXPONENT + "\n"})
    assert server.actions(uri, found["range"], ["quickfix"])[0]["title"].endswith(" (unproven)")
