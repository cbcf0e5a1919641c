"""Refuses to write over what version control could not bring back."""

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from jaxfix.core.errors import WriteError
from jaxfix.drivers import files

_STATES = {"?": "untracked", "!": "ignored", "D": "deleted", "U": "in conflict", "A": "staged"}


def refuse_unsaved(paths: Sequence[Path], *, allow_dirty: bool, allow_no_vcs: bool) -> None:
    """Returns if every one of `paths` is as it was committed.

    Raises:
      WriteError: one has changes that are not committed, or no git repository holds it, and that is not allowed.
    """
    if allow_dirty and allow_no_vcs:
        return
    real = [Path(os.path.realpath(path)) for path in paths]
    tops = {path: _toplevel(path.parent) for path in real}
    outside = [path for path in real if tops[path] is None]
    if outside and not (allow_no_vcs or allow_dirty):
        raise WriteError(
            f"no git repository holds {_listed(files.shown(path) for path in outside)}, so nothing could be "
            "compared or restored",
            hint="pass `--allow-no-vcs` to write all the same",
        )
    if allow_dirty:
        return
    unsaved: list[str] = []
    for top in sorted({top for top in tops.values() if top is not None}):
        unsaved += _unsaved(top, [path for path in real if tops[path] == top])
    if unsaved:
        raise WriteError(
            f"changes that are not committed would be written over: {_listed(unsaved)}",
            hint="commit or stash them, or pass `--allow-dirty`",
        )


def _toplevel(folder: Path) -> Path | None:
    """The root of the git work tree that `folder` is in; None outside, or without git."""
    try:
        out = _git(folder, "rev-parse", "--show-toplevel")
    except FileNotFoundError:
        return None
    return Path(out.removesuffix("\n")) if out is not None else None


def _unsaved(top: Path, paths: list[Path]) -> list[str]:
    names = [os.path.relpath(path, top) for path in paths]
    status = _git(top, "--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames", "-uall", "--", *names)
    tracked = _git(top, "--literal-pathspecs", "ls-files", "-z", "--", *names)
    if status is None or tracked is None:
        raise WriteError(f"`git status` fails in {files.shown(top)}", hint="pass `--allow-dirty` to write all the same")
    states = {entry[3:]: entry[:2].strip()[-1:] for entry in status.split("\0") if entry}
    states |= {name: "!" for name in names if name not in states and name not in tracked.split("\0")}
    return [f"{files.shown(top / name)} ({_STATES.get(state, 'modified')})" for name, state in sorted(states.items())]


def _git(folder: Path, *arguments: str) -> str | None:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True)
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
