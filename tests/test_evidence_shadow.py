"""Shadow copies: what they hold, and that the original is left alone."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from jaxfix.evidence import shadow
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.running import Running
from jaxfix.evidence.target import Job, Local, command_words, with_interpreter
from jaxfix.source.errors import EvidenceError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "model.py").write_bytes(b"x = 1\n")
    (root / "data.txt").write_text("data")
    (root / ".git").mkdir()
    (root / "pkg" / "__pycache__").mkdir()
    return root


def copied(tree: Path, changed: dict[Path, bytes] | None = None) -> Path:
    copy = tree.parent / "copy"
    shadow.copy_tree(tree, copy, changed or {})
    return copy


def test_what_is_yet_to_be_written_has_a_digest_too(tree: Path) -> None:
    place = tree / "helpers.py"
    before = shadow.digest(place)
    place.write_bytes(b"")
    assert shadow.digest(place) != before == shadow.digest(tree / "more.py")


def test_the_copy_holds_the_changed_source_and_the_rest(tree: Path) -> None:
    copy = copied(tree, {tree / "pkg" / "model.py": b"x = 2\n"})
    assert (copy / "pkg" / "model.py").read_bytes() == b"x = 2\n"
    assert (copy / "data.txt").read_text() == "data"
    assert (tree / "pkg" / "model.py").read_bytes() == b"x = 1\n"


def test_version_control_and_caches_stay_behind(tree: Path) -> None:
    copy = copied(tree)
    assert sorted(path.name for path in copy.rglob("*")) == ["data.txt", "model.py", "pkg"]


def test_no_file_is_shared_with_the_original(tree: Path) -> None:
    copy = copied(tree)
    (copy / "data.txt").write_text("overwritten")
    assert (tree / "data.txt").read_text() == "data"


def test_an_environment_is_linked(tree: Path) -> None:
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "pyvenv.cfg").write_text("")
    copy = copied(tree)
    assert (copy / ".venv").is_symlink()
    assert shadow.is_linked(tree / ".venv" / "lib" / "x.py", tree)
    assert not shadow.is_linked(tree / "pkg" / "model.py", tree)


def test_a_large_file_is_linked(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadow, "LINKED_BYTES", 3)
    assert (copied(tree) / "data.txt").is_symlink()


def test_links_inside_the_tree_lead_into_the_copy(tree: Path) -> None:
    (tree / "relative").symlink_to("pkg")
    (tree / "absolute").symlink_to(tree / "data.txt")
    (tree / "outside").symlink_to(tree.parent)
    copy = copied(tree)
    assert os.readlink(copy / "relative") == str(copy / "pkg")
    assert os.readlink(copy / "absolute") == str(copy / "data.txt")
    assert os.readlink(copy / "outside") == str(tree.parent)


def test_a_copy_inside_the_tree_does_not_hold_itself(tree: Path) -> None:
    copy = tree / "scratch" / "copy"
    shadow.copy_tree(tree, copy, {})
    assert not (copy / "scratch").exists()


def test_modes_are_kept(tree: Path) -> None:
    script = tree / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    copy = copied(tree, {script: b"#!/bin/sh\nexit 0\n"})
    assert os.access(copy / "run.sh", os.X_OK)


def test_an_overlay_of_a_package_drops_the_bytecode_of_what_changed(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "lib"
    (package / "__pycache__").mkdir(parents=True)
    for name in ("model", "other"):
        (package / f"{name}.py").write_text("")
        (package / "__pycache__" / f"{name}.cpython-311.pyc").write_bytes(b"")
    copy = shadow.copy_package(package, tmp_path / "overlay", {package / "model.py": b"x = 2\n"})
    assert [path.name for path in (copy / "__pycache__").iterdir()] == ["other.cpython-311.pyc"]
    assert (copy / "model.py").read_bytes() == b"x = 2\n"


def test_an_overlay_of_one_file(tmp_path: Path) -> None:
    module = tmp_path / "site-packages" / "single.py"
    module.parent.mkdir()
    module.write_text("x = 1\n")
    assert shadow.copy_package(module, tmp_path / "overlay", {module: b"x = 2\n"}).read_bytes() == b"x = 2\n"


def test_the_outermost_package_is_what_is_laid_over(tmp_path: Path) -> None:
    inner = tmp_path / "lib" / "sub"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    assert shadow.package_of(inner / "model.py") == tmp_path / "lib"
    assert shadow.package_of(tmp_path / "single.py") == tmp_path / "single.py"
    space = tmp_path / "site-packages" / "space" / "part" / "model.py"
    assert shadow.package_of(space) == tmp_path / "site-packages" / "space"


def test_a_program_runs_in_the_copy_with_its_words_moved_along(tree: Path) -> None:
    (tree / "show.py").write_text("import os, sys\nprint(os.getcwd())\nprint(sys.argv[1])\nprint(__file__)\n")
    (tree / "out.txt").write_text("mine")
    command = f"{sys.executable} {tree}/show.py --out={tree}/out.txt"
    (run,) = ProgramRunner(tree, command).measure({})
    assert run.failure is None
    assert run.stdout.splitlines() == [str(tree), f"--out={tree}/out.txt", f"{tree}/show.py"]  # named as the user knows


def test_what_a_program_writes_stays_in_the_copy(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "write.py").write_text("open('data.txt', 'a').write('!')\nprint(open('data.txt').read())\n")
    monkeypatch.setattr(shadow, "LINKED_BYTES", 100)
    (tree / "data.txt").write_text("d" * 200)
    (run,) = ProgramRunner(tree, f"{sys.executable} write.py").measure({})
    assert run.stdout.strip() == "d" * 200 + "!"
    assert (tree / "data.txt").read_text() == "d" * 200


def test_a_program_that_does_not_end_is_cut_off_with_its_children(tree: Path) -> None:
    (tree / "hang.py").write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    (run,) = ProgramRunner(tree, f"{sys.executable} hang.py", how=Running(timeout_s=2)).measure({})
    assert (run.stopped, run.failure) == ("at the time limit", None)
    with suppress(psutil.NoSuchProcess):
        assert psutil.Process(int(run.stdout)).status() == psutil.STATUS_ZOMBIE


def test_how_a_program_fails_is_its_last_word(tree: Path) -> None:
    (tree / "fail.py").write_text("raise ValueError('no such thing')\n")
    (run,) = ProgramRunner(tree, f"{sys.executable} fail.py").measure({})
    assert run.failure == "exit status 1: ValueError: no such thing"


@pytest.mark.parametrize("command", ["", "  ", "python 'x", "python a.py && python b.py", "python a.py | tee log"])
def test_a_command_that_needs_a_shell_is_refused(command: str) -> None:
    with pytest.raises(EvidenceError):
        command_words(command)


def test_variables_in_front_of_a_command_are_understood() -> None:
    assert command_words("A=1 B='x y' python train.py") == ({"A": "1", "B": "x y"}, ("python", "train.py"))


def test_a_program_that_is_not_there_is_named(tree: Path) -> None:
    with pytest.raises(EvidenceError, match=r"`no-such-program` cannot be started: no such program"):
        Local().run(Job(("no-such-program",), tree, {"PATH": "/usr/bin"}))


def test_a_bare_python_is_that_of_the_project(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert with_interpreter(("python", "x.py"), tree) == (sys.executable, "x.py")
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").write_text("")
    assert with_interpreter(("python", "x.py"), tree)[0] == str(tree / ".venv" / "bin" / "python")
    assert with_interpreter(("pytest",), tree) == ("pytest",)
