"""What docs/editors.md tells people to write: the tests write the same."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "editors.md"


def block(heading: str, language: str) -> str:
    """The first block in `language` below `heading`."""
    [section] = re.findall(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    found = re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found is not None, f"there is no block in {language} below {heading!r} in {PAGE}"
    return found[1]


def surroundings(folder: Path) -> dict[str, str]:
    """Variables of an environment whose home is `folder`, and in which `jaxfix` is the one under test."""
    command = folder / "bin" / "jaxfix"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jaxfix "$@"\n')
    command.chmod(0o755)
    homes = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    return {
        **dict.fromkeys(homes, str(folder)),
        "PATH": os.pathsep.join((str(command.parent), os.environ["PATH"])),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods"))),
    }
