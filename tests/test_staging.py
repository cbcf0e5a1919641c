"""A new version of a file: whole, later than the old one, and with all that belongs to the file."""

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from jaxfix.drivers import files, journal, staging
from jaxfix.drivers.files import Replacement
from jaxfix.source.errors import UserError, WriteError

SECOND_NS = 1_000_000_000


def make(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.write_bytes(b"old\n")
    return paths


def test_the_order_in_which_files_were_written_is_kept(tmp_path: Path) -> None:
    paths = make(tmp_path, "c.py", "a.py", "d.py", "b.py")
    now = (tmp_path / "c.py").stat().st_mtime_ns
    for hours, path in zip((3, 2, 1, -1), paths, strict=True):  # the clock of who wrote the last one is fast
        os.utime(path, ns=(now, now - hours * 3600 * SECOND_NS))
    files.write_all([Replacement(path, b"old\n", b"new\n") for path in sorted(paths)])
    times = [path.stat().st_mtime_ns for path in paths]
    assert times == sorted(times) and times[2] < times[3]


@pytest.mark.parametrize("ahead_s", [-3600, 0, 3600])
def test_the_new_file_is_a_second_later_whatever_the_clock_says(tmp_path: Path, ahead_s: int) -> None:
    """Python takes the compiled form of the old source for that of one that is as old, to the second, and as long."""
    (path,) = make(tmp_path, "a.py")
    old = path.stat().st_mtime_ns + ahead_s * SECOND_NS
    os.utime(path, ns=(old, old))
    files.write_bytes(path, b"new\n")
    assert path.stat().st_mtime_ns // SECOND_NS > old // SECOND_NS


def test_extended_attributes_stay(tmp_path: Path) -> None:
    (path,) = make(tmp_path, "a.py")
    try:
        os.setxattr(path, "user.colour", b"red")
    except (AttributeError, OSError):
        pytest.skip("there are none here")
    files.write_bytes(path, b"new\n")
    assert os.getxattr(path, "user.colour") == b"red"


def test_the_owner_stays(tmp_path: Path) -> None:
    (path,) = make(tmp_path, "a.py")
    try:
        os.chown(path, 1234, 2345)
    except (AttributeError, OSError):
        pytest.skip("only root gives files away")
    path.chmod(0o640)
    files.write_bytes(path, b"new\n")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 2345, 0o640)


def test_what_was_written_before_a_failure_is_put_back_with_its_mode(tmp_path: Path) -> None:
    first, second = make(tmp_path, "a.py", "b.py")
    first.chmod(0o750)
    new = tmp_path / "deep" / "new.py"
    # The second replacement of one file finds what the first has written.
    wanted = [Replacement(path, b"old\n", b"new\n", 0o600) for path in (first, second, second)]
    with pytest.raises(WriteError, match=r"b\.py: has changed since jaxfix read it; nothing was changed"):
        files.write_all([Replacement(new, None, b"x = 1\n"), *wanted])
    assert [path.read_bytes() for path in (first, second)] == [b"old\n"] * 2
    assert files.mode_of(first) == 0o750
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]


def test_what_is_new_comes_first_and_what_goes_last(tmp_path: Path) -> None:
    old, gone = make(tmp_path, "a.py", "gone.py")
    wanted = [
        Replacement(gone, b"old\n", None),
        Replacement(old, b"old\n", b"new\n"),
        Replacement(tmp_path / "z.py", None, b"x = 1\n"),
        Replacement(old, b"never\n", b"new\n"),
    ]
    with pytest.raises(WriteError):
        files.write_all(wanted)
    assert gone.read_bytes() == old.read_bytes() == b"old\n"
    files.write_all(wanted[:3])
    assert sorted(os.listdir(tmp_path)) == ["a.py", "z.py"]
    assert (tmp_path / "z.py").stat().st_mtime_ns <= old.stat().st_mtime_ns


def test_a_new_file_is_not_written_through_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "new.py").symlink_to("elsewhere.py")
    with pytest.raises(WriteError, match=r"new\.py: exists already; nothing was changed"):
        files.write_all([Replacement(tmp_path / "new.py", None, b"x = 1\n")])
    assert os.listdir(tmp_path) == ["new.py"]


def test_only_the_leftovers_of_one_file_are_removed(tmp_path: Path) -> None:
    name = "a[1]*.py"
    mine, others = f".{name}.x{staging.TEMPORARY}", f".a1b.py.x{staging.TEMPORARY}"
    make(tmp_path, name, mine, others, ".a[1]*.py.swp")
    staging.remove_leftovers(tmp_path, name)
    assert sorted(os.listdir(tmp_path)) == sorted([name, others, ".a[1]*.py.swp"])


