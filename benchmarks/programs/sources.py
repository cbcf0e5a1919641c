"""Brings the files of a program from its repository, at its commit, and lays the program out in a folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.programs.catalogue import Program, replaced

HOST = "https://github.com"


class Unreachable(Exception):
    """A repository cannot be fetched, or has no such file at the commit."""


def laid_out(program: Program, folder: Path, store: Path, mirror: Path | None) -> tuple[Path, Path]:
    """The program as written and as a person made it faster, each in a folder of its own.

    Args:
      store: where repositories are kept that were fetched.
      mirror: a folder of bare repositories, `OWNER+NAME` or `OWNER+NAME/repo`.

    Raises:
      Unreachable: its files cannot be had.
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
    text = _git(_repository(program, store, mirror), "show", f"{program.commit}:{path}")
    return as_script(text) if path.endswith(".ipynb") else text


def _repository(program: Program, store: Path, mirror: Path | None) -> Path:
    name = program.repository.replace("/", "+")
    for place in (mirror / name, mirror / name / "repo") if mirror else ():
        if (place / "HEAD").exists():
            return place
    place = store / name
    if not (place / "HEAD").exists():
        place.mkdir(parents=True, exist_ok=True)
        _git(place, "init", "--bare", "--quiet")
    if not _has(place, program.commit):
        _git(place, "fetch", "--quiet", "--depth=1", f"{HOST}/{program.repository}", program.commit)
    return place


def _has(place: Path, commit: str) -> bool:
    known = subprocess.run(["git", "-C", str(place), "cat-file", "-e", commit], capture_output=True)
    return known.returncode == 0


def _git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(place), *words], capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Unreachable(said[-1] if said else f"git {words[0]} failed")
    return done.stdout.decode()


def _write(texts: dict[str, str], folder: Path, program: Program) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for file, text in texts.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    if program.prepare:
        subprocess.run([sys.executable, program.prepare], cwd=folder, check=True)
    return folder
