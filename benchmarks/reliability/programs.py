"""The programs that mutations start from, and those that no person wrote."""

import ast
import json
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from benchmarks.reliability.laws import reads
from benchmarks.reliability.mutating import encoded, mutated

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


def others(folders: Sequence[Path]) -> tuple[str, ...]:
    """The sources below `folders` that mention JAX, none too long."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            text = path.read_bytes()
            if b"jax" in text and len(text) <= _MOST_BYTES and b"\r" not in text and reads(text):
                found.append(text.decode())
    return tuple(found)


def mutant(seed: int, bases: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """The program of this number, and the mutations that made it."""
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text, done = mutated(random.choice(bases), random, bases, random.choice((1, 2, 4, 8, 16)))
    return encoded(text, random), done


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
