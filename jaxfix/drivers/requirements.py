"""What a project requires beside jax, by the file that says so; else by what its sources import."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from jaxfix.drivers.pins import CONDA, LOCKS, PIPFILE, Kind, included, text_of
from jaxfix.library.changes.periods import DISTRIBUTIONS

_OF_BLACK = 88
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LEFT_OUT = re.compile(r"(jax|jaxlib|jaxfix|libtpu|nvidia|jax[-_]cuda|jax[-_]rocm)\b|.*@", re.IGNORECASE)
_QUOTED = re.compile(r"""["']([A-Za-z][\w.-]*(?:\[[\w,-]*\])?\s*(?:[=<>~!]=|[<>])[^"']*)["']""")
_IMPORTS = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def required(root: Path, sources: Iterable[bytes]) -> tuple[str, ...]:
    """The requirements, as pip reads them, without jax, the project itself and what is on no registry."""
    every = (root / name for name in ("requirements.txt", "pyproject.toml", "setup.cfg"))
    found = next((found for file in every if file.is_file() and (found := declared(file))), None)
    if found is None:
        imported = {name.decode() for text in sources for name in _IMPORTS.findall(text)}
        return tuple(sorted({DISTRIBUTIONS[name] for name in imported if name in DISTRIBUTIONS}))
    own = root.name.replace("_", "-").lower()
    kept = (each for each in found if _NAME.match(each) and not _LEFT_OUT.match(each))
    return tuple(sorted({each for each in kept if named(each) != own}))


def declared(file: Path) -> tuple[str, ...]:
    """The requirements that a file of a project lists, as pip reads them; empty where it cannot be read."""
    kind = next((kind for kind in KINDS if kind.named.fullmatch(file.name)), PIP)  # of a folder, or included
    text = text_of(file)
    others = included(file, text) if kind is PIP else ()
    return tuple(each for said in (text, *map(text_of, others)) for each in kind.reads(said))


def _listed(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield line.partition(" #")[0].partition(" --")[0].strip()


def _of_pyproject(text: str) -> Iterator[str]:
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = _table(read, "project").get("dependencies", [])
    yield from (each for each in found if isinstance(each, str))
    for name, wanted in _table(read, "tool", "poetry", "dependencies").items():
        version = wanted.get("version") if isinstance(wanted, dict) else wanted
        if isinstance(version, str):
            yield f"{name}{version if not version[:1].isdigit() else f'=={version}'}"


def line_length(text: str) -> int | None:
    """The columns that `ruff` or `black` keeps to by a `pyproject.toml` or `ruff.toml`; None where that is not said."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    black = _table(read, "tool", "black")
    settings = (_table(read, "tool", "ruff"), black, read)
    found = (each.get("line-length", each.get("line_length")) for each in settings)
    return next((columns for columns in found if isinstance(columns, int)), _OF_BLACK if black else None)


def _table(read: object, *keys: str) -> dict[str, Any]:
    for key in keys:
        read = read.get(key) if isinstance(read, dict) else None
    return read if isinstance(read, dict) else {}


def _of_cfg(text: str) -> Iterator[str]:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except Error:
        return
    yield from (line.strip() for line in parser.get("options", "install_requires", fallback="").splitlines())


def _of_setup(text: str) -> Iterator[str]:
    """What is written as a requirement with a comparison, in whichever list."""
    yield from (found[1] for found in _QUOTED.finditer(text))


def named(requirement: str) -> str:
    """The name of the required package; empty where there is none."""
    found = _NAME.match(requirement)
    return found[0].replace("_", "-").lower() if found is not None else ""


FORMATTERS = Kind(re.compile(r"pyproject\.toml|\.?ruff\.toml"), _of_pyproject)
PYPROJECT = Kind(re.compile(r"pyproject\.toml"), _of_pyproject)
PIP = Kind(re.compile(r"requirements(?:\.txt)?|requirements[_.-][\w.-]+\.txt|[\w.-]+[_-]requirements\.txt"), _listed)
KINDS = (
    PYPROJECT,
    Kind(re.compile(r"setup\.cfg"), _of_cfg),
    Kind(re.compile(r"setup\.py"), _of_setup),
    *(PIP, CONDA, PIPFILE),
    *LOCKS,
)
"""Where the versions of a project are stated, the first for each package; the versions of the last run come last."""
