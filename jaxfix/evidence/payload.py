"""What a job needs on the other side: the scratch folder, with the places in it named as they are there."""

import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol

from jaxfix.evidence import shadow
from jaxfix.evidence.run import sha256
from jaxfix.evidence.stream import Broken
from jaxfix.source.frozen import frozen

_PIECE_BYTES = 1 << 18


class Sink(Protocol):
    """What a payload is sent to."""

    def ask(self, paths: Mapping[str, int | None]) -> dict[str, str]: ...

    def send(self, kind: bytes, payload: bytes) -> None: ...


@frozen
class Payload:
    """A scratch folder on its way.

    Attributes:
      folder: where it is here.
      there: where it will be.
      base: the project over there, if one was named.
      tree: the copy of the project in `folder`, if there is one.
    """

    folder: Path
    there: str
    base: str | None
    tree: Path | None
    _links: dict[Path, str | None] = field(default_factory=dict)

    def send(self, stream: Sink) -> None:
        """Sends everything that does not exist yet."""
        self._ask(stream)
        sink = _Pieces(stream)
        try:
            with tarfile.open(fileobj=sink, mode="w|", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
                self._pack(archive)
            stream.send(b"T", b"")
        except Broken:
            return  # the reason waits to be received

    def renamed(self, text: str) -> str:
        """`text` with the folder as it is there."""
        return text.replace(str(self.folder), self.there)

    def shown(self, text: str) -> str:
        """What was printed, with the folder as it is here."""
        return text.replace(self.there, str(self.folder))

    def local(self, raw: bytes) -> bytes:
        """JSON that came back, with the folder as it is here."""
        return _replaced(raw, self.there, str(self.folder))

    def back(self) -> tuple[tuple[str, str], ...]:
        """(place there, place of the user's) for what is shown as it comes."""
        if self.tree is None:
            return ()
        settings = json.loads((self.folder / "settings.json").read_text())
        return tuple((self.renamed(copy), original) for copy, original in settings.get("moved", ()))

    def _ask(self, stream: Sink) -> None:
        """Decides about each link that leads out of the folder: to what is there, or None to send what it leads to."""
        outside = [path for path in _links(self.folder) if _leaves(path, self.folder)]
        sizes = {path: None if path.is_dir() else path.stat().st_size for path in outside if path.exists()}
        found = stream.ask({self._place(path): size for path, size in sizes.items()})
        for path, size in sizes.items():
            place = self._place(path)
            is_there = place in found and (size is None or found[place] == sha256(path))
            self._links[path] = place if is_there else None

    def _place(self, link: Path) -> str:
        """Where on the other side what a link leads to may be."""
        if self.base is not None and self.tree is not None and link.is_relative_to(self.tree):
            return f"{self.base}/{link.relative_to(self.tree).as_posix()}"
        return os.path.realpath(link)

    def _pack(self, archive: tarfile.TarFile) -> None:
        for name in sorted(os.listdir(self.folder)):
            path = self.folder / name
            if path.suffix == ".json" and path.is_file():
                raw = self._settings(path)
                entry = _owned(archive.gettarinfo(path, name))
                entry.size = len(raw)
                archive.addfile(entry, io.BytesIO(raw))
            else:
                self._add(archive, path, name, frozenset())

    def _settings(self, path: Path) -> bytes:
        raw = _replaced(path.read_bytes(), str(self.folder), self.there)
        if path.name != "settings.json" or self.base is None or self.tree is None:
            return raw
        # Links to large files lead into the project over there: it is what must not be written to.
        settings = json.loads(raw)
        return json.dumps(settings | {"links": [self.renamed(str(self.tree)), self.base]}).encode()

    def _add(self, archive: tarfile.TarFile, path: Path, name: str, above: frozenset[str]) -> None:
        place = self._links.get(path)
        if path.is_symlink() and (place is not None or not path.exists() or not _leaves(path, self.folder)):
            self._add_link(archive, path, name, place)
        elif path.is_dir():
            self._add_folder(archive, path, name, above)
        elif path.is_file():
            entry = _owned(archive.gettarinfo(path.resolve(), name))
            entry.type = tarfile.REGTYPE  # a second name of one file is a file of its own
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)

    def _add_link(self, archive: tarfile.TarFile, path: Path, name: str, place: str | None) -> None:
        target = os.path.normpath(path.parent / os.readlink(path))
        entry = tarfile.TarInfo(name)
        entry.type = tarfile.SYMTYPE
        inside = Path(target).is_relative_to(self.folder)
        entry.linkname = place or (os.path.relpath(target, path.parent) if inside else target)
        archive.addfile(entry)

    def _add_folder(self, archive: tarfile.TarFile, path: Path, name: str, above: frozenset[str]) -> None:
        real = os.path.realpath(path)
        if real in above or (path.is_symlink() and shadow.is_environment(path)):
            return  # a circle; or an environment, which works only where it was made
        archive.addfile(_owned(archive.gettarinfo(real, name)))
        for entry in sorted(os.listdir(path)):
            self._add(archive, path / entry, f"{name}/{entry}", above | {real})


class _Pieces:
    """A file for `tarfile` whose pieces become frames."""

    def __init__(self, stream: Sink) -> None:
        self.stream = stream

    def write(self, raw: bytes) -> int:
        for start in range(0, len(raw), _PIECE_BYTES):
            self.stream.send(b"T", raw[start : start + _PIECE_BYTES])
        return len(raw)


def _links(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        yield from (path for name in (*folders, *names) if (path := Path(where, name)).is_symlink())


def _leaves(link: Path, folder: Path) -> bool:
    """Whether a path leads out of the folder, or lies behind a link that does."""
    return not Path(os.path.realpath(link)).is_relative_to(folder)


def _owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nobody's in particular: who unpacks it owns it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _replaced(raw: bytes, old: str, new: str) -> bytes:
    """JSON with one path in the place of another."""
    return raw.replace(json.dumps(old)[1:-1].encode(), json.dumps(new)[1:-1].encode())
