"""What a run wrote into its copy of the project."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from jaxfix.evidence.outputs import FILE, NUMBER, untimed
from jaxfix.evidence.shadow import SKIPPED
from jaxfix.report.measurement import Leaf, Output

_MOST_FILES, _MOST_TEXT, _MOST_BYTES, _MOST_NUMBERS = 200, 1 << 20, 256 << 20, 4096
_DIGITS = re.compile(r"\d+")
State = Mapping[Path, tuple[int, int, int]]


def files_of(tree: Path) -> State:
    """The files under `tree`, and by what a change of each shows; links and caches are left out."""
    return dict(_files(tree))


def written(tree: Path, before: State) -> tuple[Output, ...]:
    """The files that are new or changed since `before`; of texts the numbers, of others the bytes.

    Numbers in names are left out, as they may be times; the files of one name so are distinguished by their order.
    """
    changed = sorted(path for path, state in _files(tree) if before.get(path) != state)
    counts: dict[str, int] = {}
    found = []
    for path in changed[:_MOST_FILES]:
        name = _DIGITS.sub("#", path.relative_to(tree).as_posix())
        counts[name] = counts.get(name, 0) + 1
        label = f"{FILE}{name}" + (f" ({counts[name]})" if counts[name] > 1 else "")
        found.append(_output(label, path))
    return tuple(found)


def _files(folder: Path) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # gone, or not ours to read
        return
    for entry in entries:
        if entry.name in SKIPPED or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from _files(Path(entry.path))
        elif entry.is_file():
            status = entry.stat()
            yield Path(entry.path), (status.st_mtime_ns, status.st_size, status.st_ino)


def _output(label: str, path: Path) -> Output:
    size = path.stat().st_size
    if size > _MOST_BYTES:
        return Output(label, f"{size} bytes", ())
    content = path.read_bytes()
    try:
        text = untimed(content.decode()) if size <= _MOST_TEXT and b"\0" not in content else None
    except UnicodeDecodeError:
        text = None
    if text is None:
        return Output(label, "bytes", (Leaf("", "<bytes>", (), False, _sha(content), (), 0),))
    numbers = [float(number) for number in NUMBER.findall(text)]
    digest = _sha(text.encode())
    leaf = Leaf("", "float64", (len(numbers),), False, digest, tuple(numbers[:_MOST_NUMBERS]), 0)
    return Output(label, f"text {_sha(NUMBER.sub('#', text).encode())[:12]}", (leaf,))


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
