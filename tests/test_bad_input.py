"""What people and machines put in the way: each is one line that names it, and the rest of the run is unharmed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import ROOT, Cli

SLOW = "import jax\n\nfor x in range(9):\n    jax.jit(lambda v: v + 1)(x)\n"
FOUND = "good.py:4:5: local-jit"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(SLOW)
    return tmp_path


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a user who may not do everything: root may."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permission bits say nothing here")
    folder = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        monkeypatch.chdir(folder)
        (folder / "good.py").write_text(SLOW)
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        for path in folder.rglob("*"):
            path.chmod(0o700)
        monkeypatch.undo()
        shutil.rmtree(folder)


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods"))), "NO_COLOR": "1"}


def errors(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("error: ")]


def test_what_cannot_be_read_is_not_among_the_files_without_findings(project: Path, cli: Cli) -> None:
    (project / "broken.py").write_text("import jax\ndef f(:\n")
    (project / "null.py").write_bytes(b"x = 1\0\n")
    assert cli("check", ".").err.startswith("1 finding in 1 file; ")
    assert cli("check", ".", "--ignore", "local-jit").err.startswith("no findings in 1 file\nerror: ")
    assert cli("check", "broken.py", "null.py").err.startswith("error: ")


DEEP = {
    "calls": b"y = x" + b"()" * 10_000,
    "signs": b"y = " + b"-" * 10_000 + b"1",
    "sums": b"y = " + b"+".join([b"1"] * 10_000),
    "brackets": b"y = " + b"(" * 10_000 + b"1" + b")" * 10_000,
    "branches": b"if x:\n    pass\n" + b"elif x:\n    pass\n" * 10_000,
}


def test_a_tree_of_everything_is_named_file_by_file(project: Path, cli: Cli) -> None:
    (project / "null.py").write_bytes(b"x = 1\0\n")
    (project / "empty.py").write_bytes(b"")
    (project / "bom.py").write_bytes(b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n")
    (project / "folder.py").mkdir()
    (project / "gone.py").symlink_to("nowhere.py")
    (project / "loop.py").symlink_to("loop.py")
    os.mkfifo(project / "pipe.py")
    for name, text in DEEP.items():
        (project / f"{name}.py").write_bytes(text + b"\n")
    done = cli("check")
    assert done.code == 2
    assert done.out.startswith(FOUND)
    named = sorted(error.removeprefix("error: ").split(":")[0] for error in errors(done.err))
    deep = [name for name in DEEP if f"{name}.py" in named]
    if sys.version_info < (3, 14):  # whose parser goes deeper
        assert deep == [*DEEP]
    bad = ["bom", "gone", "loop", "null", "pipe", *deep]
    assert named == sorted(f"{name}.py" for name in bad)
    assert all(f"error: {name}.py: nested too deeply to be parsed" in done.err for name in deep if name != "brackets")
    assert cli("apply", "--diff", "--unproven").code == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline.py", "new\\nline.py"),
        (b"\x1b[31mred.py", "\\x1b[31mred.py"),
        (b"-x.py", "-x.py"),
        (b"a[1]*.py", "a[1]*.py"),
        (b"\xff.py", "\udcff.py"),
        (b"n" * 252 + b".py", "n" * 252 + ".py"),
    ],
)
def test_a_file_of_any_name_is_told_on_one_line_fixed_and_undone(
    project: Path, cli: Cli, name: bytes, shown: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = project / os.fsdecode(name)
    path.write_text(SLOW)
    from jaxfix.drivers.cli.start import run

    assert run(["check"]) == 1
    told = capfdbinary.readouterr().out.decode(errors="surrogateescape").splitlines()
    assert len(told) == 2 and any(line.startswith(f"{shown}:4:5: local-jit") for line in told)
    for arguments in (["apply", "--unproven", "--allow-no-vcs", "--", path.name], ["undo", "--list"]):
        assert run(arguments) == 0
    assert path.read_text() != SLOW
    assert run(["undo"]) == 0
    assert path.read_text() == SLOW
    assert not list(project.glob(".*jaxfix-tmp"))


def test_paths_that_overlap_or_lie_outside_are_looked_at_once(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "inside").mkdir()
    monkeypatch.chdir(project / "inside")
    done = cli("check", "..", "../good.py", str(project), "../inside/../good.py")
    assert done.out.count("local-jit") == 1 and done.out.startswith("../good.py:4:5: ")


def test_two_spellings_of_one_file_are_one(project: Path, cli: Cli) -> None:
    """A second link stands for a system that does not care for the case of names."""
    os.link("good.py", "GOOD.py")
    os.link("good.py", "other.py")
    assert cli("check", "good.py", "GOOD.py", "./good.py").out.count("local-jit") == 1
    assert cli("check", "good.py", "other.py").out.count("local-jit") == 2


@pytest.mark.parametrize("name", ["secret.py", "closed"])
def test_what_may_not_be_read_is_named(stranger: Path, cli: Cli, name: str) -> None:
    if name == "closed":
        (stranger / name).mkdir()
    else:
        (stranger / name).write_text(SLOW)
    (stranger / name).chmod(0)
    done = cli("check", "--output-format", "text")
    assert (done.code, errors(done.err)) == (2, [f"error: {name}: cannot be read: permission denied"])
    assert done.out.startswith(FOUND)


def test_where_nothing_may_be_written_nothing_is(stranger: Path, cli: Cli) -> None:
    (stranger / "deep").mkdir()
    (stranger / "deep" / "b.py").write_text(SLOW)
    (stranger / "deep").chmod(0o500)
    done = cli("apply", "--unproven", "--allow-no-vcs")
    assert (done.code, errors(done.err)) == (
        2,
        ["error: deep/b.py: cannot be written: its folder is read-only; nothing was changed"],
    )
    (stranger / "deep").chmod(0o700)
    assert [path.read_text() for path in (stranger / "good.py", stranger / "deep" / "b.py")] == [SLOW] * 2
    assert sorted(os.listdir(stranger)) == [".jaxfix", "deep", "good.py"]
    assert cli("undo").err.startswith("error: nothing to undo")


def test_a_full_disk_is_named_and_leaves_every_file_whole(project: Path) -> None:
    """The limit on the size of files stands for the disk: what is written comes to an end in the middle."""
    resource = pytest.importorskip("resource")
    (project / "large.py").write_text(SLOW + f"# {'x' * 100_000}\n")
    before = {path: path.read_bytes() for path in project.glob("*.py")}

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    command = [sys.executable, "-B", "-m", "jaxfix", "apply", "--unproven", "--allow-no-vcs"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), preexec_fn=limited)
    assert done.returncode == 2
    (error,) = errors(done.stderr)
    assert "cannot be written: file too large" in error
    assert {path: path.read_bytes() for path in project.glob("*.py")} == before
    assert not list(project.rglob("*jaxfix-tmp"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize(
    "arguments", [("check",), ("apply", "--diff", "--unproven"), ("rules",), ("--help",), ("--version",)]
)
def test_a_full_stdout_is_no_bug(project: Path, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "jaxfix", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
    assert done.returncode == 2
    assert len(errors(done.stderr)) == 1 and "no space left on device" in done.stderr


def test_closed_streams_are_no_bug(project: Path) -> None:
    shell = f"{sys.executable} -m jaxfix check <&- >&- 2>&-"
    assert subprocess.run(shell, shell=True, env=environment()).returncode == 1
    assert (project / "good.py").read_text() == SLOW


@pytest.mark.parametrize(
    ("number", "ends"),
    [
        (signal.SIGINT, (130, "error: interrupted in good.py: codemod `endless`; nothing was written\n")),
        (signal.SIGTERM, (143, "")),
    ],
)
def test_in_the_midst_of_a_codemod_jaxfix_is_ended_by_who_asks_for_it(
    project: Path, number: signal.Signals, ends: tuple[int, str]
) -> None:
    info = project / "packs" / "waiter-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[jaxfix.codemods]\nwaiter = waiter:CODEMODS\n")
    doc = "\n".join(f"{name}:\n    x\n" for name in ("Before", "After", "Safety", "Evidence", "Source"))
    (project / "packs" / "waiter.py").write_text(
        f'"""x\n\n{doc}"""\nimport pathlib\nfrom jaxfix.api import Codemod, Equality, Safety\n\n'
        "def find(module):\n    pathlib.Path('waiting').touch()\n    while True:\n        pass\n\n"
        'CODEMODS = (Codemod("endless", ("jax.jit",), Safety.SAFE, Equality.BITWISE, find),)\n'
    )
    env = environment()
    env["PYTHONPATH"] += f"{os.pathsep}{project / 'packs'}"
    command = [sys.executable, "-m", "jaxfix", "check", "good.py"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
    while not (project / "waiting").exists() and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(number)
    try:
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert (child.returncode, err) == ends


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"])
def test_a_merge_conflict_is_called_by_its_name(project: Path, cli: Cli, marker: str) -> None:
    (project / "merged.py").write_text(f"import jax\n{marker}\nx = 1\n")
    done = cli("check", "merged.py")
    assert done.code == 2 and done.err == "error: merged.py: line 2: a merge conflict is not resolved\n"
