"""Refuses to write over what version control could not bring back. A stranger's repository starts no program here."""

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import WriteError

_STATES = {"?": "untracked", "!": "ignored", "D": "deleted", "U": "in conflict", "A": "staged"}
_ONE_COMMAND = 8_000
"""Characters of names for one command line: Windows takes 32,767 in all."""


def refuse_unsaved(paths: Sequence[Path], *, allow_dirty: bool, allow_no_vcs: bool) -> None:
    """Returns if every one of `paths` is as it was committed.

    Raises:
      WriteError: one has changes that are not committed, or no git repository holds it, and that is not allowed.
    """
    if allow_dirty and allow_no_vcs:
        return
    real = [Path(os.path.realpath(path)) for path in paths]
    folders = {folder: _toplevel(folder) for folder in {path.parent for path in real}}
    tops = {path: folders[path.parent] for path in real}
    outside = [path for path in real if tops[path] is None]
    if outside and not (allow_no_vcs or allow_dirty):
        raise WriteError(
            f"no git repository holds {_listed(files.shown(path) for path in outside)}, so nothing could be "
            "compared or restored",
            hint="pass `--allow-no-vcs` to write anyway",
        )
    if allow_dirty:
        return
    unsaved: list[str] = []
    for top in sorted({top for top in tops.values() if top is not None}):
        unsaved += _unsaved(top, [path for path in real if tops[path] == top])
    if unsaved:
        raise WriteError(
            f"uncommitted changes would be overwritten: {_listed(unsaved)}",
            hint="commit or stash them, or pass `--allow-dirty`",
        )


def holds(path: Path) -> bool:
    """Whether a git repository holds the file, so that it can be compared and restored."""
    return _toplevel(Path(os.path.realpath(path)).parent) is not None


def _toplevel(folder: Path) -> Path | None:
    """The root of the git work tree that `folder` is in; None outside, or without git."""
    try:
        out = _git(folder, "rev-parse", "--show-toplevel")
    except FileNotFoundError:
        return None
    return Path(out.removesuffix("\n")) if out is not None else None


def _unsaved(top: Path, paths: list[Path]) -> list[str]:
    states: dict[str, str] = {}
    for names in _batches([Path(os.path.relpath(path, top)).as_posix() for path in paths]):
        states |= _states(top, names)
    return [f"{files.shown(top / name)} ({_STATES.get(state, 'modified')})" for name, state in sorted(states.items())]


def _states(top: Path, names: list[str]) -> dict[str, str]:
    """The letter of git for each that is not as it was committed."""
    status = _git(top, "--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames", "-uall", "--", *names)
    tracked = _git(top, "--literal-pathspecs", "ls-files", "-z", "--", *names)
    if status is None or tracked is None:
        raise WriteError(f"`git status` fails in {files.shown(top)}", hint="pass `--allow-dirty` to write anyway")
    states = {entry[3:]: entry[:2].strip()[-1:] for entry in status.split("\0") if entry}
    known = set(tracked.split("\0"))
    return states | {name: "!" for name in names if name not in states and name not in known}


def _batches(names: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for name in names:
        if batch and length + len(name) > _ONE_COMMAND:
            yield batch
            batch, length = [], 0
        batch.append(name)
        length += len(name) + 3
    if batch:
        yield batch


def _git(folder: Path, *arguments: str) -> str | None:
    # `core.fsmonitor` names a program that `git status` would start
    done = subprocess.run(["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments], capture_output=True)
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
