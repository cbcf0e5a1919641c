"""What is left of a proof that was killed: neither its copies nor the program that it ran."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxfix.evidence.run import scratch
from jaxfix.source.errors import EvidenceError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

MADE = "import sys\nfrom jaxfix.evidence import folders\nprint(folders.make()[0], flush=True)\nsys.stdin.read()\n"
RUN = """\
import sys
from collections.abc import Callable
from pathlib import Path
from jaxfix.evidence.program import ProgramRunner
ProgramRunner(Path(sys.argv[1]), "python program.py").measure({})
"""
PROGRAM = """\
import os, time
with open({path!r}, "w") as file:
    file.write(str(os.getpid()))
time.sleep(100)
"""


def holding(place: Path) -> tuple["subprocess.Popen[str]", Path]:
    """A process that has made a folder in that place, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", MADE],
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_copies_of_a_killed_proof_are_deleted_by_the_next_one(tmp_path: Path) -> None:
    (other := tmp_path / "jaxfix-other").mkdir()
    (killed, left), (alive, kept) = holding(tmp_path), holding(tmp_path)
    assert left.is_dir()
    killed.kill()
    killed.communicate()
    last, _ = holding(tmp_path)
    assert (left.exists(), kept.is_dir(), other.is_dir()) == (False, True, True)
    for process in (alive, last):
        process.communicate("")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not end it")
def test_the_program_ends_with_a_proof_that_is_killed(tmp_path: Path) -> None:
    (root := tmp_path / "project").mkdir()
    said = tmp_path / "pid"
    (root / "program.py").write_text(PROGRAM.format(path=str(said)))
    with subprocess.Popen([sys.executable, "-c", RUN, str(root)]) as proof:
        until(lambda: said.exists() and said.read_text() != "")
        pid = int(said.read_text())
        assert is_running(pid)
        proof.kill()
    until(lambda: not is_running(pid))


def test_a_full_folder_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def copied(*args: object, **keywords: object) -> None:
        raise shutil.Error([("probe.py", "copy.py", f"[Errno {errno.ENOSPC}] No space left on device")])

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with monkeypatch.context() as patch, pytest.raises(EvidenceError, match=f"no room .* in `{tmp_path}`"):
        patch.setattr("shutil.copytree", copied)
        with scratch():
            pass
    with pytest.raises(EvidenceError, match="no room"), scratch():
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(FileNotFoundError), scratch():
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert list(tmp_path.iterdir()) == []


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it never was")


def is_running(pid: int) -> bool:
    """Whether the process goes on; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
