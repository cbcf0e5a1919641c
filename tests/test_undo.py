"""The journal: every byte can be put back."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxfix.drivers import files, journal, staging
from jaxfix.drivers.cli.start import run
from jaxfix.drivers.files import Replacement
from jaxfix.source.errors import WriteError

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
    (project / "deep" / f".b.py.1{staging.TEMPORARY}").write_bytes(b"ne")
    (project / ".jaxfix" / "busy").write_bytes(b"busy\n")
    journal.undo(project)
    assert contents(project) == [BEFORE] * 2
    assert os.listdir(project / "deep") == ["b.py"]


def test_what_is_left_of_a_run_that_was_killed_at_once_goes_with_an_undo(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project / "deep")
    kept = project / ".jaxfix"
    kept.mkdir()
    (kept / "busy").write_bytes(b"busy\n")
    (kept / f"..gitignore.x{staging.TEMPORARY}").write_bytes(b"")
    assert run(["undo"]) == 2
    assert capsys.readouterr().err.startswith("error: nothing to undo")
    assert os.listdir(kept) == ["busy"] and not (kept / "busy").read_bytes()


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_undo_leaves_all_alone_if_one_file_has_changed(project: Path, change: str) -> None:
    root = applied(project)
    if change == "edited":
        (project / "deep" / "b.py").write_bytes(b"mine\n")
    else:
        (project / "deep" / "b.py").unlink()
    with pytest.raises(WriteError, match=r"deep/b\.py") as caught:
        journal.undo(root)
    original = Path(str(caught.value.hint).removeprefix("its original is "))
    assert original.read_bytes() == BEFORE
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


def test_a_write_is_undone_by_its_number_only_while_it_is_the_last(project: Path) -> None:
    first = journal.write(project, "jaxfix apply", [Replacement(project / "a.py", BEFORE, b"new\n")])
    second = journal.write(project, "jaxfix apply again", [Replacement(project / "a.py", b"new\n", b"newer\n")])
    with pytest.raises(WriteError, match="not the last"):
        journal.undo(project, first.number)
    assert (project / "a.py").read_bytes() == b"newer\n"
    assert journal.undo(project, second.number) == second
    assert journal.undo(project, first.number) == first
    assert (project / "a.py").read_bytes() == BEFORE


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
    with pytest.raises(WriteError, match="damaged; nothing was written"):
        journal.undo(root)
    (root / ".jaxfix" / "objects" / str(entry.lines[0].before)).unlink()
    with pytest.raises(WriteError, match="no such file or directory; nothing was written"):
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


def test_a_journal_without_a_place_is_named_before_anything_is_written(project: Path) -> None:
    root = applied(project)
    (root / ".jaxfix" / "undone").rmdir()
    (root / ".jaxfix" / "undone").write_text("")
    with pytest.raises(WriteError, match=r"undone: cannot be created: file exists"):
        journal.undo(root)
    assert contents(project) == [b"new\n"] * 2
    (root / ".jaxfix" / "undone").unlink()
    journal.undo(root)
    assert contents(project) == [BEFORE] * 2


NAMES = st.sampled_from(["a.py", "b.py", "deep/a.py", "deep/er/c.py", "caf\xe9 \u2028.py"])
APPLIES = st.lists(st.dictionaries(NAMES, st.binary(max_size=20), min_size=1), min_size=1, max_size=4)


def tree(project: Path) -> dict[str, tuple[bytes, int]]:
    found = (path for path in project.rglob("*") if path.is_file() and ".jaxfix" not in path.parts)
    return {path.relative_to(project).as_posix(): (path.read_bytes(), path.stat().st_mode) for path in found}


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(NAMES, st.binary(max_size=20)), APPLIES)
def test_as_many_undos_as_applies_restore_the_tree(start: dict[str, bytes], applies: list[dict[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".git").mkdir()
        for name, raw in start.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_bytes(raw)
        trees = [tree(project)]
        for wanted in applies:
            before = {name: (project / name).read_bytes() if (project / name).exists() else None for name in wanted}
            changed = [
                Replacement(project / name, before[name], raw) for name, raw in wanted.items() if before[name] != raw
            ]
            if changed:
                journal.write(project, "jaxfix apply", changed)
                trees.append(tree(project))
        assert trees[-1].keys() >= start.keys()
        for earlier in reversed(trees[:-1]):
            journal.undo(project)
            assert tree(project) == earlier
