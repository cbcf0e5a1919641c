"""The verdict of a fix depends neither on which others are in the run nor on their order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random

from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.report.measurement import Beside, Compile, Leaf, Measurement, Output, Step
from jaxfix.source.edits import Span

PATH = "model.py"


@dataclass(frozen=True, slots=True)
class Made:
    """What a fix does: how far it moves the results of the run, and those of calls beside the original.

    `double` is how far such calls are apart in double precision.
    """

    equality: Equality
    function: str
    run: float = 0.0
    beside: float = 0.0
    double: float = 0.0
    verdict: Verdict = Verdict.PROVEN


EVERY = {
    "b": Made(Equality.BITWISE, "shared"),
    "B": Made(Equality.BITWISE, "alone"),
    "s": Made(Equality.STRONGER_TYPES, "shared"),
    "n": Made(Equality.NUMBERS, "shared", 1e-7, 1e-7, 1e-16),
    "a": Made(Equality.AS_JITTED, "other", 1e-7, 1e-7, 1e-16),
    "r": Made(Equality.ROUNDING, "shared.<locals>.inner", 1e-7, 1e-7, 1e-16),
    "w": Made(Equality.BITWISE, "shared", 1e-7, verdict=Verdict.DIFFERENT),
    "v": Made(Equality.BITWISE, "shared", 0.0, 1e-7, 1e-16, verdict=Verdict.DIFFERENT),
    "m": Made(Equality.NUMBERS, "other", 1e-7, 1e-7, 1e-6, verdict=Verdict.DIFFERENT),
    "j": Made(Equality.AS_JITTED, "alone", 1e-4, 1e-4, 1e-4, verdict=Verdict.DIFFERENT),
}


def fix(key: str) -> Fix:
    made = EVERY[key]
    return Fix(key, "codemod", key, Span(0, 0), (), Safety.NEEDS_EVIDENCE, made.equality, None, made.function)


def output(label: str, value: float) -> Output:
    return Output(label, "*", (Leaf("", "float32", (), False, repr(value), (value,), 0),))


class Program:
    """A program in which each fix saves a compile and moves results as `EVERY` tells; it answers as a `Runner`."""

    command, repeats, calls_originals = "python model.py", False, True

    room = 1

    def expected(self) -> dict[str, None]:
        return {self.command: None}

    def sha256(self, path: str) -> str:
        return f"sha of {path}"

    def original(self, path: str) -> bytes | None:
        return b""

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        keys = sources.get(PATH, b"").decode()
        made = [EVERY[key] for key in keys]
        line = Compile(PATH, 1, "f", (), "scan", None, 0.0)
        count = len(EVERY) - len(made)
        return (
            Measurement(
                case=self.command,
                failure=None,
                compiles=(line,) * count,
                traces=0,
                steps=(Step(count, 0, 0, 0.0),) * 3,
                outputs=(output("main call 1", 1.0 + sum(entry.run for entry in made)),),
                stdout="",
                functions=tuple({f"{PATH}:{entry.function}" for entry in EVERY.values()}),
                loaded={PATH: "0"} if sources else {},
                peak_bytes=0,
                environment=None,
                beside=tuple(self._beside(made)) if beside and sources else (),
            ),
        )

    def _beside(self, made: Sequence[Made]) -> Iterator[Beside]:
        for name in dict.fromkeys(entry.function for entry in made):
            mine = [entry for entry in made if entry.function == name or entry.function.startswith(f"{name}.")]
            moved = 1.0 + sum(entry.beside for entry in mine)
            double = max(entry.double for entry in mine)
            yield Beside(
                f"{PATH}:{name}", "perturbed", output("", 1.0), output("", moved), double if moved > 1 else None
            )


def sources_with(fixes: frozenset[tuple[str, str]]) -> dict[str, bytes]:
    return {PATH: "".join(sorted(key for _, key in fixes)).encode()} if fixes else {}


def orders() -> Iterator[str]:
    """Every subset of up to three fixes in every order, and larger ones in some."""
    for size in (1, 2, 3):
        yield from map("".join, permutations(EVERY, size))
    random = Random(0)
    for size in range(4, len(EVERY) + 1):
        for chosen in random.sample(list(combinations(EVERY, size)), k=min(10, len(list(combinations(EVERY, size))))):
            yield "".join(random.sample(chosen, k=size))


def test_the_verdict_of_a_fix_is_its_own() -> None:
    others: dict[str, set[str]] = {}
    for keys in orders():
        receipts = prove([(PATH, fix(key), 1) for key in keys], sources_with, Program(), lambda phrase: None).receipts
        for entry in receipts:
            if entry.verdict is not EVERY[entry.key].verdict:
                others.setdefault(f"{entry.key} is {entry.verdict.value}: {entry.reason}", set()).add(keys)
    assert not others
