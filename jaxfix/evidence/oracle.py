"""The oracle: the untouched program in an environment of its period beside the fixed one in that of today."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jaxfix.evidence.shadow import LINKED_BYTES, SKIPPED, copy_tree
from jaxfix.evidence.target import command_words, runnable, with_interpreter
from jaxfix.report.oracle import Answer, Oracle
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

RELATIVE = 1e-5
"""Of the larger one of two printed numbers: what two versions of XLA may round apart."""
ABSOLUTE = 1e-6
SWITCH = "JAX_THREEFRY_PARTITIONABLE"
"""What draws the same numbers where it is set alike; jax 0.5 has turned it on."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
_WORDS = 300


@frozen
class Ran:
    """What a run has come to; `files` are those that it wrote or changed, by their place in the project."""

    failure: str | None
    stdout: str
    files: Mapping[str, bytes]


@frozen
class Side:
    """One run: by which interpreter, with which sources in place of those on the disk."""

    python: str
    changed: Mapping[Path, bytes]


def ask(root: Path, command: str, period: Side, today: Side, timeout_s: float, *, draws_alike: bool) -> Oracle:
    """Runs both sides in copies of the project, and compares what they print and write.

    Args:
      draws_alike: whether the generator of random numbers is set for both as it was before jax 0.5.

    Raises:
      EvidenceError: the command cannot be read, or its interpreter not started.
    """
    old = run(root, command, period, timeout_s, draws_alike=draws_alike)
    new = run(root, command, today, timeout_s, draws_alike=draws_alike)
    return compared(old, new)


def run(root: Path, command: str, side: Side, timeout_s: float, *, draws_alike: bool) -> Ran:
    """One run in a copy of the project.

    Raises:
      EvidenceError: the command cannot be read, or its interpreter not started.
    """
    variables, words = command_words(command)
    words = with_interpreter(runnable(words, root), root, side.python)
    environment = os.environ | ({SWITCH: "0"} if draws_alike else {}) | variables
    folder = Path(tempfile.mkdtemp(prefix="jaxfix-oracle-"))
    try:
        copy = folder / root.name
        copy_tree(root, copy, dict(side.changed))
        before = _files(copy)
        done = subprocess.run(
            words, cwd=copy, env=environment, capture_output=True, text=True, errors="replace", timeout=timeout_s
        )
        written = {name: text for name, text in _files(copy).items() if before.get(name) != text}
        return Ran(_failure(done), done.stdout.replace(str(copy), str(root)), written)
    except subprocess.TimeoutExpired:
        return Ran(f"it did not end within {timeout_s:g} s", "", {})
    except OSError as error:
        raise EvidenceError(f"`{words[0]}` does not run: {(error.strerror or str(error)).lower()}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compared(old: Ran, new: Ran) -> Oracle:
    """The answer of two runs."""
    for when, each in (("in its period", old), ("today", new)):
        if each.failure is not None:
            return Oracle(Answer.FAILED, f"it fails {when}: {each.failure}")
    if old.files.keys() != new.files.keys():
        return Oracle(Answer.DIFFERENT, f"only one of them writes `{min(old.files.keys() ^ new.files.keys())}`")
    texts, uncompared = _texts(old, new)
    largest = 0.0
    for name, one, other in texts:
        apart = distance(one, other)
        if isinstance(apart, str):
            return Oracle(Answer.DIFFERENT, f"{name}: {apart}", uncompared)
        largest = max(largest, apart)
    lines = len(new.stdout.splitlines())
    what = f"{lines} printed {'line' if lines == 1 else 'lines'}"
    number = len(old.files) - len(uncompared)
    what += f" and {number} written {'file' if number == 1 else 'files'}" if number else ""
    if not lines and not number:
        return Oracle(Answer.FAILED, "neither prints or writes anything: there is nothing to compare", uncompared)
    if largest:
        return Oracle(Answer.ROUNDED, f"{what}, numbers at most {largest:.1e} apart", uncompared)
    return Oracle(Answer.BITWISE, what, uncompared)


def distance(one: str, other: str) -> float | str:
    """How far apart the numbers of two texts are at most; where they differ in words if that is no rounding."""
    olds, news = one.splitlines(), other.splitlines()
    if len(olds) != len(news):
        return f"{len(olds)} lines became {len(news)}"
    largest = 0.0
    for number, (old, new) in enumerate(zip(olds, news, strict=True), 1):
        if old == new:
            continue
        apart = _line_distance(old, new)
        if apart is None:
            return f"line {number}: `{old[:_WORDS]}` became `{new[:_WORDS]}`"
        largest = max(largest, apart)
    return largest


def _line_distance(old: str, new: str) -> float | None:
    """None where the lines differ in more than rounding; whole numbers are exact."""
    if _NUMBER.sub("0", old).split() != _NUMBER.sub("0", new).split():
        return None
    largest = 0.0
    for one, other in zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True):
        if one == other:
            continue
        is_whole = not set(".eE") & set(one + other)
        apart = abs(float(one) - float(other))
        if is_whole or apart > max(ABSOLUTE, RELATIVE * max(abs(float(one)), abs(float(other)))):
            return None
        largest = max(largest, apart)
    return largest


def _texts(old: Ran, new: Ran) -> tuple[list[tuple[str, str, str]], tuple[str, ...]]:
    """What can be compared, by name; and the names of what cannot."""
    found, uncompared = [("standard output", old.stdout, new.stdout)], []
    for name, text in old.files.items():
        if text == new.files[name]:
            continue
        try:
            found.append((f"`{name}`", text.decode(), new.files[name].decode()))
        except UnicodeDecodeError:
            uncompared.append(name)
    return found, tuple(uncompared)


def _files(root: Path) -> dict[str, bytes]:
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for path in (Path(folder, name) for name in names):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LINKED_BYTES:
                found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def _failure(done: subprocess.CompletedProcess[str]) -> str | None:
    if done.returncode == 0:
        return None
    last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
    return f"exit status {done.returncode}: {last[:_WORDS]}"
