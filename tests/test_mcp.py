"""The server for agents, as the SDK's own client sees it: what it answers, what it refuses, what it never runs."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp_client import Person, called, client, refused

from jaxfix.drivers import trust
from jaxfix.drivers.mcp import below, paging, start
from jaxfix.drivers.trust import Grant
from jaxfix.source.errors import ConfigError
from jaxfix.testing import unmarked

ROOT = Path(__file__).resolve().parents[1]
MARKS = "python mark.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "train.py", root)
    (root / "mark.py").write_text("open('ran', 'w').close()\n")
    return root


def test_an_agent_finds_and_proposes_and_nothing_runs(project: Path) -> None:
    async def talk() -> None:
        async with client(project, person=Person(agrees=True)) as agent:
            tools = (await agent.list_tools()).tools
            assert {tool.name for tool in tools} == {
                *("check", "upgrade", "trace", "propose", "prove", "receipts", "explain")
            }
            assert all(tool.output_schema and tool.description for tool in tools)
            found = await called(agent, "check")
            assert [(entry["path"], entry["line"]) for entry in found["findings"]] == [
                ("train.py", 12),
                ("train.py", 25),
            ]
            assert (found["total"], found["next_offset"]) == (2, None)
            assert (await called(agent, "check", offset=2))["findings"] == []
            proposed = await called(agent, "propose", paths=["train.py"])
            assert proposed["files"] == ["train.py"] and proposed["diff"].startswith("--- a/train.py\n+++ b/train.py\n")
            assert "# fixed" not in proposed["diff"]
            assert "scan" in (await called(agent, "explain", about="local-loop-function"))["text"]
            assert "line 24" in (await called(agent, "explain", about="train.py:12"))["text"]
            assert (await called(agent, "explain", about="unread"))["kind"] == "reason"

    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    asyncio.run(talk())
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_an_agent_asks_what_another_version_makes_of_the_project(project: Path) -> None:
    golden = ROOT / "golden" / "_upgrade" / "script_of_2022.py"
    (project / "train.py").write_bytes(unmarked(golden.read_bytes()))

    async def talk() -> None:
        async with client(project, person=Person(agrees=False)) as agent:
            told = await called(agent, "upgrade", to="jax==0.10.2", came_from="0.4.13", limit=3)
            assert (told["came_from"], told["to"]) == ("0.4.13", "0.10.2")
            lines = told["raises_today"] + told["raises_at_the_target"]
            assert lines + 1 == told["renames"] + 1 + told["by_hand"]  # two findings share a line
            assert (told["needs_evidence"], told["by_hand"], told["total"] > 3, told["next_offset"]) == (3, 2, True, 3)
            (project / "requirements.txt").write_text("jax==0.2.9\n")  # which `check` and `apply` leave in peace
            assert (await called(agent, "propose", paths=["train.py"], select=["removed-api"]))["diff"] == ""
            proposed = await called(agent, "propose", paths=["train.py"], to="jax==0.10.2")
            assert "+evaluate = map_rows(loss_fn" in proposed["diff"] and len(proposed["fixes"]) == 8
            assert "`to` chooses" in await refused(agent, "propose", to="0.10.2", select=["removed-api"])
            assert "newer" in await refused(agent, "upgrade", to="0.4.1", came_from="0.5")

    asyncio.run(talk())


def test_bad_input_is_one_line_and_the_server_lives_on(project: Path) -> None:
    (project.parent / "outside.py").write_text("x = 1\n")
    (project / "link.py").symlink_to(project.parent / "outside.py")

    async def talk() -> None:
        async with client(project, "--run", MARKS) as agent:
            assert "no such file" in await refused(agent, "check", paths=["nope.py"])
            for name in ("../outside.py", "link.py", str(project.parent / "outside.py")):
                assert "outside of" in await refused(agent, "propose", paths=[name])
            assert "no file can have this name" in await refused(agent, "check", paths=["a\0b"])
            assert "no codemod" in (await called(agent, "check", select=["no-such-codemod"]))["errors"][0]
            assert "no trace" in await refused(agent, "check", trace="trace-7")
            assert "`limit` from 1" in await refused(agent, "check", limit=0)
            assert "holds no diff" in await refused(agent, "prove", run=MARKS, diff="rubbish")
            assert "one of the two" in await refused(agent, "prove", run=MARKS, diff="x", paths=["train.py"])
            assert "exists already" in await refused(agent, "prove", run=MARKS, diff="x", receipt="train.py")
            assert "no codemod" in await refused(agent, "explain", about="what")
            assert "no finding on this line" in await refused(agent, "explain", about="train.py:1")
            assert (await called(agent, "check"))["total"] == 2

    asyncio.run(talk())
    assert not (project / "ran").exists()


def test_nothing_runs_without_a_yes(project: Path) -> None:
    person = Person(agrees=False)

    async def talk() -> None:
        async with client(project) as agent:
            for tool, more in (("trace", {}), ("prove", {"paths": ["train.py"]})):
                said = await refused(agent, tool, run=MARKS, **more)
                assert "was not run: no one has agreed" in said and "jaxfix trust" in said
        async with client(project, "--run", "python other.py", person=person) as agent:
            assert "the answer was no" in await refused(agent, "trace", run=MARKS)

    asyncio.run(talk())
    assert len(person.asked) == 1 and MARKS in person.asked[0] and str(project) in person.asked[0]
    assert not (project / "ran").exists()


@pytest.mark.parametrize("how", ["trusted", "asked"])
def test_a_yes_lets_it_run(project: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(project.parent / "data"))
    if how == "trusted":
        trust.remember(Grant(str(project), str(project), MARKS, (), False, "2026-01-01T00:00:00"))

    async def talk() -> None:
        person = Person(agrees=True) if how == "asked" else None
        async with client(project, person=person) as agent:
            seen = await called(agent, "trace", run=MARKS)
            assert (seen["compiles"], seen["exit_status"], seen["trace"]) == (0, 0, "trace-1")
            assert (await called(agent, "check", trace="trace-1"))["errors"] == []

    asyncio.run(talk())
    assert (project / "ran").exists()


def test_what_takes_too_long_is_ended_and_the_next_one_runs(project: Path) -> None:
    (project / "wait.py").write_text("import time\ntime.sleep(600)\n")

    async def talk() -> None:
        async with client(project, "--run", "python wait.py", "--run", MARKS) as agent:
            assert "ended after 1 s" in await refused(agent, "trace", run="python wait.py", timeout_s=1)
            assert (await called(agent, "trace", run=MARKS))["exit_status"] == 0

    asyncio.run(talk())


@pytest.mark.slow
def test_an_agent_finds_fixes_proves_and_hands_over_the_receipt(project: Path) -> None:
    run = "python train.py"

    async def talk() -> None:
        async with client(project, person=Person(agrees=True)) as agent:
            seen = await called(agent, "trace", run=run)
            found = await called(agent, "check", trace=seen["trace"])
            assert found["findings"][0]["seconds"] > 0
            proven = await called(agent, "prove", run=run, paths=["train.py"])
            assert proven["proven"] and proven["judged"][0]["per_step_after"] == 0
            done = await called(agent, "prove", run=run, diff=proven["diff"], receipt="proof.json")
            assert done["proven"] and done["receipt"] == "proof.json"
            held = await called(agent, "explain", about="proof.json")
            assert held["text"].startswith("holds")
            wrong = proven["diff"].replace("+    state = state + gain", "+    state = state - gain")
            assert (await called(agent, "prove", run=run, diff=wrong))["verdict"] == "different"

    asyncio.run(talk())
    assert json.loads((project / "proof.json").read_text())["verdict"] == "proven"
    assert "_smooth_body" not in (project / "train.py").read_text()


def started(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "jaxfix", "mcp", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_the_skill_is_a_skill_file_and_wrong_usage_is_one_line() -> None:
    skill = started("--skill").stdout
    assert skill.startswith("---\nname: jaxfix\ndescription: ")
    for words, said in (
        (("--nope",), "no option `--nope`"),
        (("no/folder",), "no such folder"),
        (("--run=",), "is empty"),
    ):
        done = started(*words)
        assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1


def test_without_the_sdk_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start.PathFinder, "find_spec", lambda name: None)
    assert start.run([]) == 2
    assert (
        capsys.readouterr().err == "error: the server for agents needs the MCP SDK; run `pip install 'jaxfix[mcp]'`\n"
    )


def test_every_entry_is_on_one_page() -> None:
    entries, seen, offset = list(range(7)), list[int](), 0
    while offset is not None:
        shown, offset = paging.page(entries, offset, 3)
        seen += shown
    assert seen == entries
    with pytest.raises(ConfigError):
        paging.page(entries, 8, 3)


def test_no_diff_has_no_files() -> None:
    assert paging.files_of("") == [] and paging.diff_page([], 0) == ("", None)


def test_a_long_diff_comes_file_by_file_and_loses_no_line() -> None:
    parts = [f"--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n--- x\n+{'y' * 20_000}\n" for n in range(3)]
    assert paging.files_of("".join(parts) + "# fixed\n") == parts
    pages, offset = "", 0
    while offset is not None:
        diff, offset = paging.diff_page(parts, offset)
        pages += diff
    assert pages == "".join(parts)


def test_what_is_named_stays_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "-x.py").touch()
    assert below.paths(tmp_path, ["-x.py", "."]) == ("./-x.py", ".")
    assert below.new_file(tmp_path, "new.json") == "new.json"
    for name in ("-x.py", ".", "../x.json", "no/folder.json"):
        with pytest.raises(ConfigError):
            below.new_file(tmp_path, name)
