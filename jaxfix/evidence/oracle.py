"""The oracle: the untouched program in an environment with the old jax, beside the fixed one with today's."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from jaxfix.evidence.arrays import Array, arrays, difference, is_rounded
from jaxfix.evidence.shadow import SKIPPED, copy_tree
from jaxfix.evidence.target import command_words, runnable, with_interpreter
from jaxfix.report.oracle import Answer, Oracle
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

COPIED_BYTES = 1 << 30
"""Of a larger file there is but a link in the copy of a project."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
_WORDS = 300
_OF_JAX = "no fix is the cause: with the old jax the fixed program is bitwise equal to the untouched one"


@frozen
class Ran:
    """What a run has come to; `files` are those that it wrote or changed, by their place in the project."""

    failure: str | None
    stdout: str
    files: Mapping[str, bytes]


@frozen
class Side:
    """One run: by which interpreter, with which sources in place of those on the disk.

    Attributes:
      roots: folders of the project that hold packages which the program may import.
      for_both: makes the sources of this side as they are spelled for the other one too; None where that is unknown.
    """

    python: str
    changed: Mapping[Path, bytes]
    roots: tuple[Path, ...] = ()
    for_both: Callable[[], Mapping[Path, bytes]] | None = None


def ask(root: Path, command: str, period: Side, today: Side, timeout_s: float, alike: Mapping[str, str]) -> Oracle:
    """Runs both sides in copies of the project, and compares what they print and write.

    Where they differ, what is fixed for both versions runs with both: if it does what the old one did with the old
    version, and what the new one does with the new version, the fixes are not the cause.

    Args:
      alike: variables that are set for both, as switches whose defaults have changed.

    Raises:
      EvidenceError: the command cannot be read, or its interpreter not started.
    """
    old = run(root, command, period, timeout_s, alike)
    new = run(root, command, today, timeout_s, alike)
    found = compared(old, new)
    if found.answer is not Answer.DIFFERENT or today.for_both is None:
        return found
    both = today.for_both()
    then = run(root, command, replace(today, python=period.python, changed=both), timeout_s, alike)
    if compared(old, then).answer is not Answer.BITWISE:
        return found
    now = run(root, command, replace(today, changed=both), timeout_s, alike) if both != today.changed else new
    is_of_jax = compared(new, now).answer is Answer.BITWISE
    return replace(found, reason=f"{found.reason}; {_OF_JAX}") if is_of_jax else found


