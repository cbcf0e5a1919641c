"""What was judged before, shard by shard: a run that is cut off is a result, and the next one goes on from there."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.safe.tally import Tally, classes

ROOT = Path(__file__).resolve().parents[2]
_DECIDING = ("jaxfix", "codemods", "benchmarks/safe")
_APART = ("evidence", "render", "drivers/lsp", "drivers/review")
"""Rooms of jaxfix that no SAFE fix depends on."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What came of the programs of one seed from `first` on, with one state of the sources.

    Attributes:
      broken: the classes of the smallest form of each program that breaks the law, by its number.
    """

    build: str
    seed: int
    first: int
    programs: int
    fixed: int = 0
    fixes: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    broken: dict[str, list[str]] = field(default_factory=dict)


def shard(seed: int, numbers: range, tally: Tally) -> Shard:
    broken = {str(number): sorted(classes(breach)) for number, breach in tally.breaches}
    return Shard(
        build(), seed, numbers.start, len(numbers), tally.fixed, dict(tally.fixes), dict(tally.classes), broken
    )


class Ledger:
    """The shards in a file, to which new ones are added as they come; in memory alone where there is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self.shards = [Shard(**json.loads(line)) for line in lines]

    def add(self, shard: Shard) -> None:
        self.shards.append(shard)
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(shard)) + "\n")

    def has(self, seed: int, numbers: range) -> bool:
        wanted = (seed, numbers.start, len(numbers))
        return any((each.seed, each.first, each.programs) == wanted for each in self.of_this_build())

    def of_this_build(self) -> Iterator[Shard]:
        yield from (each for each in self.shards if each.build == build())

    def of_others(self) -> Iterator[Shard]:
        yield from (each for each in self.shards if each.build != build())


def summed(shards: Iterator[Shard]) -> tuple[int, int, Counter[str], Counter[str], Counter[str]]:
    """Programs, those with a fix, fixes by codemod, classes of those with a fix, and classes of breaches."""
    programs = fixed = 0
    fixes, found, broken = Counter[str](), Counter[str](), Counter[str]()
    for each in shards:
        programs, fixed = programs + each.programs, fixed + each.fixed
        fixes.update(each.fixes)
        found.update(each.classes)
        broken.update(name for names in each.broken.values() for name in names)
    return programs, fixed, fixes, found, broken


@cache
def build() -> str:
    """Names the state of the sources that decide what is safe, and of these programs."""
    digest = hashlib.sha256()
    for folder in _DECIDING:
        for path in sorted((ROOT / folder).rglob("*.py")) + sorted((ROOT / folder).glob("*.txt")):
            name = path.relative_to(ROOT).as_posix()
            if not name.removeprefix("jaxfix/").startswith(_APART):
                digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
