"""Brings the files of a program from its repository, at its commit, and lays the program out in a folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.programs.catalogue import Program, replaced
from benchmarks.repositories import fetched, git


def laid_out(program: Program, folder: Path, store: Path, mirror: Path | None) -> tuple[Path, Path]:
    """The program as written and as a person made it faster, each in a folder of its own.

    Args:
      store: where repositories are kept that were fetched.
      mirror: a folder of bare repositories, as of `fetched`.

    Raises:
      Unreachable: its files cannot be fetched.
      Unfit: the replacements do not fit the files.
    """
    original = {file: _source(program, path, store, mirror) for file, path in program.files.items()}
    written = replaced(original, program.adapt)
    faster = replaced(written, program.hand)
    return _write(written, folder / "written", program), _write(faster, folder / "hand", program)


def as_script(notebook: str) -> str:
    """The code of a notebook, cell after cell; a magic or a shell command is a comment."""
    cells = [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells)
    return "".join(f"# {line}" if line.startswith(("%", "!")) else line for line in text.splitlines(keepends=True))


def _source(program: Program, path: str, store: Path, mirror: Path | None) -> str:
    place = fetched(program.repository, program.commit, store, mirror)
    text = git(place, "show", f"{program.commit}:{path}").decode().replace("\r\n", "\n")
    return as_script(text) if path.endswith(".ipynb") else text


def _write(texts: dict[str, str], folder: Path, program: Program) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for file, text in texts.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    if program.prepare:
        subprocess.run([sys.executable, program.prepare], cwd=folder, check=True)
    return folder