@pytest.mark.parametrize("name", ["a.py", "a[1].py"])
def test_the_compiled_form_goes_with_its_file_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "__pycache__").mkdir()
    (path, *_) = make(tmp_path, name, "b.py", f"__pycache__/{name[:-3]}.cpython-311.pyc", "__pycache__/a1.x.pyc")
    files.remove(path)
    assert os.listdir(tmp_path / "__pycache__") == ["a1.x.pyc"]


# the journal


@pytest.mark.parametrize(
    "path",
    ["../outside.py", "/etc/outside.py", "deep/../../outside.py", "link/outside.py", ".git/config", ".GIT/hooks/x"],
)
def test_a_strangers_journal_stays_inside_of_the_project(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "a.py").write_bytes(b"old\n")
    (root / "link").symlink_to(tmp_path)
    (tmp_path / "outside.py").write_bytes(b"new\n")
    (root / ".git" / "config").write_bytes(b"new\n")
    entry = journal.record(root, "x", [Replacement(root / "a.py", b"old\n", b"new\n")])
    file = root / ".jaxfix" / "journal" / f"{entry.number:04}.json"
    file.write_text(file.read_text().replace('"a.py"', f'"{path}"'))
    with pytest.raises(UserError, match=r"0001\.json: names `.*`, which is not a file of the project"):
        journal.undo(root)
    assert (tmp_path / "outside.py").read_bytes() == (root / ".git" / "config").read_bytes() == b"new\n"


def test_undo_makes_no_file_that_runs_as_its_owner(tmp_path: Path) -> None:
    (path,) = make(tmp_path, "a.py")
    journal.record(tmp_path, "x", [Replacement(path, b"old\n", b"new\n")])
    file = tmp_path / ".jaxfix" / "journal" / "0001.json"
    file.write_text(file.read_text().replace(f'"mode": {files.mode_of(path)}', f'"mode": {0o4755}'))
    path.write_bytes(b"new\n")
    journal.undo(tmp_path)
    assert files.mode_of(path) == 0o755


def test_an_apply_that_changed_nothing_leaves_nothing_to_undo(tmp_path: Path) -> None:
    first, second = make(tmp_path, "a.py", "b.py")
    second.chmod(0o444)
    wanted = [Replacement(path, b"old\n", b"new\n") for path in (first, second)]
    with pytest.raises(WriteError, match="it is read-only; nothing was changed"):
        journal.write(tmp_path, "jaxfix apply", wanted)
    assert journal.entries(tmp_path) == ()


def test_undo_that_fails_changes_nothing(tmp_path: Path) -> None:
    first, second = make(tmp_path, "a.py", "b.py")
    journal.write(tmp_path, "jaxfix apply", [Replacement(path, b"old\n", b"new\n") for path in (first, second)])
    second.chmod(0o444)
    with pytest.raises(WriteError, match=r"b\.py: cannot be written: it is read-only; nothing was changed"):
        journal.undo(tmp_path)
    assert [path.read_bytes() for path in (first, second)] == [b"new\n"] * 2
    second.chmod(0o644)
    journal.undo(tmp_path)
    assert [path.read_bytes() for path in (first, second)] == [b"old\n"] * 2


def test_two_at_once_take_turns(tmp_path: Path) -> None:
    paths = make(tmp_path, *(f"{number}.py" for number in range(8)))
    gate = threading.Barrier(len(paths))

    def apply(path: Path) -> None:
        gate.wait()
        journal.write(tmp_path, f"jaxfix apply {path.name}", [Replacement(path, b"old\n", b"new\n")])

    threads = [threading.Thread(target=apply, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entry.number for entry, _ in journal.entries(tmp_path)) == list(range(1, 9))
    with suppress(WriteError):
        while True:
            journal.undo(tmp_path)
    assert [path.read_bytes() for path in paths] == [b"old\n"] * 8


@pytest.mark.parametrize("name", ["busy", "journal", "objects"])
def test_nothing_is_kept_behind_a_link(tmp_path: Path, name: str) -> None:
    (path,) = make(tmp_path, "a.py")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".jaxfix").mkdir()
    target = tmp_path / "elsewhere" if name != "busy" else tmp_path / "elsewhere" / "file"
    (tmp_path / ".jaxfix" / name).symlink_to(target)
    with pytest.raises(WriteError, match=name):
        journal.write(tmp_path, "jaxfix apply", [Replacement(path, b"old\n", b"new\n")])
    assert path.read_bytes() == b"old\n" and not os.listdir(tmp_path / "elsewhere")
