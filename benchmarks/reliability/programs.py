"""The programs that mutations start from, and those that no person wrote."""

import ast
import json
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from benchmarks.reliability.laws import reads
from benchmarks.reliability.mutating import encoded, mutated
from benchmarks.reliability.tearing import torn

ROOT = Path(__file__).resolve().parents[2]
_MOST_BYTES = 30_000
"""Of a file that mutations start from: what is longer is slow, not other."""


@cache
def own() -> tuple[str, ...]:
    """The examples of the codemods, and the traps set for them: each makes some codemod look."""
    found = [path.read_text() for path in sorted((ROOT / "golden").rglob("*.py"))]
    found += [path.read_text() for path in sorted((ROOT / "examples").rglob("*.py"))]
    preamble = (ROOT / "golden" / "_traps" / "preamble.txt").read_text()
    for path in sorted((ROOT / "golden" / "_traps").glob("*.json")):
        for trap in json.loads(path.read_text()):
            found += ["\n".join([preamble, *trap[kind], ""]) for kind in ("source", "naive") if trap.get(kind)]
    return tuple(found)


@cache
def installed() -> tuple[Path, ...]:
    """The sources of what is installed beside jaxfix that mention JAX, none too long."""
    found = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py"))
    return tuple(path for path in found if _is_of_interest(path))


def _is_of_interest(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= _MOST_BYTES and b"jax" in path.read_bytes()


def mutant(seed: int, bases: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """The program of this number, and the mutations that made it."""
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text, done = mutated(random.choice(bases), random, bases, random.choice((1, 2, 4, 8, 16)))
    return encoded(text, random), done


def torn_or_mutated(seed: int, paths: Sequence[Path]) -> tuple[Path, bytes]:
    """One of the sources at `paths`, and what becomes of it: half of them are no programs any more."""
    random = Random(seed)
    path = random.choice(paths)
    text, count = path.read_text(encoding="utf-8", errors="replace"), random.choice((1, 2, 4, 8))
    if random.random() < 0.5:
        return path, encoded(torn(text, random, count), random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return path, encoded(mutated(text, random, (), count)[0], random)


def strangers(seed: int, count: int) -> Iterator[str]:
    """Programs that hypothesmith makes of Python's grammar; none where it is not installed."""
    try:
        import hypothesmith
    except ImportError:
        return
    import hypothesis

    found: list[str] = []
    quiet = hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck),
    )

    def collect(text: str) -> None:
        found.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hypothesis.seed(seed)(quiet(hypothesis.given(hypothesmith.from_node())(collect)))()
    yield from found


def among(stranger: str, seed: int, bases: Sequence[str]) -> bytes:
    """A program that nobody wrote between the statements of one that makes codemods look; alone if that is none."""
    random = Random(seed)
    base = random.choice(bases)
    places = [statement.end_lineno or 0 for statement in ast.parse(base).body]
    lines = base.split("\n")
    place = random.choice(places) if places else len(lines)
    text = "\n".join([*lines[:place], stranger, *lines[place:]])
    return encoded(text if reads(text.encode(errors="surrogatepass")) else stranger, random)
