"""What the files of conda, of pip and of lock files say of versions, as requirements that pip would read."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jaxfix.drivers import files
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen

_ITEM = re.compile(r"^\s*-\s+[\"']?(?:[\w.-]+::)?([A-Za-z][^\"'#\n]*)", re.MULTILINE)
_CONDA = re.compile(r"([A-Za-z][\w.-]*)(\[[\w,-]*\])?\s*(.*)")
_LOCKED_BY_CONDA = re.compile(r"^-? *name: *[\"']?([\w.-]+)[\"']?\s*\n\s+version: *[\"']?([\w.]+)", re.MULTILINE)
_INCLUDED = re.compile(r"^\s*(?:-r|--requirement|-c|--constraint)[ =]\s*(\S+)", re.MULTILINE)
_MOST_INCLUDED = 20


@frozen
class Kind:
    """Files that state the versions of a project.

    Attributes:
      named: what their names look like; those of a folder are read together.
      reads: their requirements, of the text of one.
      is_lock: whether they say what it was run with, so that a file which sets no bound leaves that to them.
    """

    named: re.Pattern[str]
    reads: Callable[[str], Iterator[str]]
    is_lock: bool = False


def listed(folder: Path) -> list[str]:
    """The names in a folder, in order; none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def nearest(folder: Path, kind: Kind) -> list[Path]:
    """The files of the kind in the nearest folder, from `folder` upwards, that has one; of a folder so named, all."""
    for place in (folder, *folder.parents):
        found = [path for name in listed(place) if kind.named.fullmatch(name) for path in _files(place / name)]
        if found:
            return found
    return []


def included(file: Path, text: str) -> Iterator[Path]:
    """The files that one of pip's takes in, itself not among them, as far as they can be read."""
    waiting, met = [(file, text)], {file}
    while waiting and len(met) < _MOST_INCLUDED:
        place, said = waiting.pop()
        for name in _INCLUDED.findall(said):
            path = files.resolved(place.parent / name)
            if path not in met and path.is_file():
                met.add(path)
                yield path
                waiting.append((path, text_of(path)))


def text_of(file: Path) -> str:
    """What the file holds; nothing where it cannot be read."""
    try:
        return files.read_bytes(file).decode(errors="replace")
    except SourceError:
        return ""


def _of_conda(text: str) -> Iterator[str]:
    """`- jax=0.4.13=py310`, `- conda-forge::jax >=0.4`, and what is listed below `pip:`."""
    for item in _ITEM.findall(text):
        found = _CONDA.fullmatch(item.partition(";")[0].strip())
        if found is not None and not found[3].startswith(":"):
            yield f"{found[1]}{found[2] or ''}{_as_pip(found[3])}"


def _as_pip(wanted: str) -> str:
    """`=0.4` of conda, which is any 0.4, as `==0.4.*`; `=0.4.13=build` as `==0.4.13`."""
    if re.match(r"[\w.*]", wanted):
        wanted = f"={wanted.replace(' ', '=')}"
    single = re.fullmatch(r"=([\w.*]+)(=[\w*.]+)?", wanted)
    if single is None:
        return wanted.partition(" ")[0] if wanted.startswith("==") else wanted
    return f"=={single[1]}" if single[2] or single[1].endswith("*") else f"=={single[1]}.*"


def _of_conda_lock(text: str) -> Iterator[str]:
    yield from (f"{name}=={version}" for name, version in _LOCKED_BY_CONDA.findall(text))


def _of_lock(text: str) -> Iterator[str]:
    """The packages of `uv.lock`, `poetry.lock`, `pdm.lock` and `pylock.toml`."""
    read = _toml(text)
    for package in (*_entries(read.get("package")), *_entries(read.get("packages"))):
        name, version = package.get("name"), package.get("version")
        if isinstance(name, str) and isinstance(version, str):
            yield f"{name}=={version}"


def _of_pipfile(text: str) -> Iterator[str]:
    yield from _pipenv(_toml(text), "packages", "dev-packages")


def _of_pipfile_lock(text: str) -> Iterator[str]:
    try:
        read = json.loads(text)
    except ValueError:
        return
    yield from _pipenv(read if isinstance(read, dict) else {}, "default", "develop")


def _pipenv(read: dict[str, Any], *tables: str) -> Iterator[str]:
    for table in tables:
        wanted = read.get(table)
        for name, entry in wanted.items() if isinstance(wanted, dict) else ():
            version = entry.get("version", "") if isinstance(entry, dict) else entry
            if isinstance(version, str):
                yield f"{name}{'' if version == '*' else version}"


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _entries(found: object) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return [place / name for name in listed(place) if name.endswith((".txt", ".in"))]
    return [place]


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CONDA = Kind(_named(r"(?:[\w.-]*[_.-])?(?:environment|env|conda(?!-lock))(?:[_.-][\w.-]*)?\.ya?ml"), _of_conda)
PIPFILE = Kind(_named(r"pipfile"), _of_pipfile)
LOCKS = (
    Kind(_named(r"(?:uv|poetry|pdm)\.lock|pylock(?:\.[\w-]+)?\.toml"), _of_lock, is_lock=True),
    Kind(_named(r"pipfile\.lock"), _of_pipfile_lock, is_lock=True),
    Kind(_named(r"(?:[\w.-]*[_.-])?conda-lock\.ya?ml"), _of_conda_lock, is_lock=True),
)
