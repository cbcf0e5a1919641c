"""Whether code is made to be called by others: a package of a project that is built and installed."""

from pathlib import Path

from jaxfix.drivers import files

_BUILT_BY = ("setup.py", "setup.cfg")
_BUILD = b"[build-system]"


def is_distributed(path: Path) -> bool:
    """Whether the file is in a package below a project that says how it is built; its callers may be elsewhere."""
    top = path.parent
    while (top / "__init__.py").is_file() and top.parent != top:
        top = top.parent
    return top != path.parent and any(map(_is_built, (top, top.parent)))  # flat, or below `src`


def _is_built(folder: Path) -> bool:
    if any((folder / name).is_file() for name in _BUILT_BY):
        return True
    project = folder / "pyproject.toml"
    return project.is_file() and _BUILD in files.read_bytes(project)
