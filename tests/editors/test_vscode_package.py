"""The extension for VS Code, as it is packaged; `pytest -m slow tests/editors`."""

import subprocess
import zipfile
from pathlib import Path

import pytest
from vscode_window import EXTENSION

pytestmark = pytest.mark.slow


def test_its_parts_are_typed_and_right(vsix: Path) -> None:
    command = ["npm", "run", "--silent", "test"]
    done = subprocess.run(command, cwd=EXTENSION, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_is_packaged_is_what_is_needed(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as package:
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
    texts = {"readme.md", "changelog.md", "LICENSE.txt", "out/THIRD-PARTY-NOTICES.txt"}
    assert names == {"package.json", "icon.png", "out/extension.js", *texts}
    assert vsix.stat().st_size < 300_000
