"""Finds the Python files and the notebooks of a folder, without those that the project ignores."""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jaxfix.drivers import files
from jaxfix.drivers.files import reason, resolved, shown
from jaxfix.source.errors import ConfigError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import NOTEBOOK

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED_FOLDERS = frozenset(
    {
        *(".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".jaxfix", ".mypy_cache", ".nox", ".pixi"),
        *(".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "build", "dist", "node_modules"),
        *(".virtual_documents", "site-packages", "venv"),  # the first is where jupyterlab-lsp keeps text named .ipynb
    }
)
_LOCK = ".#"
"""Emacs' lock files: dangling links named after edited files."""


@frozen
class Found:
    """What a walk came upon; `errors` are sentences that name their path."""

    files: tuple[Path, ...]
    errors: tuple[str, ...]


class Allowance:
    """How many entries of folders may still be analysed: those that are `left`."""

    def __init__(self, left: int) -> None:
        self.left = left


def some(folder: Path, allowance: Allowance) -> Iterator[Path]:
    """As the files of `walk`, without errors, as far as the allowance goes."""
    start = folder.absolute()
    above = _ignores_above(start)
    if _ignored(start, "/", above):
        above = []
    yield from _walk(start, above, [], allowance)


def walk(folder: Path) -> Found:
    """The Python files and notebooks under `folder`, sorted by their paths, each once; `.gitignore` is respected."""
    errors: list[str] = []
    start = folder.absolute()
    above = _ignores_above(start)
    if _ignored(start, "/", above):
        above = []  # who names an ignored folder means what is in it
    found = tuple(sorted(_walk(start, above, errors)))
    return Found(once(found), tuple(errors))


def excluded(path: Path, base: Path, patterns: Sequence[str]) -> bool:
    """Whether `patterns`, as in a `.gitignore` of the folder `base`, ignore the file.

    Raises:
      ConfigError: one of them is not a pattern.
    """
    if not patterns or base not in resolved(path).parents:
        return False
    spec, wrong = _exclusion(tuple(patterns))
    if wrong is not None:
        place = shown(base / "pyproject.toml")
        raise ConfigError(f"{place}: `[tool.jaxfix]` `extend-exclude`: `{wrong}` is not a pattern")
    return spec.match_file(resolved(path).relative_to(base).as_posix())


@cache
def _exclusion(patterns: tuple[str, ...]) -> tuple["GitIgnoreSpec", str | None]:
    """What the patterns ignore, and the first of them that is none."""
    return _spec(patterns), next((pattern for pattern in patterns if not _is_pattern(pattern)), None)


def once(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Each file once, in the same order: of a file and the links to it, the file."""
    if not any(map(os.path.islink, paths)):
        return tuple(dict.fromkeys(paths))
    real = {os.path.realpath(path) for path in paths if not path.is_symlink()}
    seen: set[str] = set()
    kept: list[Path] = []
    for path in paths:
        target = os.path.realpath(path)
        if target in seen or (path.is_symlink() and target in real):
            continue
        seen.add(target)
        kept.append(path)
    return tuple(kept)


def _spec(patterns: Sequence[str]) -> "GitIgnoreSpec":
    """The files that the patterns ignore; an invalid pattern ignores nothing, as in git."""
    from pathspec import GitIgnoreSpec  # takes long to load; most checks of single files need none

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(_is_pattern, patterns))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _ignores_above(folder: Path) -> list[tuple[Path, "GitIgnoreSpec"]]:
    """The ignore files of the repository that `folder` is in, outermost first, without its own."""
    top = next((above for above in (folder, *folder.parents) if os.path.exists(above / ".git")), None)
    if top is None:
        return []
    found = _ignore_file(top, top / ".git" / "info" / "exclude")
    for above in reversed(folder.parents):
        if above == top or top in above.parents:
            found += _ignore_file(above, above / ".gitignore")
    return found


def _ignore_file(base: Path, path: Path) -> list[tuple[Path, "GitIgnoreSpec"]]:
    try:
        return [(base, _spec(files.read_bytes(path).decode(errors="replace").splitlines()))]
    except SourceError:
        return []  # there is none, as in most folders


def _walk(
    folder: Path, specs: list[tuple[Path, "GitIgnoreSpec"]], errors: list[str], allowance: Allowance | None = None
) -> Iterator[Path]:
    if allowance is not None and allowance.left <= 0:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        errors.append(f"{shown(folder)}: cannot be read: {reason(error)}")
        return
    if allowance is not None:
        allowance.left -= len(entries)
        if allowance.left < 0:
            return
    specs = [*specs, *_ignore_file(folder, folder / ".gitignore")]
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED_FOLDERS and not _is_environment(path) and not _ignored(path, "/", specs):
                yield from _walk(path, specs, errors, allowance)
        elif entry.name.endswith((".py", NOTEBOOK)) and not _ignored(path, "", specs):
            if _is_file(entry):
                yield path
            elif not os.path.isdir(path) and not entry.name.startswith(_LOCK):
                errors.append(f"{shown(path)}: {_unreadable(path)}")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


def _unreadable(path: Path) -> str:
    """Why what is called like a source cannot be read as one."""
    try:
        path.stat()
    except FileNotFoundError:
        return "is a link to nothing"
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    return "is not a regular file"


def _is_environment(folder: Path) -> bool:
    return os.path.exists(folder / "pyvenv.cfg")  # where `Path.exists` raises, it is none


def _ignored(path: Path, suffix: str, specs: list[tuple[Path, "GitIgnoreSpec"]]) -> bool:
    """Whether the last pattern that speaks of `path` ignores it; `suffix` is `/` for a folder."""
    for base, spec in reversed(specs):
        if base not in path.parents:
            continue
        verdict = spec.check_file(path.relative_to(base).as_posix() + suffix).include
        if verdict is not None:
            return verdict
    return False
