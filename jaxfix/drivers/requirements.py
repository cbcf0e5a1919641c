"""What a project requires beside jax, by the file that says so; else by what its sources import."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from configparser import ConfigParser, Error
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.library.changes.periods import DISTRIBUTIONS

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LEFT_OUT = re.compile(r"(jax|jaxlib|jaxfix|libtpu|nvidia|jax[-_]cuda|jax[-_]rocm)\b|.*@", re.IGNORECASE)
_IMPORTS = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def required(root: Path, sources: Iterable[bytes]) -> tuple[str, ...]:
    """The requirements, as pip reads them, without jax, the project itself and what is on no registry."""
    declared = next((found for read in (_listed, _of_pyproject, _of_setup) if (found := [*read(root)])), None)
    if declared is None:
        imported = {name.decode() for text in sources for name in _IMPORTS.findall(text)}
        return tuple(sorted({DISTRIBUTIONS[name] for name in imported if name in DISTRIBUTIONS}))
    own = root.name.replace("_", "-").lower()
    kept = (each for each in declared if _NAME.match(each) and not _LEFT_OUT.match(each))
    return tuple(sorted({each for each in kept if _named(each) != own}))


def _listed(root: Path) -> Iterator[str]:
    path = root / "requirements.txt"
    if path.is_file():
        for line in files.read_bytes(path).decode(errors="replace").splitlines():
            yield line.partition(" #")[0].partition(" --")[0].strip()


def _of_pyproject(root: Path) -> Iterator[str]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return
    try:
        project = tomllib.loads(files.read_bytes(path).decode()).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return
    found = project.get("dependencies", []) if isinstance(project, dict) else []
    yield from (each for each in found if isinstance(each, str))


def _of_setup(root: Path) -> Iterator[str]:
    path = root / "setup.cfg"
    if not path.is_file():
        return
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(files.read_bytes(path).decode(errors="replace"))
    except Error:
        return
    yield from (line.strip() for line in parser.get("options", "install_requires", fallback="").splitlines())


def _named(requirement: str) -> str:
    found = _NAME.match(requirement)
    return found[0].replace("_", "-").lower() if found is not None else ""
