"""The programs that are measured: where they are, why they were chosen, how they are adapted. No code of theirs."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxfix.report.wire import from_json

DATA = Path(__file__).with_name("data")
FRESH = DATA / "fresh"
"""Programs that were chosen when all else was built, and measured once."""


class Unfit(Exception):
    """The data of a program are wrong, or do not fit what is in its repository."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines of a file and the text in their place.

    Attributes:
      lines: the first and the last, counted from 1; the last is one less than the first where nothing is replaced.
      indent: spaces to put before each of the lines, in place of a text.
    """

    file: str
    lines: tuple[int, int]
    text: str = ""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a public repository, pinned.

    Attributes:
      files: by the name in the folder that it runs in, the path in the repository.
      start: the name of the file that is run, and repaired.
      kind: what it is.
      why: the reason to choose it, which is never what jaxfix says of it.
      changed: what the adaptation changes, in words.
      by_hand: what a person changed for speed, in words; empty where nothing was worth it.
      prepare: a file of the adaptation that is run once, to make data.
      hand: replacements in the adapted text.
    """

    name: str
    repository: str
    commit: str
    files: dict[str, str]
    start: str
    kind: str
    why: str
    changed: tuple[str, ...]
    by_hand: str
    adapt: tuple[Replacement, ...]
    hand: tuple[Replacement, ...]
    prepare: str = ""


def programs(folder: Path = DATA) -> tuple[Program, ...]:
    """All of them, by name.

    Raises:
      Unfit: a file cannot be read as a program.
    """
    return tuple(_read(path) for path in sorted(folder.glob("*.toml")))


def replaced(texts: Mapping[str, str], replacements: Iterable[Replacement]) -> dict[str, str]:
    """The texts with all replacements made; their lines are those of the given texts.

    Raises:
      Unfit: two replacements overlap, or one is outside of its file.
    """
    lines = {file: text.splitlines(keepends=True) for file, text in texts.items()}
    before: dict[str, int] = {}
    for change in sorted(replacements, key=lambda change: (change.file, change.lines), reverse=True):
        first, last = change.lines
        mine = lines.setdefault(change.file, [])
        if not 1 <= first <= last + 1 <= before.get(change.file, len(mine) + 1):
            raise Unfit(f"{change.file}:{first}-{last}: outside of the file, or overlaps another replacement")
        before[change.file] = first
        mine[first - 1 : last] = _new(change, mine[first - 1 : last])
    return {file: "".join(text) for file, text in lines.items()}


def _new(change: Replacement, old: list[str]) -> list[str]:
    if not change.indent:
        return change.text.splitlines(keepends=True)
    return [" " * change.indent + line if line.strip() else line for line in old]


def _read(path: Path) -> Program:
    try:
        return from_json(Program, {"name": path.stem, **tomllib.loads(path.read_text())})
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise Unfit(f"{path.name}: {error}") from error
