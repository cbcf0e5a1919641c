"""Where files are, and how one is written."""

import functools
import json
import os
import re
import sysconfig


def write_json(path: str, record: object) -> None:
    """Writes the file whole, or not at all."""
    scratch = f"{path}.{os.getpid()}.part"
    with open(scratch, "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(scratch, path)


def add_line(path: str, record: object) -> None:
    """Adds one line of JSON, which is on its way to the disk when this returns."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


@functools.cache
def real(path: str) -> str:
    return os.path.realpath(path)


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def moved(path: str, old: str, new: str) -> str:
    """`path` with the folder `old`, if it lies there, replaced by `new`."""
    return new + path[len(old) :] if is_inside(path, old) else path


def cell_name(notebook: str, number: int) -> str:
    """How the code of a cell of a notebook names its file; cells of code count from 1."""
    return f"{notebook}:cell {number}"


def cell_of(file: str) -> tuple[str, int | None]:
    """The notebook and the number of the cell that `cell_name` made `file` of; any other file and None."""
    found = _CELL.match(file)
    return (found[1], int(found[2])) if found else (file, None)


def is_user(file: str, folders: list[str]) -> bool:
    """Whether a frame of `file` is the user's: neither ours nor installed, unless `folders` hold it."""
    return _is_user(file, tuple(folders))


@functools.lru_cache(maxsize=1 << 14)
def _is_user(file: str, folders: tuple[str, ...]) -> bool:
    if file.startswith("<") or real(os.path.dirname(file)) in _OURS:
        return False
    if any(is_inside(file, folder) and not _PACKAGES.search(file[len(folder) :]) for folder in folders):
        return True  # but not the environment that lies in a project
    return not _is_installed(file)


@functools.lru_cache(maxsize=1 << 14)
def is_foreign(file: str) -> bool:
    """Of a library that is neither jax nor Python."""
    return bool(_PACKAGES.search(file)) and not _JAX.search(file)


def is_jax(file: str) -> bool:
    """Of an installed jax."""
    return bool(_PACKAGES.search(file)) and bool(_JAX.search(file))


@functools.cache
def _is_installed(file: str) -> bool:
    return bool(_PACKAGES.search(file)) or any(is_inside(real(file), folder) for folder in _LIBRARY)


_CELL = re.compile(r"(.+\.ipynb):cell (\d+)$")
_HERE = real(os.path.dirname(__file__))
_OURS = (_HERE, os.path.dirname(_HERE))
_LIBRARY = tuple({real(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
_PACKAGES = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_JAX = re.compile(r"[\\/](?:jax|jaxlib)[\\/]")
