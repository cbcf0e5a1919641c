"""What a program has set for its whole process: environment, folder, paths, levels, settings of libraries."""

import logging
import os
import sys
from collections.abc import Iterator
from typing import Any

_PLAIN = (bool, int, float, str, type(None))


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""


_AT_START, _PATH_AT_START, _FOLDER_AT_START = dict(os.environ), list(sys.path), _folder()
_OF_JAX_AT_START: dict[str, Any] = {}


def jax_arrived() -> None:
    """Notes what jax is set to as it is imported: folders of a run's own among it."""
    _OF_JAX_AT_START.update(_of_jax())


def settings() -> Iterator[tuple[str, Any]]:
    """Each with what it is, by a label."""
    yield "the environment", {name: value for name, value in os.environ.items() if _AT_START.get(name) != value}
    yield "the environment without", sorted(_AT_START.keys() - os.environ.keys())
    yield "the folder", _from_start(_folder())
    yield "`sys.path`", [_from_start(path) for path in sys.path if path not in _PATH_AT_START]
    yield "levels of loggers", dict(_levels())
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        yield "how NumPy prints", {name: repr(value) for name, value in numpy.get_printoptions().items()}
    changed = {name: value for name, value in _of_jax().items() if _OF_JAX_AT_START.get(name) != value}
    yield "settings of jax", changed


def _of_jax() -> dict[str, Any]:
    values = getattr(getattr(sys.modules.get("jax"), "config", None), "values", None)
    if not isinstance(values, dict):
        return {}
    return {name: value for name, value in values.items() if isinstance(value, _PLAIN)}


def _from_start(path: str) -> str:
    """As seen from where the process began: each run has a place of its own."""
    try:
        return os.path.relpath(path, _FOLDER_AT_START) if os.path.isabs(path) else path
    except (TypeError, ValueError):  # no path, or on another drive
        return path


def _levels() -> Iterator[tuple[str, str]]:
    known = [(name, found) for name, found in sorted(logging.root.manager.loggerDict.items())]
    for name, logger in (("root", logging.root), *known):
        if isinstance(logger, logging.Logger) and (logger.level or logger.disabled):
            yield name, f"{logger.level}{' disabled' if logger.disabled else ''}"
