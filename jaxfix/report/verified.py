"""A receipt compared with a tree: which files are as they were run. JSON, versioned."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum

from jaxfix.report.seal import Seal, Sealed
from jaxfix.source.frozen import frozen

SCHEMA = 1


class Side(Enum):
    """Which side of a receipt a file is."""

    BOTH = "as in both runs"
    AFTER = "as with the change"
    BEFORE = "as without the change"
    OTHER = "another one"
    GONE = "not there"


@frozen
class FileState:
    """A file of a receipt, and which side of it is in the tree."""

    path: str
    side: Side


@frozen
class Verified:
    """The validity of a receipt in a tree.

    Attributes:
      receipt: the file, as it was named.
      holds: whether it is intact, proves something, and is about this tree.
      reason: why not, or of which side of the change it speaks.
      files: each that it names.
      seal: its own digest, as it states it.
    """

    receipt: str
    holds: bool
    reason: str
    files: tuple[FileState, ...]
    seal: Seal
    schema: int = field(default=SCHEMA)


def verified(receipt: str, seal: Seal, digest_of: Callable[[str], str | None], *, is_whole: bool) -> Verified:
    """Judges a receipt.

    Args:
      digest_of: sha256 of a file as the receipt names it; None where there is none.
      is_whole: whether its digest matches its contents.
    """
    files = tuple(FileState(entry.path, _side(entry, digest_of(entry.path))) for entry in seal.sources)
    against = next(_against(seal, files, is_whole=is_whole), None)
    return Verified(receipt, against is None, against or _speaks_of(files), files, seal)


def _side(entry: Sealed, now: str | None) -> Side:
    if now in (entry.before, entry.after):
        return Side.BOTH if entry.before == entry.after else Side.AFTER if now == entry.after else Side.BEFORE
    return Side.GONE if now is None else Side.OTHER


def _against(seal: Seal, files: Sequence[FileState], *, is_whole: bool) -> Iterator[str]:
    sides = {entry.side for entry in files}
    wrong = sum(entry.side in (Side.OTHER, Side.GONE) for entry in files)
    if not is_whole:
        yield "it was changed after it was written: its digest does not match its content"
    if not files:
        yield "it names no file"
    if wrong:
        yield f"{wrong} of {len(files)} files are not those that were run"
    if {Side.AFTER, Side.BEFORE} <= sides:
        yield "some files are as with the change, and others as without it"
    if not seal.holds:
        yield "it describes this tree, but its change is not proven"


def _speaks_of(files: Sequence[FileState]) -> str:
    sides = {entry.side for entry in files}
    side = "with the change" if Side.AFTER in sides else "without the change" if Side.BEFORE in sides else "unchanged"
    return f"{len(files)} of {len(files)} files are those that were run, {side}"
