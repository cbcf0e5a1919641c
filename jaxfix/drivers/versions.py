"""What an interpreter has installed, read from its files: it is never started."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.installed import FOLDERS
from jaxfix.evidence.target import command_words, with_interpreter
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

_PYTHON = re.compile(r"python(\d(\.\d+)?t?)?(\.exe)?", re.IGNORECASE)
_VERSION = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)


@frozen
class Versions:
    """The installed versions; None for what is not installed or unknown. `python` is `major.minor`."""

    python: str | None
    jax: str | None
    jaxlib: str | None
    optax: str | None


def interpreter_of(command: str, root: Path, chosen: str | None = None) -> Path | None:
    """The Python that a command line of the project starts; None if it starts something else, or that is unknown.

    Args:
      chosen: what a bare `python` means; None leaves that to the project.
    """
    try:
        variables, words = command_words(command)
    except UserError:
        return None
    first = with_interpreter(words, root, chosen)[0]
    if not _PYTHON.fullmatch(Path(first).name) or {"PATH", "PYTHONPATH", "PYTHONHOME"} & set(variables):
        return None
    if os.path.dirname(first):
        return root / first if (root / first).exists() else None
    found = shutil.which(first)
    return Path(found).absolute() if found else None


def of(python: Path) -> Versions | None:
    """What the interpreter has; None where its packages cannot be found."""
    if python == Path(sys.executable):
        where, version = [entry for entry in sys.path if entry], f"{sys.version_info.major}.{sys.version_info.minor}"
    else:
        folders = tuple(packages_of(python))
        if not folders:
            return None
        where, version = [str(folder) for folder in folders], _python_version(python, folders) or ""
    jax, jaxlib, optax = (_installed(name, where) for name in ("jax", "jaxlib", "optax"))
    return Versions(version or None, jax, jaxlib, optax)


def _installed(name: str, where: list[str]) -> str | None:
    found = next(iter(Distribution.discover(name=name, path=where)), None)
    return found.version if found is not None else None


def packages_of(python: Path) -> Iterator[Path]:
    """The folders that hold its packages: those of its environment, then, where that lets them in, of its base."""
    settings = _environment(python)
    yield from _packages_under(python.parent.parent, python)
    if settings is not None and re.search(r"^include-system-site-packages\s*=\s*true", settings, re.M | re.I):
        base = files.resolved(python)
        yield from _packages_under(base.parent.parent, base)
        yield from _packages_under(base.parent.parent / "local", base)


def _packages_under(prefix: Path, python: Path) -> Iterator[Path]:
    named = files.resolved(python).name.removesuffix(".exe")
    for name in FOLDERS:
        found = sorted(prefix.glob(f"lib/python3*/{name}")) + sorted(prefix.glob(f"Lib/{name}"))
        mine = [folder for folder in found if folder.parent.name in (named, "python3", "Lib")]
        for folder in mine or (found if len(found) == 1 else []):
            yield folder
            yield from _added_to(folder)


def _added_to(packages: Path) -> Iterator[Path]:
    """The folders that its `.pth` files name; code in them is not run."""
    for file in sorted(packages.glob("*.pth")):
        for line in files.read_bytes(file).decode(errors="replace").splitlines():
            if line.strip() and not line.startswith(("import ", "import\t", "#")):
                yield packages / line.strip()


def _python_version(python: Path, folders: tuple[Path, ...]) -> str | None:
    for folder in folders:
        match = re.fullmatch(r"python(\d+\.\d+)t?", folder.parent.name)
        if match:
            return match[1]
    match = _VERSION.search(_environment(python) or "")
    return match[1] if match else None


def _environment(python: Path) -> str | None:
    """The settings of the virtual environment that the interpreter belongs to."""
    for place in (python.parent.parent / "pyvenv.cfg", python.parent / "pyvenv.cfg"):
        if place.is_file():
            return files.read_bytes(place).decode(errors="replace")
    return None
