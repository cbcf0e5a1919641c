"""A source that is read when it is needed, and not kept: of many files that are analysed one by one."""

from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile

_READ = frozenset({"raw", "text", "encoding", "bom"})


class Stored(SourceFile):
    """A plain source, by its place, its imports and a digest of its bytes; to ask for its text is to read the file.

    Travels to other processes without its text.
    """

    def __init__(self, source: SourceFile, place: Path) -> None:
        known = {"path": source.path, "digest": source.digest, "_size": source.size, "_place": str(place)}
        vars(self).update(known, imports=source.imports)

    def __getattr__(self, name: str) -> object:
        if name not in _READ:
            raise AttributeError(name)
        return getattr(self.loaded(), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and (self.path, self.digest) == (other.path, other.digest)

    def __hash__(self) -> int:
        return hash((self.path, self.digest))

    @property
    def size(self) -> int:
        return int(vars(self)["_size"])

    def loaded(self) -> SourceFile:
        """The file with its text at hand.

        Raises:
          SourceError: it cannot be read any more, or is another one by now.
        """
        source = SourceFile.decode(self.path, files.read_bytes(Path(vars(self)["_place"])))
        if source.digest != self.digest:
            raise SourceError(self.path, "changed while it was analysed; run `jaxfix` again")
        return source
