"""Runs that were made before count where nothing that they depend on has changed, and only there."""

import os
import platform
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from jaxfix.drivers.shelf import Folder, Fresh
from jaxfix.evidence import reusing
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.reusing import Reusing
from jaxfix.evidence.running import Running, Watching

PROGRAM = """\
import os, sys
import helper, library

def spoken():
    return open("data.txt").read() + open(os.path.join(os.environ["ELSEWHERE"], "far.txt")).read()

if __name__ == "__main__":
    print(spoken(), helper.WORD, library.WORD, len(os.listdir(os.environ["ELSEWHERE"] + "/listed")))
"""
AFTER = {"main.py": PROGRAM.replace("print(", "print('now', ").encode()}


class Place:
    """A project with what it reads elsewhere, and how it is run."""

    def __init__(self, folder: Path) -> None:
        self.root, self.elsewhere, self.shelf = folder / "project", folder / "elsewhere", folder / "runs"
        self.packages = self.elsewhere / "site-packages"
        self.command, self.functions, self.steps = "python main.py", [("main.py", "spoken")], 9
        self.python: str | None = None
        self.sources: Mapping[str, bytes] = {}
        self.beside = True
        for path, text in (
            (self.root / "main.py", PROGRAM),
            (self.root / "helper.py", "WORD = 'helped'\n"),
            (self.root / "data.txt", "data"),
            (self.root / "unread.txt", ""),
            (self.elsewhere / "far.txt", "far"),
            (self.elsewhere / "listed" / "old", ""),
            (self.packages / "library.py", "WORD = 'lent'\n"),
            (self.packages / "library-1.0.dist-info" / "METADATA", ""),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def linked(self) -> str:
        """Another name of this interpreter."""
        link = self.elsewhere / "python"
        link.symlink_to(sys.executable)
        return str(link)

    def runs(self, shelf: type[Folder] = Folder, *, times: int = 1) -> tuple[int, int]:
        """How many of some equal runs are made, and how many are reused."""
        runner = ProgramRunner(
            self.root, self.command, self.functions, Running(python=self.python), Watching(steps=self.steps)
        )
        found = Reusing(runner, shelf(self.shelf))
        ended = [run for _ in range(times) for run in found.measure(self.sources, beside=self.beside)]
        assert {run.failure for run in ended} == {None} and len({run.stdout for run in ended}) == 1
        return found.made, len(found.reused)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(found.packages))
    monkeypatch.setenv("ELSEWHERE", str(found.elsewhere))
    return found


def test_two_equal_runs_stay_two_and_are_both_reused(place: Place) -> None:
    assert place.runs(times=2) == (2, 0)
    assert place.runs(times=2) == (0, 2)
    assert place.runs(Fresh) == (1, 0)


CHANGES: dict[str, Callable[[Place, pytest.MonkeyPatch], object]] = {
    "the program": lambda place, patch: (place.root / "main.py").write_text(PROGRAM + "\n"),
    "a module of the project": lambda place, patch: (place.root / "helper.py").write_text("WORD = 'HELPED'\n"),
    "data of the project": lambda place, patch: (place.root / "data.txt").write_text("DATA"),
    "any file of the project": lambda place, patch: (place.root / "unread.txt").write_text("x"),
    "a new file": lambda place, patch: (place.root / "new.txt").write_text(""),
    "a mode": lambda place, patch: (place.root / "main.py").chmod(0o755),
    "data elsewhere": lambda place, patch: (place.elsewhere / "far.txt").write_text("farther"),
    "a folder elsewhere": lambda place, patch: (place.elsewhere / "listed" / "new").write_text(""),
    "a library": lambda place, patch: (place.packages / "library.py").write_text("WORD = 'stolen'\n"),
    "another package": lambda place, patch: (place.packages / "other-1.0.dist-info").mkdir(),
    "the command": lambda place, patch: setattr(place, "command", "python main.py --fast"),
    "the interpreter": lambda place, patch: setattr(place, "python", place.linked()),
    "the functions": lambda place, patch: setattr(place, "functions", []),
    "an option": lambda place, patch: setattr(place, "steps", 8),
    "the sources": lambda place, patch: setattr(place, "sources", AFTER),
    "whether originals are called": lambda place, patch: setattr(place, "beside", False),
    "the environment": lambda place, patch: patch.setenv("XLA_FLAGS", ""),
    "the machine": lambda place, patch: patch.setattr(platform, "uname", lambda: ("Linux", "another")),
    "jaxfix": lambda place, patch: patch.setattr(reusing, "__file__", str(place.root / "jaxfix" / "reusing.py")),
}


def test_nothing_is_reused_where_something_has_changed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.runs() == (1, 0)
    for name, change in CHANGES.items():
        change(place, monkeypatch)
        for answer in (reusing.machine, reusing.jaxfix):
            answer.cache_clear()
        assert (name, place.runs()) == (name, (1, 0))
    assert place.runs() == (0, 1)
    monkeypatch.undo()
    for answer in (reusing.machine, reusing.jaxfix):
        answer.cache_clear()


def test_where_somebody_sits_is_nothing_that_a_run_depends_on(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.runs()
    monkeypatch.setenv("SSH_TTY", "/dev/pts/9")
    monkeypatch.setenv("SHLVL", "7")
    assert place.runs() == (0, 1)


@pytest.mark.parametrize(
    "lines",
    [
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 9), 1)\nexcept OSError:\n    pass\n",
        "open(''.join(reversed(os.environ['BACK'])), 'w').write(str(os.getpid()))\n",
        "import time\nprint(open(os.path.join(os.environ['ELSEWHERE'], 'far.txt')).read())\n"
        "open(os.path.join(os.environ['ELSEWHERE'], 'far.txt'), 'a').write('r')\n",
    ],
    ids=["asks another machine", "writes into the project", "writes what it has read"],
)
def test_what_may_be_another_one_next_time_is_not_kept(
    lines: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACK", str(place.root / "unread.txt")[::-1])
    (place.root / "main.py").write_text(f"import os\n{lines}")
    place.functions = []
    runner = ProgramRunner(place.root, place.command)
    for _ in range(2):
        found = Reusing(runner, Folder(place.shelf))
        found.measure({})
        assert (found.made, found.reused) == (1, [])


@pytest.mark.parametrize("spoiled", [b"", b"no JSON", None], ids=["empty", "nonsense", "written by others"])
def test_what_is_not_to_be_believed_is_made_again(spoiled: bytes | None, place: Place) -> None:
    place.runs()
    for path in place.shelf.iterdir():
        path.chmod(0o666) if spoiled is None else path.write_bytes(spoiled)
    assert place.runs() == ((0, 1) if spoiled is None and os.name == "nt" else (1, 0))
    assert place.runs() == (0, 1)
