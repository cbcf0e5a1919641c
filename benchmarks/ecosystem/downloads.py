"""Brings releases from the registry and repositories at a commit, once, and unpacks their Python sources."""

import io
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.repositories import Unreachable as Unreachable
from benchmarks.repositories import fetched, git
from jaxfix.drivers.requirements import KINDS

PINNED = Path(__file__).with_name("pinned.txt")


@dataclass(frozen=True, slots=True)
class Release:
    """A release of a library; `within` is the part of it that is meant, all of it if empty.

    One whose name is OWNER/NAME is a repository, and its version a commit.
    """

    name: str
    version: str
    within: str = ""

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


def pinned(path: Path = PINNED) -> tuple[Release, ...]:
    return tuple(_releases(path.read_text()))


def wheel(release: Release, store: Path) -> Path:
    """The wheel, from `store` if it is there.

    Raises:
      Unreachable: it is not there and cannot be fetched.
    """
    kept = _kept(release, store)
    if kept is None:
        store.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(store)]
        words += ["--ignore-requires-python", "--only-binary", ":all:", str(release)]
        done = subprocess.run(words, capture_output=True, text=True)
        kept = _kept(release, store)
        if kept is None:
            reason = (done.stderr.strip().splitlines() or [f"pip ended with {done.returncode}"])[-1]
            raise Unreachable(f"{release} cannot be downloaded: {reason}")
    return kept


def unpacked(release: Release, store: Path, place: Path, mirror: Path | None = None) -> Path:
    """The wheel unpacked into `place`, or of the repository the sources and what says which versions it runs with.

    Raises:
      Unreachable: it cannot be fetched.
    """
    if "/" in release.name:
        repository = fetched(release.name, release.version, store, mirror)
        names = git(repository, "ls-tree", "-r", "--name-only", "-z", release.version).decode().split("\0")
        wanted = [f":(literal){name}" for name in names if _is_read(Path(name))]
        with tarfile.open(fileobj=io.BytesIO(git(repository, "archive", release.version, *wanted))) as files:
            files.extractall(place, filter="data")
        return place
    with zipfile.ZipFile(wheel(release, store)) as archive:
        wanted = [name for name in archive.namelist() if name.startswith(release.within)]
        archive.extractall(place, wanted)
    return place


def _is_read(path: Path) -> bool:
    """Whether jaxfix reads it: Python, or what says which versions the project runs with."""
    parts = (path.name, path.parent.name)
    return path.suffix == ".py" or any(kind.named.fullmatch(part) for kind in KINDS for part in parts)


def _releases(text: str) -> Iterator[Release]:
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words:
            name, _, version = words[0].partition("@" if "@" in words[0] else "==")
            yield Release(name, version, *words[1:2])


def _kept(release: Release, store: Path) -> Path | None:
    written = release.name.replace("-", "_")
    return next(iter(sorted(store.glob(f"{written}-{release.version}-*.whl"))), None)
