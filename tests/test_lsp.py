"""The language server, as a client sees it: a process, and what it says."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("pygls")

from lsp_client import (
    LOOPED,
    PULLS,
    PUSHED,
    ROOT,
    SOLVER,
    TRAIN,
    WHOLE,
    Client,
    Ended,
    applied,
    change_of,
    client,
    titled,
)

from jaxfix.drivers.lsp import capabilities, start
from jaxfix.drivers.lsp.surveying import Ask
from jaxfix.drivers.lsp.surveyor import Surveyor
from jaxfix.drivers.workflow.request import Request
from jaxfix.testing import unmarked

FIXED = """\
import jax


def _solve_body(c, _):
    return c * 2, None


def solve(x):
    return jax.lax.scan(_solve_body, x, None, 3)[0]


for i in range(4):
    solve(i * 1.0)
"""


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


# --- what it says of itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize("offered", [PULLS, PUSHED, {}, {"general": {"positionEncodings": ["utf-8", "utf-16"]}}])
def test_what_is_promised_early_is_what_is_registered(offered: Mapping[str, Any]) -> None:
    from jaxfix.drivers.lsp.session import Session, made

    server = made()
    Session(server)
    params = {"processId": None, "rootUri": None, "capabilities": dict(offered)}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    server.protocol.handle_message(server.protocol.structure_message(message))
    registered = server.protocol._converter.unstructure(server.server_capabilities)
    promised = capabilities.capabilities(offered)
    if not capabilities.pulls(offered):
        registered.pop("diagnosticProvider")  # pygls cannot know that nobody would ask
    for name in ("workspace", "textDocumentSync"):
        assert promised[name].items() <= registered[name].items(), name
    for name in ("positionEncoding", "hoverProvider", "codeActionProvider", "codeLensProvider", "diagnosticProvider"):
        assert promised.get(name) == registered.get(name), name
    assert promised["executeCommandProvider"] == registered["executeCommandProvider"]
    assert promised.get("notebookDocumentSync") == registered.get("notebookDocumentSync")
    assert not registered.keys() - promised.keys()


def test_without_pygls_it_says_in_a_line_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert start.run([]) == 2
    assert capsys.readouterr().err == f"error: {start.MISSING}\n"


def test_its_help_and_its_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.run(["--help"]) == 0
    assert "jaxfix lsp [--stdio]" in capsys.readouterr().out
    assert start.run(["--port", "3"]) == 2
    assert "no option `--port`" in capsys.readouterr().err


# --- diagnostics and fixes --------------------------------------------------------------------------------------


def test_a_finding_and_its_cure(server: Client, project: Path) -> None:
    server.initialize(project)
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    asked = server.ask("textDocument/diagnostic", textDocument={"uri": uri})
    (found,) = asked["items"]
    assert (found["code"], found["source"], found["severity"]) == ("local-loop-function", "jaxfix", 2)
    assert found["range"]["start"] == {"line": 7, "character": 11}
    way = [entry["location"]["range"]["start"]["line"] for entry in found["relatedInformation"]]
    assert way == [11, 10]  # the call, then the loop around it
    again = server.ask("textDocument/diagnostic", textDocument={"uri": uri}, previousResultId=asked["resultId"])
    assert again["kind"] == "unchanged"

    offered = server.actions(uri, found["range"])
    titles = [(action["title"], action["kind"]) for action in offered]
    assert titles[:4] == [
        ("Hoist `body` out of `solve`", "quickfix"),
        ("Ignore `local-loop-function` on this line", "quickfix"),
        ("Explain `local-loop-function`", "quickfix"),
        ("Apply all safe fixes of jaxfix", "source.fixAll.jaxfix"),
    ]
    assert offered[0]["isPreferred"] and "edit" not in offered[0]
    fixed = server.resolve(offered[0])
    assert fixed["edit"]["documentChanges"][0]["textDocument"] == {"uri": uri, "version": 1}
    assert applied(LOOPED, change_of(fixed, uri)) == FIXED
    (everything,) = server.actions(uri, WHOLE, ["source.fixAll"])
    assert applied(LOOPED, change_of(server.resolve(everything), uri)) == FIXED

    hover = server.ask("textDocument/hover", textDocument={"uri": uri}, position=found["range"]["start"])
    said = hover["contents"]["value"]
    assert "**Cost** (estimate): a compile in each iteration" in said and "**Fix**: Hoist `body`" in said
    assert "`jaxfix explain local-loop-function`" in said and len(said.splitlines()) < 12
    assert server.ask("textDocument/hover", textDocument={"uri": uri}, position=WHOLE["start"]) is None

    server.change(uri, {"text": f"# newer\n{LOOPED}"})
    stale = server.resolve(offered[0])
    assert "edit" not in stale and stale["disabled"]["reason"] == "the text has changed since"
    server.change(uri, {"text": FIXED})
    assert server.diagnostics(uri) == [] and server.actions(uri, WHOLE, ["quickfix"]) == []
    assert server.end() == 0
    assert server.log.read_text() == ""


def test_a_script_of_2022_is_brought_to_today_quick_fix_by_quick_fix(server: Client, project: Path) -> None:
    golden = ROOT / "golden" / "_upgrade" / "script_of_2022.py"
    text = unmarked(golden.read_bytes()).decode()
    server.initialize(project, options={"all": True, "select": ["removed-api", "legacy-parallelism"]})
    uri = server.open((project / "train.py").as_uri(), text)
    for left in range(10, 2, -1):
        found = server.diagnostics(uri)
        offered = (each for item in found for each in server.actions(uri, item["range"], ["quickfix"]))
        fix = next(each for each in offered if not each["title"].startswith(("Ignore", "Explain")))
        assert len(found) == left and fix["title"].endswith("(unproven)")
        text = applied(text, change_of(server.resolve(fix), uri))
        server.change(uri, {"text": text})
    assert text == golden.with_suffix(".fixed.py").read_text()
    assert ["not fixed by jaxfix" in each["message"] for each in server.diagnostics(uri)] == [True, True]


def test_who_cannot_pull_is_told(server: Client, project: Path) -> None:
    told = server.initialize(project, capabilities=PUSHED)
    assert "diagnosticProvider" not in told["capabilities"]
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert [entry["code"] for entry in server.pushed(uri, 1)] == ["local-loop-function"]
    version = server.change(uri, {"text": f"import (\n{LOOPED}"})  # being typed: the finding stays, one line below
    assert [entry["range"]["start"]["line"] for entry in server.pushed(uri, version)] == [8]
    version = server.change(uri, {"text": LOOPED.replace("body, x", "body, (x")})
    assert server.pushed(uri, version) == []
    for text in ("x = (", "x = (1", FIXED):  # typed at once: the last one counts
        version = server.change(uri, {"text": text})
    assert server.pushed(uri, version) == []
    server.change(uri, {"text": LOOPED})
    (offered, *_) = server.actions(uri, WHOLE, ["quickfix"])
    assert applied(LOOPED, change_of(offered, uri)) == FIXED  # it cannot resolve either
    server.notify("textDocument/didClose", textDocument={"uri": uri})
    server.told.clear()
    assert server.pushed(uri) == [] and server.end() == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_behind_astral_characters_tabs_and_form_feeds(project: Path, encoding: str) -> None:
    head = "import jax\n\x0c\ndef f(x):\n\tfor i in range(4):\n"
    text = f"{head}\t\ty = '𝔘é', jax.lax.cond(x > i, lambda v: v, lambda v: -v, x)\r\n"
    line = "\t\ty = '𝔘é', jax.lax.cond("
    width = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    column = len(line.removesuffix("jax.lax.cond(").encode(codec)) // width[codec]
    with client(project) as server:
        offered = {**PULLS, "general": {"positionEncodings": [encoding]}}
        assert server.initialize(project, capabilities=offered)["capabilities"]["positionEncoding"] == encoding
        uri = server.open((project / "wide.py").as_uri(), text + "\n\nf(1)\n")
        found = server.diagnostics(uri)
        assert [entry["range"]["start"] for entry in found] == [{"line": 4, "character": column}]
        # an edit behind them lands where the client means it
        where = {"line": 4, "character": column}
        server.change(uri, {"range": {"start": where, "end": where}, "text": "1, "})
        (moved,) = server.diagnostics(uri)
        assert moved["range"]["start"] == {"line": 4, "character": column + 3}
        fixed = server.resolve(server.actions(uri, moved["range"], ["quickfix"])[0])
        now = text.replace("jax.lax.cond(", "1, jax.lax.cond(") + "\n\nf(1)\n"
        after = applied(now, change_of(fixed, uri), encoding)
        assert "'𝔘é', 1, jax.lax.cond(x > i, _f_true, _f_false, x)\r\n" in after


def test_what_other_files_say_decides(server: Client, project: Path) -> None:
    (project / "solver.py").write_text(SOLVER)
    (project / "train.py").write_text(TRAIN)
    server.initialize(project)
    solver = server.open_file(project / "solver.py")
    assert server.diagnostics(solver) == []  # alone it may be called but once
    (found,) = server.until(solver, 1)
    (where,) = [entry["location"] for entry in found["relatedInformation"]]
    assert found["code"] == "local-loop-function" and where["uri"] == (project / "train.py").as_uri()
    assert [where["range"][end] for end in ("start", "end")] == [{"line": n, "character": 0} for n in (5, 6)]
    train = server.open_file(project / "train.py")
    server.change(train, {"text": TRAIN.replace("range(5)", "range(1)")})  # not saved
    assert server.until(solver, 0) == []
    server.notify("textDocument/didClose", textDocument={"uri": train})
    assert len(server.until(solver, 1)) == 1
    (project / "train.py").unlink()
    changes = [{"uri": (project / "train.py").as_uri(), "type": 3}]
    server.notify("workspace/didChangeWatchedFiles", changes=changes)
    assert server.until(solver, 0) == []
    assert server.end() == 0


def test_the_configuration_counts_from_when_it_is_saved(server: Client, project: Path) -> None:
    server.initialize(project)
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert len(server.diagnostics(uri)) == 1
    pyproject = project / "pyproject.toml"
    changed = [{"uri": pyproject.as_uri(), "type": 2}]

    def saved(text: str, number: int) -> None:
        pyproject.write_text(f"[tool.jaxfix]\n{text}\n")
        server.notify("workspace/didChangeWatchedFiles", changes=changed)
        assert len(server.until(uri, number)) == number

    saved('ignore = ["local-loop-function"]', 0)
    saved('ignore = ["weak-state"]', 1)
    saved('extend-exclude = ["loop.*"]', 0)
    saved("", 1)
    saved('ignore = ["local-lop-function"]', 0)
    assert "did you mean `local-loop-function`?" in server.wait("window/showMessage")["message"]
    saved("ignore = []", 1)


def test_what_a_baseline_knows_is_a_hint(server: Client, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nbaseline = "known.json"\n')
    (project / "loop.py").write_text(LOOPED)
    command = [sys.executable, "-m", "jaxfix", "check", ".", "--update-baseline", "--no-cache"]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    server.initialize(project)
    uri = server.open_file(project / "loop.py")
    (found,) = server.diagnostics(uri)
    assert found["severity"] == 4 and found["message"].endswith("(known to the baseline)")
    server.change(uri, {"text": LOOPED.replace("x, None, 3)", "x, None, 4)")})
    assert [entry["severity"] for entry in server.diagnostics(uri)] == [2]


def test_settings_of_the_client(server: Client, project: Path) -> None:
    offered = json.loads(json.dumps(PULLS))
    offered["workspace"]["configuration"] = True
    offered["workspace"]["didChangeWatchedFiles"] = {"dynamicRegistration": True}
    server.answers["workspace/configuration"] = [{"severity": {"certain": "hint"}}, {"severity": {"certain": "error"}}]
    server.initialize(project, capabilities=offered, options={"ignore": ["local-loop-function"], "select": 7})
    assert "`jaxfix.select` is not a list" in server.wait("window/showMessage")["message"]
    patterns = server.wait("client/registerCapability")["registrations"][0]["registerOptions"]["watchers"]
    assert {"globPattern": "**/pyproject.toml"} in patterns
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert server.diagnostics(uri) == []
    outside = server.open((project.parent / "loop.py").as_uri(), LOOPED)
    server.answers["workspace/configuration"] = [
        {"ignore": [], "severity": {"certain": "hint"}},
        {"ignore": [], "severity": {"certain": "error"}},
    ]
    server.notify("workspace/didChangeConfiguration", settings=None)
    server.wait("workspace/configuration")
    assert [entry["severity"] for entry in server.until(uri, 1)] == [1]
    assert [entry["severity"] for entry in server.diagnostics(outside)] == [4]
    server.answers["workspace/configuration"] = [{"enable": False}, {"enable": False}]
    server.notify("workspace/didChangeConfiguration", settings=None)
    assert server.until(uri, 0) == []


def test_texts_that_are_no_files_of_a_project(server: Client, project: Path) -> None:
    server.initialize()
    lone = project.parent / "lone"
    lone.mkdir()
    for uri in (
        "untitled:Untitled-1",
        (lone / "a#b?c.py").as_uri(),
        "vscode-vfs://a/b.py",
        (lone / "a.ipynb").as_uri(),
    ):
        server.open(uri, LOOPED)
        (found,) = server.diagnostics(uri)
        assert found["code"] == "local-loop-function"
        fixed = server.resolve(server.actions(uri, found["range"], ["quickfix"])[0])
        assert applied(LOOPED, change_of(fixed, uri)) == FIXED
    server.open("untitled:Untitled-2", "\ud800 = 1")
    assert server.diagnostics("untitled:Untitled-2") == []
    latin = server.open((lone / "latin.py").as_uri(), f"# coding: latin-1\nname = 'é'\n{LOOPED}")
    (found,) = server.diagnostics(latin)
    assert found["range"]["start"]["line"] == 9


HELPED = """\
import jax


