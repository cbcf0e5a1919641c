"""The journal: every byte can be put back."""

import json
import os
from pathlib import Path

import pytest

from jaxfix.core.errors import WriteError
from jaxfix.drivers import files, journal
from jaxfix.drivers.cli.app import run
from jaxfix.drivers.files import Replacement

BEFORE = b"# caf\xe9\r\nx = 1"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("a.py", "deep/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(BEFORE)
    return tmp_path


def replacements(project: Path) -> list[Replacement]:
    return [Replacement(project / name, BEFORE, b"new\n") for name in ("a.py", "deep/b.py")]


def applied(project: Path) -> Path:
    wanted = replacements(project)
    root = journal.root_for([entry.path for entry in wanted])
    journal.record(root, "jaxfix apply", wanted)
    files.write_all(wanted)
    return root


def contents(project: Path) -> list[bytes]:
    return [(project / name).read_bytes() for name in ("a.py", "deep/b.py")]


def test_undo_restores_bytes_and_mode(project: Path) -> None:
    (project / "a.py").chmod(0o700)
    root = applied(project)
    (project / "a.py").chmod(0o644)
    assert contents(project) == [b"new\n"] * 2
    journal.undo(root)
    assert contents(project) == [BEFORE] * 2
    assert files.mode_of(project / "a.py") == 0o700


def test_receipts_alone_are_nothing_to_undo(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.folder(project, "receipts")
    monkeypatch.chdir(project)
    assert run(["undo"]) == 2
    assert capsys.readouterr().err == "error: nothing to undo: no apply has written in this folder or above it\n"


def test_the_journal_hides_itself_from_git(project: Path) -> None:
    root = applied(project)
    assert root == project
    assert (project / ".jaxfix" / ".gitignore").read_bytes() == b"*\n"


def test_undo_finishes_for_a_run_that_was_killed_between_two_files(project: Path) -> None:
    wanted = replacements(project)
    journal.record(project, "jaxfix apply", wanted)
    files.write_bytes(wanted[0].path, wanted[0].after)
    (project / "deep" / f".b.py.1{files.TEMPORARY}").write_bytes(b"ne")
    journal.undo(project)
    assert contents(project) == [BEFORE] * 2
    assert os.listdir(project / "deep") == ["b.py"]


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_undo_leaves_all_alone_if_one_file_has_changed(project: Path, change: str) -> None:
    root = applied(project)
    if change == "edited":
        (project / "deep" / "b.py").write_bytes(b"mine\n")
    else:
        (project / "deep" / "b.py").unlink()
    with pytest.raises(WriteError, match=r"deep/b\.py"):
        journal.undo(root)
    assert (project / "a.py").read_bytes() == b"new\n"


def test_undo_goes_back_one_apply_at_a_time(project: Path) -> None:
    root = applied(project)
    second = [Replacement(project / "a.py", b"new\n", b"newer\n")]
    journal.record(root, "jaxfix apply again", second)
    files.write_all(second)
    assert journal.undo(root).command == "jaxfix apply again"
    assert contents(project) == [b"new\n"] * 2
    assert [undone for _, undone in journal.entries(root)] == [True, False]
    journal.undo(root)
    assert contents(project) == [BEFORE] * 2
    with pytest.raises(WriteError, match="nothing to undo"):
        journal.undo(root)


def test_undo_deletes_what_was_made_and_the_folders_of_it(project: Path) -> None:
    made = [Replacement(project / "vendor" / "pkg" / name, None, b"x\n") for name in ("__init__.py", "a.py")]
    journal.record(project, "jaxfix apply pkg --to vendor", made)
    files.write_all(made)
    journal.undo(project)
    assert not (project / "vendor").exists()


def test_a_damaged_original_is_refused_before_anything_is_written(project: Path) -> None:
    root = applied(project)
    entry, _ = journal.entries(root)[0]
    (root / ".jaxfix" / "objects" / str(entry.lines[0].before)).write_bytes(b"rot")
    with pytest.raises(WriteError, match="damaged"):
        journal.undo(root)
    assert contents(project) == [b"new\n"] * 2


def test_one_original_is_kept_once(project: Path) -> None:
    root = applied(project)
    assert len(os.listdir(root / ".jaxfix" / "objects")) == 1
    entry = json.loads((root / ".jaxfix" / "journal" / "0001.json").read_text())
    assert [line["path"] for line in entry["lines"]] == ["a.py", "deep/b.py"]


def test_the_journal_is_found_from_a_folder_below(project: Path) -> None:
    applied(project)
    assert journal.root_above(project / "deep") == project
    assert journal.root_above(project.parent) is None


def test_without_git_the_journal_lives_with_the_pyproject_or_the_common_folder(tmp_path: Path) -> None:
    for name in ("one/a.py", "one/two/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    paths = [tmp_path / "one" / "a.py", tmp_path / "one" / "two" / "b.py"]
    assert journal.root_for(paths) == tmp_path / "one"
    (tmp_path / "pyproject.toml").write_text("")
    assert journal.root_for(paths) == tmp_path


def test_a_journal_that_cannot_be_moved_is_an_error_of_the_users(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    journal.record(tmp_path, "jaxfix apply", [Replacement(path, b"x = 1\n", b"x = 2\n")])
    path.write_text("x = 2\n")
    (tmp_path / ".jaxfix" / "undone").rmdir()
    with pytest.raises(WriteError, match=r"cannot be moved to .*undone: no such file"):
        journal.undo(tmp_path)
    (tmp_path / ".jaxfix" / "undone").mkdir()
    journal.undo(tmp_path)
    assert path.read_text() == "x = 1\n"
