"""The folder that a server works below: what a client names has to be in it."""

from collections.abc import Iterable
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import ConfigError


def paths(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """The files and folders that are named, from `folder`, as words of a command line.

    Raises:
      ConfigError: one of them is not there, or outside.
    """
    return tuple(path(folder, name) for name in names)


def path(folder: Path, name: str) -> str:
    """As `paths`, of one."""
    real = _inside(folder, name)
    if not real.exists():
        raise ConfigError(f"{name or '``'}: no such file or folder below {folder}")
    return _word(real.relative_to(folder))


def new_file(folder: Path, name: str) -> str:
    """A file that is to be written.

    Raises:
      ConfigError: it is outside, or there already, or has no folder to be in.
    """
    real = _inside(folder, name)
    if real.exists() or files.resolved(folder) == real:
        raise ConfigError(f"{name or '``'}: exists already", hint="name a new file")
    if not real.parent.is_dir():
        raise ConfigError(f"{name}: its folder is not there")
    return _word(real.relative_to(folder))


def _inside(folder: Path, name: str) -> Path:
    try:
        real = files.resolved(folder / name)
        real.exists()
    except (ValueError, OSError) as error:  # such as a null byte, or a name that is too long
        raise ConfigError(f"{name!r}: no file can have this name") from error
    if not real.is_relative_to(folder):
        raise ConfigError(f"{name}: outside of {folder}, below which this server works")
    return real


def _word(relative: Path) -> str:
    name = relative.as_posix()
    return f"./{name}" if name.startswith("-") else name
