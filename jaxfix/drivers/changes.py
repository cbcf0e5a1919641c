"""Reads a change that others have made: a diff, or what git says that differs. The working tree is only read."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.evidence import shadow
from jaxfix.source.errors import ConfigError, UserError
from jaxfix.source.frozen import frozen

STDIN = "-"
_FAILED = re.compile(r"patch failed: (?P<path>.+):(?P<line>\d+)$", re.MULTILINE)
_LINK, _SUBMODULE = "120000", "160000"
_NONE = "No valid patches"
_NO_GIT = "git is not installed: it applies diffs and knows the committed files"

Texts = Mapping[Path, bytes | None]
"""Contents by absolute path; None for a file that is not there."""


@frozen
class Change:
    """Both sides of a change, of the files in which they differ.

    Attributes:
      named: what it is, to follow `proving`.
    """

    named: str
    before: Texts
    after: Texts


def of_diff(name: str, root: Path) -> Change:
    """What a unified diff makes of the working tree; `-` is stdin.

    Raises:
      UserError: it cannot be read, it does not apply, or git is not there.
    """
    raw = sys.stdin.buffer.read() if name == STDIN else files.read_bytes(Path(name))
    told = "the diff of stdin" if name == STDIN else f"`{name}`"
    if not raw.strip():
        raise ConfigError(f"{told} is empty", hint="give what `git diff` prints")
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
        tree = Path(folder).resolve() / "tree"
        shadow.copy_tree(root, tree, {})
        _apply(raw, tree, tuple(_ways(root)), told)
        changed = sorted(_changed(root, tree))
        return Change(
            told,
            {root / path: _content(root / path) for path in changed},
            {root / path: _content(tree / path) for path in changed},
        )


def of_revision(revision: str, root: Path) -> Change:
    """What the working tree has in place of what was committed as `revision`; untracked files are on both sides.

    Raises:
      UserError: there is no such commit, no repository, or no git; a link or a submodule has changed.
    """
    commit = _commit(root, revision)
    how = ("--raw", "-z", "--no-renames", "--no-abbrev", "--relative")
    listed = _said(root, "diff-index", *how, commit, "--").split(b"\0")
    before, after = dict[Path, bytes | None](), dict[Path, bytes | None]()
    for told, name in zip(listed[::2], listed[1::2], strict=False):
        old_mode, new_mode, old_blob, _, _ = os.fsdecode(told).removeprefix(":").split()
        path = root / os.fsdecode(name)
        if {old_mode, new_mode} & {_LINK, _SUBMODULE}:
            raise ConfigError(f"{files.shown(path)}: a changed link or submodule is not followed")
        old = None if set(old_mode) == {"0"} else _said(root, "cat-file", "blob", old_blob)
        if old != (new := _content(path)):
            before[path], after[path] = old, new
    return Change(f"the working tree against `{revision}`", before, after)


def _commit(root: Path, revision: str) -> str:
    done = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if done.returncode and _git(root, "rev-parse", "--is-inside-work-tree").returncode:
        raise ConfigError(f"{files.shown(root)} is in no git repository", hint="give the change as `--diff FILE`")
    if done.returncode:
        raise ConfigError(f"git knows no commit `{revision}` here", hint="`git log --oneline` lists them")
    return os.fsdecode(done.stdout).strip()


def _ways(root: Path) -> Iterator[tuple[str, ...]]:
    """How the paths of a diff may be meant: from the project or from here, with `a/` or without."""
    here = files.resolved(Path.cwd())
    for strip in ("-p1", "-p0"):
        yield (strip,)
        if here != root and here.is_relative_to(root):
            yield strip, f"--directory={here.relative_to(root).as_posix()}"


def _apply(raw: bytes, tree: Path, ways: Sequence[tuple[str, ...]], told: str) -> None:
    """Applies a diff in a copy of the project, in the first way in which all of it applies.

    Mail and editors turn the ends of its lines into those of Windows: it is also tried without.
    """
    said = []
    for text in dict.fromkeys((raw, raw.replace(b"\r\n", b"\n"))):
        for way in ways:
            done = _git(tree, "apply", "--whitespace=nowarn", *way, "-", given=text)
            if done.returncode == 0:
                return
            said.append(os.fsdecode(done.stderr))
    if all(_NONE in text for text in said):
        raise UserError(f"{told} holds no diff", hint="give what `git diff` prints")
    if any(_git(tree, "apply", "--reverse", "--check", *way, "-", given=raw).returncode == 0 for way in ways):
        raise UserError(f"{told} is in the working tree already", hint="`--worktree` proves what is uncommitted")
    hint = "check out the commit that it was made from"
    raise UserError(f"{told} does not apply to the working tree: {_why(said)}", hint=hint)


def _why(said: Sequence[str]) -> str:
    """The hunks that fail, where a file was found at all."""
    for text in said:
        failed = [f"the hunk at line {found['line']} of {found['path']}" for found in _FAILED.finditer(text)]
        if failed:
            return ", ".join(failed)
    lines = [line.removeprefix("error: ") for line in said[0].splitlines() if line.strip()]
    return "; ".join(lines) or "git does not say why"


def _changed(root: Path, tree: Path) -> Iterator[Path]:
    """The files, relative, that differ in the copy: a copied file keeps its time and its size."""
    found = {path.relative_to(tree) for path in _files(tree)}
    for path in found:
        if (tree / path).is_symlink() and not os.path.lexists(root / path):
            raise ConfigError(f"{path.as_posix()}: a link that a change adds is not followed")
        if not (root / path).is_file() or _is_other(root / path, tree / path):
            yield path
    for path in _files(root):
        relative = path.relative_to(root)
        if relative not in found and not shadow.SKIPPED.intersection(relative.parts):
            yield relative


def _is_other(one: Path, copy: Path) -> bool:
    if copy.is_symlink():
        return False
    old, new = one.stat(), copy.stat()
    is_untouched = (old.st_mtime_ns, old.st_size) == (new.st_mtime_ns, new.st_size)
    return not is_untouched and files.read_bytes(one) != files.read_bytes(copy)


def _files(folder: Path) -> Iterator[Path]:
    """The files and the links of a project, except what copies of it leave out or link to."""
    for place, folders, names in os.walk(folder):
        inside = [Path(place, name) for name in folders if name not in shadow.SKIPPED]
        links = [path for path in inside if path.is_symlink()]
        folders[:] = [path.name for path in inside if path not in links and not shadow.is_environment(path)]
        yield from links
        yield from (path for path in (Path(place, name) for name in names) if path.is_file() or path.is_symlink())


def _content(path: Path) -> bytes | None:
    return files.read_bytes(path) if path.is_file() else None


def _said(folder: Path, *arguments: str) -> bytes:
    done = _git(folder, *arguments)
    if done.returncode:
        why = os.fsdecode(done.stderr).strip().removeprefix("fatal: ").partition("\n")[0]
        raise ConfigError(f"git {arguments[0]} fails in {files.shown(folder)}: {why}")
    return done.stdout


def _git(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # a copy is in no repository, wherever scratch folders are; `core.fsmonitor` names a program that would be started
    is_copy = arguments[0] == "apply"
    environment = {name: value for name, value in os.environ.items() if not (is_copy and name.startswith("GIT_"))}
    environment |= {"GIT_CEILING_DIRECTORIES": str(folder.parent)} if is_copy else {}
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, input=given, capture_output=True, env=environment)
    except FileNotFoundError as error:
        raise UserError(_NO_GIT, hint="install it") from error
