"""A receipt and a tree: which files are those that were run, and what a changed receipt is worth."""

import json
import subprocess
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.report.seal import Seal, Sealed, closed, digest, opened
from jaxfix.report.verified import Side, verified

OLD, NEW = "x = 1\n", "x = 1  # one\n"


def seal(*sources: Sealed, holds: bool = True) -> Seal:
    return Seal("prove", "0.1", "2026-01-01T00:00:00", "python main.py", None, None, {}, holds, sources)


@pytest.mark.parametrize(
    ("now", "holds", "sides"),
    [
        ({"a": "1", "b": "5"}, True, [Side.BEFORE, Side.BOTH]),
        ({"a": "2", "b": "5"}, True, [Side.AFTER, Side.BOTH]),
        ({"a": "3", "b": "5"}, False, [Side.OTHER, Side.BOTH]),
        ({"a": "2", "b": "6"}, False, [Side.AFTER, Side.OTHER]),
        ({"a": "2"}, False, [Side.AFTER, Side.GONE]),
    ],
)
def test_all_files_are_to_be_those_of_one_side(now: dict[str, str], holds: bool, sides: list[Side]) -> None:
    found = verified("r", seal(Sealed("a", "1", "2"), Sealed("b", "5", "5")), now.get, is_whole=True)
    assert (found.holds, [entry.side for entry in found.files]) == (holds, sides)


def test_a_file_of_each_side_is_neither() -> None:
    both = seal(Sealed("a", "1", "2"), Sealed("new", None, "3"))
    assert verified("r", both, {"a": "2", "new": "3"}.get, is_whole=True).holds
    assert verified("r", both, {"a": "1"}.get, is_whole=True).holds
    found = verified("r", both, {"a": "2"}.get, is_whole=True)
    assert found.reason == "some files are as with the change, and others as without it"


def test_what_is_not_proven_does_not_hold() -> None:
    found = verified("r", seal(Sealed("a", "1", "2"), holds=False), {"a": "2"}.get, is_whole=True)
    assert (found.holds, found.reason) == (False, "it describes this tree, but its change is not proven")


def test_every_word_of_a_document_is_under_the_seal() -> None:
    document = closed({"verdict": "proven", "figures": [1.5, {"compiles": 3}]}, seal(Sealed("a", "1", "2")))
    text = json.dumps(document, indent=3)
    assert opened(json.loads(text)).sha256 == digest(json.loads(text))
    for old, new in (("proven", "fine"), ("1.5", "2.5"), ('"a"', '"b"'), ("compiles", "runs"), ("main.py", "other.py")):
        changed = json.loads(text.replace(old, new))
        assert opened(changed).sha256 != digest(changed)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a change of a comment, which is proven without a run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.py").write_text(OLD)
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True)
    (tmp_path / "main.py").write_text(NEW)
    return tmp_path


def test_a_receipt_speaks_of_its_tree_alone(project: Path, cli: Cli) -> None:
    arguments = ("--run", "python main.py", "--worktree", "--output-format", "json", "--output-file", "proof.json")
    assert cli("prove", *arguments).code == 0
    for text in (NEW, OLD):
        (project / "main.py").write_text(text)
        done = cli("verify", "proof.json")
        assert done.code == 0 and done.out.startswith("holds  proof.json  1 of 1 files are those that were run, with")
        assert "note: a receipt does not prove who wrote it" in done.err
    (project / "main.py").write_text("x = 2\n")
    done = cli("verify", "proof.json")
    assert done.code == 1 and done.out.startswith("does not hold  proof.json  1 of 1 files are not those")
    assert "        main.py differs from both runs\n" in done.out
    told = json.loads(cli("verify", "proof.json", "--output-format", "json").out)
    assert told["receipts"][0]["files"] == [{"path": "main.py", "side": "another one"}]
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "main.py").write_text(NEW)
    assert cli("verify", "proof.json", "--root", "elsewhere").code == 0

    (project / "main.py").write_text(NEW)
    changed = (project / "proof.json").read_text().replace("comments and layout", "nothing at all")
    (project / "changed.json").write_text(changed)
    done = cli("verify", "changed.json", "proof.json")
    assert done.code == 1 and "it was changed after it was written" in done.out and "\nholds  proof.json" in done.out


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("gone.json", None, "gone.json: cannot be read"),
        (".", None, ".: a folder, not a receipt"),
        ("text.json", b"no", "text.json: not a receipt that can be verified"),
        ("bytes.json", b"\xff\xfe", "bytes.json: not a receipt that can be verified"),
        ("list.json", b"[]", "list.json: not a receipt that can be verified"),
        ("old.json", b'{"schema": 1, "receipts": []}', "old.json: not a receipt that can be verified"),
        ("seal.json", b'{"seal": {"kind": "prove"}}', "seal.json: not a receipt that can be verified"),
    ],
)
def test_what_is_no_receipt_is_named(project: Path, cli: Cli, name: str, raw: bytes | None, said: str) -> None:
    if raw is not None:
        (project / name).write_bytes(raw)
    done = cli("verify", name)
    assert (done.code, done.out) == (2, "") and said in done.err


def test_a_receipt_and_a_tree_have_to_be_named(project: Path, cli: Cli) -> None:
    assert "error: no receipt is named" in cli("verify").err
    assert cli("verify", "main.py", "--root", "main.py").code == 2
