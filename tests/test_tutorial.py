"""The tutorial is what happens: its program, its commands, its diff."""

import re
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import pytest
from command_line import apart

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def block(begin: str) -> str:
    """The text of the block whose fence, and what follows it, begins like this."""
    found = re.search(rf"^```{re.escape(begin)}.*?\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, begin
    return found[1]


def shown(command: str) -> list[str]:
    """The lines that the page shows below a command."""
    found = re.search(rf"^\$ {re.escape(command)}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, command
    return found[1].splitlines()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that holds the program of the page."""
    (tmp_path / "train.py").write_text(block('python title="train.py"'))
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_check_says_what_the_page_shows(project: Path) -> None:
    done = apart("check")
    assert done.code == 1
    assert [*done.out.splitlines(), *done.err.splitlines()] == shown("jaxfix check")


def test_every_change_of_the_page_is_among_those_that_are_offered(project: Path) -> None:
    offered = apart("apply", "--unproven", "--diff").out
    assert changed(block("diff"))
    assert [line for line in changed(block("diff")) if line not in changed(offered)] == []


@pytest.mark.slow
def test_a_rerun_proves_the_diff_of_the_page_and_nothing_compiles_after_it(project: Path) -> None:
    run = "python train.py"
    done = apart("apply", "--run", run, "--python", sys.executable)
    assert done.code == 0, done.err
    assert shown(f"jaxfix apply --run '{run}'")[-2] in done.err.splitlines()
    lines = (block('python title="train.py"').splitlines(), (project / "train.py").read_text().splitlines())
    assert changed("\n".join(unified_diff(*lines, lineterm=""))) == changed(block("diff"))
    assert apart("gate", "--after", "3", "--", sys.executable, "train.py").code == 0
    (project / "tests").mkdir()
    written = ("gate", "--write", "tests/test_step.py", "--function", "train_step", "--", "python", "train.py")
    gated = apart(*written)
    assert gated.code == 0 and shown(f"jaxfix {' '.join(written)}")[-1].partition(", ")[0] in gated.err
    assert shown("jaxfix undo")[0].startswith(apart("undo").err.partition(" (")[0])
    assert (project / "train.py").read_text() == block('python title="train.py"')
    assert apart("gate", "--after", "3", "--", sys.executable, "train.py").code == 1
