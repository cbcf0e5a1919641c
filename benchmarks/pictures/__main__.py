"""The pictures of README and of how proof works.

python -m benchmarks.pictures            all: the terminal shows commands that are run on a copy of examples/train.py
python -m benchmarks.pictures --drawn    only those that nothing is run for
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.pictures import proof, terminal

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
COMMANDS = ("jaxfix check train.py", "jaxfix apply train.py --run 'python train.py'")


def main(arguments: list[str]) -> None:
    proof.draw(IMAGES)
    if "--drawn" not in arguments:
        _terminal()


def _terminal() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        folder.mkdir()
        project(folder)
        told = [(line, _shown(line, folder).replace(name, "~")) for line in COMMANDS]
    terminal.draw(told, IMAGES / "terminal.svg", "~/project")


def _shown(line: str, folder: Path) -> str:
    return terminal.shown(terminal.jaxfix(line), folder, is_clone=True)


def project(folder: Path) -> None:
    """Makes `folder` a repository that holds the example."""
    shutil.copy(ROOT / "examples" / "train.py", folder)
    git = ["git", "-c", "user.name=a person", "-c", "user.email=person@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a trainer"]):
        subprocess.run([*git, *words], cwd=folder, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
