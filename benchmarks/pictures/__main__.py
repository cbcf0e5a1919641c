"""The pictures of README, of how proof works, and of the page of a trace.

python -m benchmarks.pictures            all: the terminal shows commands that are run in a clone
python -m benchmarks.pictures --drawn    only those that nothing is run for
python -m benchmarks.pictures --trace    only the page of a trace; needs Playwright and Chromium
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.pictures import proof, terminal, trace

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
PROGRAM = "examples/train.py"
COMMANDS = (f"jaxfix check {PROGRAM}", f"jaxfix apply {PROGRAM} --run 'python {PROGRAM}'")


def main(arguments: list[str]) -> None:
    if "--trace" not in arguments:
        proof.draw(IMAGES)
    if "--drawn" not in arguments:
        trace.take(ROOT / PROGRAM, IMAGES)
    if not arguments:
        _terminal()


def _terminal() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "jaxfix"
        subprocess.run(["git", "clone", "-q", "--depth=1", ROOT.as_uri(), str(folder)], check=True)
        told = [(line, _shown(line, folder).replace(name, "~")) for line in COMMANDS]
    terminal.draw(told, IMAGES / "terminal.svg", "~/jaxfix")


def _shown(line: str, folder: Path) -> str:
    return terminal.shown(terminal.jaxfix(line), folder, is_clone=True)


if __name__ == "__main__":
    main(sys.argv[1:])
