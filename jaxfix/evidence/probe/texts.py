"""Other texts than a program passes: more and fewer parts, spaces and paths, where the sources take texts apart."""

from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from .effects import Reach
from .kinds import GIVEN
from .originals import nested
from .pairing import Leaves
from .samples import Sample

_PARTS = {
    *("split", "rsplit", "partition", "rpartition", "splitlines", "join", "strip", "lstrip", "rstrip", "replace"),
    *("find", "rfind", "index", "startswith", "endswith", "removeprefix", "removesuffix", "lower", "upper", "casefold"),
    *("title", "capitalize", "isdigit", "isalpha", "match", "fullmatch", "search", "findall", "finditer", "sub"),
}
_PATHS = {"path", "Path", "PurePath", "PurePosixPath", "basename", "dirname", "splitext", "joinpath", "fspath"}
_SYSTEM = {"os", "shutil", "subprocess", "Path", "pathlib"}
_ACTING = {
    *("remove", "rename", "replace", "renames", "removedirs", "rmdir", "move", "copy", "copyfile", "copytree", "copy2"),
    *("symlink", "symlink_to", "link", "chdir", "chmod", "touch", "run", "call", "check_call", "check_output"),
}
"""What does something to files of a name, or runs a command: other names are left alone."""
_MOST, _MOST_MARKS, _LONGEST, _OTHER = 3, 3, 200, "other"


def others(sample: Sample, leaves: Leaves, reaches: tuple[Reach, Reach]) -> Iterator[tuple[str, Leaves]]:
    """The same leaves with another text, one after the other.

    None where neither side takes texts apart, or where they may name files that something is done to.
    """
    names = reaches[0].names | reaches[1].names
    if not names & (_PARTS | _PATHS) or (names & _SYSTEM and names & _ACTING):
        return
    marks = list(dict.fromkeys(mark for reach in reaches for mark in _marks(reach.codes)))
    marks = ["/", *(mark for mark in marks if mark != "/")] if names & _PATHS else marks or [" "]
    texts = [(at, leaf) for at, leaf in enumerate(leaves) if isinstance(leaf, str) and len(leaf) <= _LONGEST]
    for (place, leaf), _ in zip(texts, range(_MOST), strict=False):
        for other in dict.fromkeys(_variants(leaf, marks[:_MOST_MARKS])):
            if other != leaf:
                made = [*leaves[:place], other, *leaves[place + 1 :]]
                yield f"{GIVEN}`{sample.names()[place]}` as {other!r}", made


def _marks(codes: Iterable[tuple[CodeType, Any]]) -> Iterator[str]:
    """What texts are split at, or joined with: short constants without letters."""
    for code, _ in codes:
        for constant in (value for part in nested(code) for value in part.co_consts if isinstance(value, str)):
            if 0 < len(constant) <= 2 and not any(map(str.isalnum, constant)):
                yield constant


def _variants(text: str, marks: list[str]) -> Iterator[str]:
    """Texts of the same kind, the likely ones first."""
    for mark in marks:
        first, *rest = text.split(mark)
        yield from (f"{text}{mark}{_OTHER}", f"{_OTHER}{mark}{text}")
        if rest:
            yield from (first, f"{text}{mark}{first}", text.replace(mark, mark * 2, 1))
            yield from (text.replace(mark, f"{mark} "), text.replace(mark, f" {mark} "))
        yield from (f"{mark}{text}", f"{text}{mark}", mark)
    yield from ("", f" {text} ", f"\t{text}\n", text.upper(), text.lower(), text.title())