def run(root: Path, command: str, side: Side, timeout_s: float, alike: Mapping[str, str]) -> Ran:
    """One run in a copy of the project.

    Raises:
      EvidenceError: the command cannot be read, or its interpreter not started.
    """
    variables, words = command_words(command)
    words = with_interpreter(runnable(words, root), root, side.python)
    folder = Path(tempfile.mkdtemp(prefix="jaxfix-oracle-"))
    try:
        copy = folder / root.name
        copy_tree(root, copy, dict(side.changed))
        _own(copy, root)
        environment = os.environ | _paths(root, copy, side) | dict(alike) | variables
        before = _files(copy)
        done = subprocess.run(
            words, cwd=copy, env=environment, capture_output=True, text=True, errors="replace", timeout=timeout_s
        )
        written = {
            name: (copy / name).read_bytes() for name, state in _files(copy).items() if before.get(name) != state
        }
        return Ran(_failure(done), done.stdout.replace(str(copy), str(root)), written)
    except subprocess.TimeoutExpired:
        return Ran(f"it did not end within {timeout_s:g} s", "", {})
    except OSError as error:
        raise EvidenceError(f"`{words[0]}` does not run: {(error.strerror or str(error)).lower()}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compared(old: Ran, new: Ran) -> Oracle:
    """The answer of two runs."""
    for when, each in (("with the old jax", old), ("today", new)):
        if each.failure is not None:
            return Oracle(Answer.FAILED, f"it fails {when}: {each.failure}")
    if old.files.keys() != new.files.keys():
        return Oracle(Answer.DIFFERENT, f"only one of them writes `{min(old.files.keys() ^ new.files.keys())}`")
    lines, number = len(new.stdout.splitlines()), len(old.files)
    if not lines and not number:
        return Oracle(Answer.FAILED, "neither run prints or writes anything: there is nothing to compare")
    found = {"standard output": distance(old.stdout, new.stdout)}
    found |= {f"`{name}`": _content_distance(name, one, new.files[name]) for name, one in old.files.items()}
    for name, apart in found.items():
        if isinstance(apart, str):
            return Oracle(Answer.DIFFERENT, f"{name}: {apart}")
    what = f"{lines} printed {'line' if lines == 1 else 'lines'}"
    what += f" and {number} written {'file' if number == 1 else 'files'}" if number else ""
    largest = max(apart for apart in found.values() if not isinstance(apart, str))
    if largest:
        return Oracle(Answer.ROUNDED, f"{what}, numbers at most {largest:.1e} apart")
    return Oracle(Answer.BITWISE, what)


def _content_distance(name: str, one: bytes, other: bytes) -> float | str:
    """As `distance`, of the contents of a file: arrays by value, text by its numbers, all else by its bytes."""
    if one == other:
        return 0.0
    olds, news = arrays(name, one), arrays(name, other)
    if olds is not None and news is not None:
        return _array_distance(olds, news)
    try:
        return distance(one.decode(), other.decode())
    except UnicodeDecodeError:
        return "other bytes, in a file that is neither text nor an array"


def _array_distance(olds: Mapping[str, Array], news: Mapping[str, Array]) -> float | str:
    if olds.keys() != news.keys():
        return f"only one of them holds `{min(olds.keys() ^ news.keys())}`"
    largest = 0.0
    for name, old in olds.items():
        found = difference(old, news[name])
        if isinstance(found, str):
            return f"`{name}`: {found}" if len(olds) > 1 else found
        largest = max(largest, found)
    return largest


def distance(one: str, other: str) -> float | str:
    """How far apart the numbers of two texts are at most; where they differ in words if that is not a rounding."""
    olds, news = one.splitlines(), other.splitlines()
    if len(olds) != len(news):
        return f"{len(olds)} lines became {len(news)}"
    largest = 0.0
    for number, (old, new) in enumerate(zip(olds, news, strict=True), 1):
        if old == new:
            continue
        found = _line_distance(old, new)
        if found is None:
            return f"line {number}: `{old[:_WORDS]}` became `{new[:_WORDS]}`"
        largest = max(largest, found)
    return largest


def _line_distance(old: str, new: str) -> float | None:
    """None where the lines differ in more than rounding; integers are exact, and stay integers."""
    if _NUMBER.sub("0", old).split() != _NUMBER.sub("0", new).split():
        return None
    largest = 0.0
    for one, other in zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True):
        if one == other:
            continue
        wholes = {not set(".eE") & set(number) for number in (one, other)}
        is_cast = len(wholes) == 2 and float(one) == float(other)  # `3.` became `3`: another dtype
        if wholes == {True} or is_cast or not is_rounded(float(one), float(other)):
            return None
        largest = max(largest, abs(float(one) - float(other)))
    return largest


def _own(copy: Path, root: Path) -> None:
    """Makes copies of the large files that were linked, so that a program which writes to one changes no original."""
    for folder, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for path in (Path(folder, name) for name in names):
            original = root / path.relative_to(copy)
            if path.is_symlink() and not original.is_symlink() and original.stat().st_size <= COPIED_BYTES:
                path.unlink()
                shutil.copy2(original, path)


def _paths(root: Path, copy: Path, side: Side) -> dict[str, str]:
    """The search path by which the program finds the packages of the copy, not those that are installed."""
    places = [str(copy / place.relative_to(root)) for place in side.roots]
    around = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([*places, *([around] if around else [])])} if places else {}


def _files(root: Path) -> dict[str, bytes]:
    """A digest of each file below."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for path in (Path(folder, name) for name in names):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as source:
                    found[path.relative_to(root).as_posix()] = hashlib.file_digest(source, "sha256").digest()
    return found


def _failure(done: subprocess.CompletedProcess[str]) -> str | None:
    if done.returncode == 0:
        return None
    last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
    return f"exit status {done.returncode}: {last[:_WORDS]}"
