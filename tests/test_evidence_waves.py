"""What is driven is proven in waves: verdicts come early, and do not depend on which cases are in a wave."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.report.measurement import Compile, Leaf, Measurement, Output, Step
from jaxfix.source.edits import Span

LINE = Compile("any.py", 1, "f", (), "scan", None, 0.0)
Names = Mapping[str, frozenset[str]]


@dataclass
class Package:
    """Cases that compile once more for each fix that they call and is not made; it answers as a `Runner`.

    Attributes:
      calls: the fixes of each case; `expects` those that a survey has found.
      wrong: fixes that change what their cases return, with the cases in which that shows.
    """

    calls: Names
    expects: Names
    room: int = 1
    wrong: Names = field(default_factory=dict)
    useless: str = ""
    events: list[str] = field(default_factory=list)

    command, repeats, calls_originals = "optimizers of package", True, False

    def expected(self) -> dict[str, frozenset[str] | None]:
        return {case: frozenset(f"{key}.py:f_{key}" for key in keys) for case, keys in self.expects.items()}

    def sha256(self, path: str) -> str:
        return path

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
        made = {path.removesuffix(".py") for path in sources}
        return tuple(self._run(case, made) for case in self.calls if cases is None or case in cases)

    def _run(self, case: str, made: set[str]) -> Measurement:
        self.events.append(f"{case} with {''.join(sorted(made))}")
        keys = self.calls[case]
        count = len([key for key in keys if key not in made or key in self.useless])
        value = float(sum(case in self.wrong.get(key, ()) for key in made & keys))
        leaf = Leaf("", "float32", (), False, str(value), (value,), 0)
        return Measurement(
            case=case,
            failure=None,
            compiles=(LINE,) * count,
            traces=0,
            steps=(Step(count, 0, 0, 0.0),) * 3,
            outputs=(Output("update 1", "*", (leaf,)),),
            stdout="",
            functions=tuple(f"{key}.py:f_{key}" for key in sorted(keys)),
            loaded=dict.fromkeys(sources_of(made), "0"),
            peak_bytes=0,
            environment=None,
        )


def sources_of(keys: set[str]) -> dict[str, bytes]:
    return {f"{key}.py": b"" for key in keys}


def proven(package: Package, keys: str) -> dict[str, Evidence]:
    """The receipts, after `events` have got each verdict as it was told."""
    fixes = {
        key: Fix(key, "codemod", key, Span(0, 0), (), Safety.NEEDS_EVIDENCE, Equality.BITWISE, None, f"f_{key}")
        for key in keys
    }

    def judged(evidence: Evidence) -> None:
        package.events.append(f"{evidence.key} {evidence.verdict.value}")

    found = prove(
        [(f"{key}.py", fix, 1) for key, fix in fixes.items()],
        lambda made: sources_of({key for _, key in made}),
        package,
        lambda phrase: None,
        judged,
    )
    assert found.kept == {(e.path, e.key) for e in found.receipts if e.verdict is Verdict.PROVEN}
    return {evidence.key: evidence for evidence in found.receipts}


def names(**calls: str) -> Names:
    return {case: frozenset(keys) for case, keys in calls.items()}


def test_the_first_verdict_comes_before_other_cases_are_run() -> None:
    calls = {f"{key}{number}": frozenset(key) for key in "abcdefgh" for number in range(8)}
    package = Package(calls, calls, room=2)
    found = proven(package, "abcdefgh")
    assert {evidence.verdict for evidence in found.values()} == {Verdict.PROVEN}
    first = package.events.index("a proven")
    assert set(package.events[:first]) == {f"a{n} with {made}" for n in range(8) for made in ("", "a")}
    verdicts = [number for number, words in enumerate(package.events) if words.endswith(" proven")]
    assert len(verdicts) == 8 and verdicts[1] < len(package.events) * 0.75  # not all at the end


def test_the_cheapest_part_comes_first_and_each_case_runs_once() -> None:
    calls = names(a1="ab", a2="ab", a3="b", c1="c")
    package = Package(calls, calls)
    proven(package, "abc")
    assert package.events[:3] == ["c1 with ", "c1 with c", "c proven"]
    runs = [words for words in package.events if " with " in words]
    assert len(runs) == len(set(runs))


def test_what_is_proven_is_made_in_later_waves() -> None:
    calls = names(a1="a", b1="b", b2="b")
    package = Package(calls, calls)
    proven(package, "ab")
    assert package.events == ["a1 with ", "a1 with a", "a proven", "b1 with ", "b2 with ", *WITH_BOTH, "b proven"]


WITH_BOTH = ["b1 with ab", "b2 with ab"]


def test_a_call_that_nobody_expected_overturns_a_verdict() -> None:
    """The second wave calls a fix of the first, and shows that it is wrong."""
    calls, expects = names(a1="a", b1="ab", b2="b"), names(a1="a", b1="b", b2="b")
    package = Package(calls, expects, wrong={"a": frozenset({"b1"})})
    found = proven(package, "ab")
    assert {key: evidence.verdict for key, evidence in found.items()} == {
        "a": Verdict.DIFFERENT,
        "b": Verdict.PROVEN,
    }
    assert package.events.index("a proven") < package.events.index("a different")


@pytest.mark.parametrize("seed", range(40))
def test_verdicts_do_not_depend_on_waves(seed: int) -> None:
    """Packages with wrong, useless and right fixes, and calls that nobody expected, with room for some cases or all."""
    random = Random(seed)
    keys = "abcdefghij"
    calls = {f"case {n}": frozenset(random.sample(keys, random.choice((1, 1, 1, 2, 3)))) for n in range(60)}
    expects = {case: frozenset(key for key in sorted(mine) if random.random() < 0.95) for case, mine in calls.items()}
    wrong = {
        key: frozenset(random.sample([case for case in calls if key in calls[case]], 1))
        for key in random.sample(keys, 2)
        if any(key in mine for mine in calls.values())
    }
    expects = {case: mine for case, mine in expects.items() if mine}
    calls = {case: calls[case] for case in expects}
    receipts = []
    for room in (1, 2, 7, 100):
        package = Package(calls, expects, room, wrong, useless="ij")
        receipts.append(proven(package, keys))
    assert all(each == receipts[0] for each in receipts)