def descend(x, loss):
    return jax.lax.fori_loop(0, 10, lambda i, x: x - jax.grad(loss)(x), x)


for i in range(4):
    descend(1.0, lambda x: x**2)
"""


def test_a_fix_brings_its_helper_file_along(server: Client, project: Path) -> None:
    server.initialize(project, options={"all": True})
    (project / "helped.py").write_text(HELPED)
    uri = server.open_file(project / "helped.py")
    found = next(entry for entry in server.diagnostics(uri) if entry["code"] == "local-loop-function")
    offered = server.actions(uri, found["range"], ["quickfix"])
    made = server.resolve(offered[0])["edit"]["documentChanges"]
    helper = (project / "jaxfix_helpers.py").as_uri()
    assert made[0] == {"kind": "create", "uri": helper, "options": {"overwrite": False, "ignoreIfExists": True}}
    assert made[1]["textDocument"] == {"uri": helper, "version": None}
    text = applied("", made[1]["edits"])
    assert "def retrace(" in text
    assert "from jaxfix_helpers import retrace" in applied(HELPED, made[2]["edits"])
    assert made[2]["textDocument"] == {"uri": uri, "version": 1}
    (project / "jaxfix_helpers.py").write_text(text)
    (only,) = server.resolve(offered[0])["edit"]["documentChanges"]
    assert only["textDocument"]["uri"] == uri


IGNORED = {
    "plain": (LOOPED, 7, "    return jax.lax.scan(body, x, None, 3)[0]  # jaxfix: ignore[local-loop-function]"),
    "continued": (LOOPED.replace("return jax", "return \\\n        jax"), 8, None),
    "in a text": (LOOPED.replace("x, None, 3)[0]", 'x, None, 3)[0], """\n"""'), 8, None),
}


@pytest.mark.parametrize("case", IGNORED)
def test_a_finding_is_ignored_where_a_comment_can_stand(server: Client, project: Path, case: str) -> None:
    text, line, wanted = IGNORED[case]
    server.initialize(project)
    uri = server.open((project / "loop.py").as_uri(), text)
    (found,) = server.diagnostics(uri)
    action = server.resolve(titled(server.actions(uri, found["range"], ["quickfix"]), "Ignore"))
    after = applied(text, change_of(action, uri))
    assert after.replace("  # jaxfix: ignore[local-loop-function]", "") == text
    if wanted is not None:
        assert after.splitlines()[line] == wanted
    server.change(uri, {"text": after})
    assert server.diagnostics(uri) == []


def test_one_more_id_joins_those_that_are_ignored(server: Client, project: Path) -> None:
    text = LOOPED.replace("3)[0]", "3)[0]  # so: # jaxfix: ignore[weak-state]")
    server.initialize(project)
    uri = server.open((project / "loop.py").as_uri(), text)
    action = server.resolve(titled(server.actions(uri, WHOLE, ["quickfix"]), "Ignore"))
    assert applied(text, change_of(action, uri)) == text.replace("weak-state", "weak-state, local-loop-function")


def test_a_codemod_that_breaks_is_a_line_in_the_log(project: Path) -> None:
    text = "import jax\n\ny = jax.tiny_safe(1)\nz = jax.tiny_buggy(2)\nw = jax.tiny_maybe(3)\n"
    with client(project, packs=True) as server:
        server.initialize(project, options={"all": True})
        uri = server.open((project / "tiny.py").as_uri(), text)
        for _ in range(3):
            found = {entry["code"]: entry["severity"] for entry in server.diagnostics(uri)}
            assert found == {"tiny-safe": 2, "tiny-maybe": 3}
            server.change(uri, {"range": {"start": WHOLE["start"], "end": WHOLE["start"]}, "text": "\n"})
        assert server.end() == 0
        assert len([line for line in server.log.read_text().splitlines() if "tiny-buggy" in line]) == 1
        assert "Traceback" not in server.log.read_text()


@pytest.mark.parametrize("way", ["jaxfix/showPage", "window/showDocument", "window/showMessage"])
def test_a_page_is_shown_as_the_client_can(server: Client, project: Path, way: str) -> None:
    offered: dict[str, Any] = dict(PULLS)
    if way == "jaxfix/showPage":
        offered["experimental"] = {"jaxfix": {"showPage": True, "status": True}}
    if way == "window/showDocument":
        offered["window"] = {"showDocument": {"support": True}}
        server.answers[way] = {"success": True}
    server.initialize(project, capabilities=offered)
    explained = server.command("jaxfix.explain", {"id": "local-jit"})
    assert explained["markdown"].startswith("# `local-jit`")
    told = server.wait(way)
    if way == "jaxfix/showPage":
        assert told == {"title": "local-jit", "markdown": explained["markdown"]}
        assert server.wait("jaxfix/status")["state"] == "ready"
    elif way == "window/showDocument":
        page = Path(unquote(urlsplit(told["uri"]).path))
        assert page.read_text() == explained["markdown"]
        assert server.end() == 0 and not page.exists()
    else:
        assert told["message"] == explained["markdown"]


def test_an_answer_that_nobody_waits_for_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    for folder, names in (("one", "a"), ("two", "bc")):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.py").write_text("import jax\n")

    async def asked() -> list[int]:
        surveyor = Surveyor()
        try:
            first, second = (Ask(Request((str(tmp_path / name),)), False, {}) for name in ("one", "two"))
            await surveyor.survey(second)
            left = asyncio.ensure_future(surveyor.survey(first))
            await asyncio.sleep(0)
            await asyncio.sleep(0)  # it is asked by now
            left.cancel()
            return [(await surveyor.survey(ask)).files for ask in (second, first)]
        finally:
            process = surveyor._process
            surveyor.end()
            assert process is not None and await process.wait() < 0

    assert asyncio.run(asked()) == [2, 1]


# --- what a client may do wrong ---------------------------------------------------------------------------------


def test_messages_that_are_none_are_answered_and_passed_over(server: Client, project: Path) -> None:
    number = server.start("textDocument/hover", {})
    assert server.answer(number)["error"]["code"] == -32002
    server.raw(b"{")
    assert server.answer(None)["error"]["code"] == -32700
    server.initialize(project)
    for body, code in ((b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b'{"id": 1}', -32600)):
        server.raw(body)
        assert server.answer(None)["error"]["code"] == code
    assert server.process.stdin is not None
    for length in (b"many", b"9" * 5_000):
        server.process.stdin.write(b"Content-Length: %b\r\n\r\n" % length)
        server.process.stdin.flush()
        assert server.answer(None)["error"]["code"] == -32700
    wrong = {
        "textDocument/hover": {"textDocument": 3},
        "jaxfix/nothing": {},
        "workspace/executeCommand": {"command": "x"},
    }
    for method, params in wrong.items():
        assert "error" in server.answer(server.start(method, params))
    for name in capabilities.COMMANDS:
        for arguments in ([], [{}], ["x"], [{"uri": "file:///none.py", "command": ""}], [None]):
            server.answers["window/showMessageRequest"] = None
            assert "error" not in server.answer(
                server.start("workspace/executeCommand", {"command": name, "arguments": arguments})
            )
    server.wait("window/showMessage", message="jaxfix: the document is not open")
    server.notify("textDocument/didChange", textDocument={"uri": "file:///none.py", "version": 2}, contentChanges=[])
    server.notify("textDocument/didClose", textDocument={"uri": "file:///none.py"})
    server.notify("$/unknown")
    assert "error" in server.answer(server.start("initialize", {"capabilities": {}}))
    uri = server.open((project / "loop.py").as_uri(), LOOPED)
    assert len(server.diagnostics(uri)) == 1
    server.ask("shutdown")
    assert server.answer(server.start("textDocument/hover", {}))["error"]["code"] == -32600
    server.notify("exit")
    assert server.process.wait(60) == 0


@pytest.mark.parametrize("way", ["closes its end", "leaves silently", "is gone before the greeting"])
def test_the_server_ends_with_its_client(server: Client, project: Path, way: str) -> None:
    assert server.process.stdin is not None
    if way == "is gone before the greeting":
        server.process.stdin.close()
    else:
        server.initialize(project)
        if way == "closes its end":
            server.process.stdin.close()
        else:
            server.notify("exit")
    assert server.process.wait(60) == 1
    with pytest.raises(Ended):
        server.wait("anything")


def test_no_process_outlives_a_server_that_is_killed(server: Client, project: Path) -> None:
    psutil = pytest.importorskip("psutil")
    (project / "solver.py").write_text(SOLVER)
    (project / "train.py").write_text(TRAIN)
    server.initialize(project)
    server.until(server.open_file(project / "solver.py"), 1)
    children = psutil.Process(server.process.pid).children(recursive=True)
    loaded = Path(f"/proc/{server.process.pid}/maps")
    assert len(children) == 1 and (not loaded.exists() or "jaxlib" not in loaded.read_text())
    server.process.kill()
    assert not psutil.wait_procs(children, timeout=30)[1]


# --- what it costs ---------------------------------------------------------------------------------------------


def test_it_listens_before_it_has_loaded_the_protocol(project: Path) -> None:
    """What answers the greeting loads neither pygls nor what analyses."""
    code = (
        "import sys, os\nfrom jaxfix.drivers.lsp import start\n"
        "import jaxfix.drivers.lsp.wire\nprint(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, check=True)
    heavy = {
        "pygls",
        "lsprotocol",
        "attrs",
        "asyncio",
        "ast",
        "libcst",
        "jaxfix.engine",
        "jaxfix.semantic.module",
        "logging",
    }
    assert not heavy & set(eval(done.stderr))


@pytest.mark.slow
def test_ten_thousand_edits_leave_nothing_behind(project: Path) -> None:
    """Random edits, half of them of broken code: memory does not grow, and the text stays that of the client."""
    import random

    psutil = pytest.importorskip("psutil")
    draw = random.Random(7)
    text = LOOPED * 20
    pieces = [
        "x",
        "\n",
        "𝔘",
        "(",
        ")",
        "def f(x):\n",
        "    ",
        "jax.lax.cond(x, lambda v: v, lambda v: -v, x)",
        "\r\n",
        "#",
    ]
    with client(project) as server:
        server.initialize(project)
        uri = server.open((project / "random.py").as_uri(), text)
        process, sizes = psutil.Process(server.process.pid), []
        for round_ in range(10_000):
            at = draw.randrange(len(text) + 1)
            at += text[at - 1 : at + 1] == "\r\n"
            end = min(at + draw.choice([0, 0, 1, 3]), len(text))
            end += text[end - 1 : end + 1] == "\r\n"
            new = draw.choice(pieces) if len(text) < 9000 or draw.random() < 0.3 else ""
            server.change(uri, {"range": {"start": _at(text, at), "end": _at(text, end)}, "text": new})
            text = text[:at] + new + text[end:]
            if round_ % 50 == 0:
                text = LOOPED * 20 if round_ % 500 == 0 else text
                if round_ % 500 == 0:
                    server.change(uri, {"text": text})
                server.diagnostics(uri)
                server.told.clear()
            if round_ % 1000 == 999:
                sizes.append(process.memory_info().rss)
        server.change(uri, {"text": LOOPED})
        assert len(server.diagnostics(uri)) == 1
        assert server.end() == 0
    assert max(sizes[5:]) < sizes[3] * 1.1, sizes


def _at(text: str, offset: int) -> dict[str, int]:
    from lsp_client import split

    for line, part in enumerate(split(text)):
        if offset < len(part) or part == "" or (offset == len(part) and not part.endswith(("\n", "\r"))):
            return {"line": line, "character": len(part[:offset].encode("utf-16-le")) // 2}
        offset -= len(part)
    raise AssertionError
