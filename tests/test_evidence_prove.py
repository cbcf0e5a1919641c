"""Which of several fixes are proven: the runs are those of a program that is described by its counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves, Safety
from jaxfix.report.measurement import Beside, Compile, Kind, Leaf, Measurement, Output, Razor, Spent, Step
from jaxfix.source.edits import Span
from jaxfix.source.errors import EvidenceError

PATH = "model.py"
CASE = "python model.py"


def fix(key: str, function: str | None = None) -> Fix:
    name = function or f"f_{key}"
    equality = {"j": Equality.AS_JITTED}.get(key, Equality.BITWISE)
    proves = {"M": Proves.LESS_MEMORY, "W": Proves.LESS_WORK}.get(key, Proves.FEWER_COMPILES)
    return Fix(key, "codemod", f"Mend `{key}`", Span(0, 0), (), Safety.NEEDS_EVIDENCE, equality, None, name, (), proves)


def output(label: str, value: float) -> Output:
    return Output(label, "*", (Leaf("", "float32", (), False, str(value), (value,), 0),))


@dataclass
class Program:
    """A program whose results depend on the fixes that are made; it answers as a `Runner`.

    `compiles` and `result` are functions of the set of keys, and of the case.
    """

    compiles: Callable[[frozenset[str], str], int]
    result: Callable[[frozenset[str], str], float] = lambda fixes, case: 1.0
    reaches: Mapping[str, Sequence[str]] = field(default_factory=lambda: {CASE: "abcdef"})
    failing: Callable[[frozenset[str], str], str | None] = lambda fixes, case: None
    command: str = CASE
    repeats: bool = True
    own_lines: bool = False
    beside: Callable[[str], tuple[float, float]] | None = None
    peaks: Mapping[frozenset[str], Sequence[int]] = field(default_factory=dict)
    runs: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    with_originals: list[frozenset[str]] = field(default_factory=list)
    once: int = 0
    batches: int = 0
    text: bytes = b""
    staged: Mapping[str, int] = field(default_factory=dict)
    donated: Mapping[frozenset[str], int] = field(default_factory=dict)
    decoded: Callable[[str], frozenset[str]] = frozenset
    made: Mapping[str, str] = field(default_factory=dict)

    room = 1

    def expected(self) -> dict[str, frozenset[str] | None]:
        return dict.fromkeys(self.reaches)

    def sha256(self, path: str) -> str:
        return f"sha of {path}"

    def original(self, path: str) -> bytes | None:
        return self.text

    @property
    def calls_originals(self) -> bool:
        return self.beside is not None

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        self.batches += 1
        fixes = self.decoded(sources.get(PATH, b"").decode())
        self.with_originals += [fixes] if beside and sources else []
        return tuple(self._run(fixes, case, bool(sources)) for case in self.reaches if cases is None or case in cases)

    def _run(self, fixes: frozenset[str], case: str, patched: bool) -> Measurement:
        self.runs.append((case, fixes))
        value = self.result(fixes, case)
        count = self.compiles(fixes & set(self.reaches[case]), case)
        line = Compile(PATH, 1, "f", (), "scan", None, 0.0, donated_bytes=self.donated.get(fixes))
        slow = [key for key in self.reaches[case] if self.own_lines and key not in fixes]
        chained = [
            replace(line, chain=(f"/there/{PATH}:99 in f_{key}",), step=step) for key in slow for step in range(1, 4)
        ]
        spent = []
        for key in self.reaches[case] if self.once else "":
            names = ["step"] if key in fixes else [f"op{number}" for number in range(self.once)]
            chain = (f"/there/{PATH}:99 in f_{key}",)
            chained += [replace(line, chain=chain, program=f"jit({key} {name})") for name in names]
            started = () if key in fixes else tuple(f"{key} {name}" for name in names)
            spent.append(Spent(Kind.EAGER, PATH, 1, f"f_{key}", chain, started, 1, 1, 0.0))
        sides = [(key, *self.beside(key)) for key in fixes] if self.beside else []
        return Measurement(
            case=case,
            failure=self.failing(fixes, case),
            stopped="after 5 s" if "cut off" in (self.failing(fixes, case) or "") else None,
            compiles=tuple(chained) or (line,) * count,
            traces=0,
            steps=(Step(len(slow) or count, 0, 0, 0.0),) * 3,
            outputs=(output("f call 1", value),),
            beside=tuple(Beside(f"{PATH}:f_{key}", "perturbed", output("", a), output("", b)) for key, a, b in sides),
            razor=tuple(Razor(f"{PATH}:f_{key}", 1, 1, 1, 1, 0, 0.0, 0.0, None, 0.0) for key in fixes if self.once),
            stdout="",
            functions=tuple(f"{PATH}:f_{key}" for key in [*self.reaches[case], *self._made(fixes)]),
            spent=tuple(spent),
            staged_bytes=dict(self.staged),
            loaded={PATH: "0"} if patched else {},
            peak_bytes=self._peak(fixes),
            environment=None,
        )

    def _made(self, fixes: frozenset[str]) -> list[str]:
        """The keys whose function one of these fixes has made."""
        return [key for key, maker in self.made.items() if maker in fixes]

    def _peak(self, fixes: frozenset[str]) -> int:
        """The peak of this run, of those that are notified of runs with these fixes: the last one goes on."""
        told = self.peaks.get(fixes, (0,))
        return told[min(sum(made == fixes for _, made in self.runs), len(told)) - 1] * 1_000_000


def sources_with(fixes: frozenset[tuple[str, str]]) -> dict[str, bytes]:
    return {PATH: "".join(sorted(key for _, key in fixes)).encode()} if fixes else {}


def proof(program: Program, keys: str) -> dict[str, Evidence]:
    found = prove([(PATH, fix(key), 1) for key in keys], sources_with, program, lambda phrase: None).receipts
    assert [evidence.key for evidence in found] == list(keys)
    return {evidence.key: evidence for evidence in found}


def verdicts(program: Program, keys: str) -> dict[str, Verdict]:
    return {key: evidence.verdict for key, evidence in proof(program, keys).items()}


def test_one_fix_costs_two_runs() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes))
    assert verdicts(program, "a") == {"a": Verdict.PROVEN}
    assert len(program.runs) == 2


def test_each_of_several_is_compared_with_all_others_made() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes & {"a", "b"}))
    found = proof(program, "abc")
    assert [found[key].verdict for key in "abc"] == [Verdict.PROVEN, Verdict.PROVEN, Verdict.NO_EFFECT]
    assert found["a"].comparisons[0].before.compiles == found["a"].comparisons[0].after.compiles + 1


def test_two_that_help_only_together_are_both_proven() -> None:
    assert verdicts(Program(lambda fixes, case: 1 if {"a", "b"} <= fixes else 2), "ab") == dict.fromkeys(
        "ab", Verdict.PROVEN
    )


def test_the_originals_are_called_once_where_every_fix_is_proven() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes), beside=lambda key: (1.0, 1.0), repeats=False)
    found = proof(program, "abc")
    assert {evidence.verdict for evidence in found.values()} == {Verdict.PROVEN}
    assert all(evidence.comparisons[0].beside == 1 for evidence in found.values())
    assert program.with_originals == [frozenset("abc")]
    assert len(program.runs) == 6  # twice as it is, with all, and without each


def test_the_originals_are_called_on_both_sides_of_a_peak_of_memory() -> None:
    peaks = {frozenset("aM"): (100,), frozenset("a"): (200,), frozenset("M"): (100,), frozenset(): (200,)}
    program = Program(
        lambda fixes, case: 1 - len(fixes & {"a"}),
        reaches={CASE: "aM"},
        beside=lambda key: (1.0, 1.0),
        peaks=peaks,
        repeats=False,
    )
    assert set(verdicts(program, "aM").values()) == {Verdict.PROVEN}
    assert program.with_originals == [frozenset("aM"), frozenset("a")]


def test_the_originals_are_called_again_where_one_fix_is_dropped() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes & {"b", "c"}), beside=lambda key: (1.0, 1.0), repeats=False)
    assert [evidence.verdict for evidence in proof(program, "abc").values()] == [
        Verdict.NO_EFFECT,
        Verdict.PROVEN,
        Verdict.PROVEN,
    ]
    assert program.with_originals == [frozenset("abc"), frozenset("bc")]


def test_what_saves_in_its_own_lines_is_left_out_by_itself_at_once() -> None:
    program = Program(lambda fixes, case: 0, own_lines=True, repeats=False)
    assert set(verdicts(program, "abcdef").values()) == {Verdict.PROVEN}
    assert len(program.runs) == 3 + 6


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, EvidenceError])
def test_what_is_judged_is_told_where_something_ends_the_proof(end: type[BaseException]) -> None:
    def compiles(fixes: frozenset[str], case: str) -> int:
        if fixes == {"a", "c"}:
            raise end("in the middle")
        return 3 - len(fixes)

    program = Program(compiles, result=lambda fixes, case: 2.0 if "d" in fixes else 1.0)
    judged: list[Evidence] = []
    with pytest.raises(end):
        prove([(PATH, fix(key), 1) for key in "abcd"], sources_with, program, lambda phrase: None, judged.append)
    assert {evidence.key: evidence.verdict for evidence in judged} == {"d": Verdict.DIFFERENT, "a": Verdict.PROVEN}


def test_what_is_cut_off_as_it_is_says_nothing_of_a_fix_and_what_is_with_one_refutes_it() -> None:
    def failing(fixes: frozenset[str], case: str) -> str | None:
        return "cut off after 5 s" if case == "slow" or "b" in fixes else None

    reaches = {"slow": "a", "quick": "bc"}
    program = Program(lambda fixes, case: 3 - len(fixes & {"c"}), reaches=reaches, failing=failing)
    found = prove([(PATH, fix(key), 1) for key in "abc"], sources_with, program, lambda phrase: None).receipts
    assert [entry.verdict for entry in found] == [Verdict.NOT_REACHED, Verdict.FAILED, Verdict.PROVEN]
    assert found[0].reason == "`slow` was cut off after 5 s: raise `--timeout`"


@pytest.mark.parametrize("reached", ["a", ""], ids=["raised", "ended"])
def test_a_case_that_cannot_be_run_as_it_is_is_named_where_another_one_proves_the_fix(reached: str) -> None:
    words = "the process ended with status 4"
    reaches = {"opt, eager": "a", "opt, jit": reached, "other, jit": ""}
    program = Program(
        lambda fixes, case: 3 - len(fixes),
        reaches=reaches,
        failing=lambda fixes, case: words if "jit" in case else None,
    )
    found = proof(program, "a")["a"]
    assert found.verdict is Verdict.PROVEN
    assert found.reason == f"compiles per step 3 -> 2, compiles 3 -> 2; 1 case could not be run: opt, jit ({words})"


def test_what_is_told_in_the_meantime_is_what_is_returned_at_the_end() -> None:
    program = Program(lambda fixes, case: 6 - len(fixes), result=lambda fixes, case: 2.0 if "d" in fixes else 1.0)
    judged: list[Evidence] = []
    found = prove([(PATH, fix(key), 1) for key in "abcdef"], sources_with, program, lambda phrase: None, judged.append)
    assert {evidence.key: evidence for evidence in judged} == {evidence.key: evidence for evidence in found.receipts}
    assert len(judged) == 6


def test_of_two_that_do_the_same_one_is_kept() -> None:
    program = Program(lambda fixes, case: 1 if fixes & {"a", "b"} else 2)
    assert sorted(verdict.value for verdict in verdicts(program, "ab").values()) == ["no effect", "proven"]


def test_a_wrong_fix_is_dropped_and_the_others_are_proven() -> None:
    program = Program(lambda fixes, case: 4 - len(fixes), result=lambda fixes, case: 2.0 if "b" in fixes else 1.0)
    found = proof(program, "abc")
    assert [found[key].verdict for key in "abc"] == [Verdict.PROVEN, Verdict.DIFFERENT, Verdict.PROVEN]
    assert "1 became 2" in found["b"].reason
    assert all("b" not in fixes for _, fixes in program.runs[-1:])


def test_a_fix_that_breaks_the_program_is_dropped() -> None:
    program = Program(lambda fixes, case: 4 - len(fixes), failing=lambda fixes, case: "boom" if "a" in fixes else None)
    assert verdicts(program, "ab") == {"a": Verdict.FAILED, "b": Verdict.PROVEN}


def test_two_wrong_fixes_that_cancel_out_are_not_both_proven() -> None:
    program = Program(
        lambda fixes, case: 4 - len(fixes), result=lambda fixes, case: float(len(fixes & {"a", "b"}) == 1)
    )
    assert Verdict.PROVEN not in verdicts(program, "ab").values()


def test_a_program_that_fails_by_itself_proves_nothing() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), failing=lambda fixes, case: "no such file")
    found = proof(program, "a")
    assert found["a"].verdict is Verdict.FAILED
    assert "no such file" in found["a"].reason


def test_a_program_that_fails_where_it_has_called_the_functions_is_run_once() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), repeats=False, failing=lambda fixes, case: "no such file")
    found = proof(program, "ab")
    assert {(entry.verdict, entry.reason) for entry in found.values()} == {
        (Verdict.FAILED, "fails without any fix: no such file")
    }
    assert (len(program.runs), {entry.comparisons for entry in found.values()}) == (1, {()})


def test_a_program_that_a_fix_may_cure_is_run_with_it_though_it_fails() -> None:
    failing = "exit status 1: TypeError: the carry changes its type"
    program = Program(
        lambda fixes, case: 1, repeats=False, failing=lambda fixes, case: None if "a" in fixes else failing,
        reaches={CASE: "a"}, beside=lambda key: (1.0, 1.0),
    )  # fmt: skip
    cure = replace(fix("a"), proves=Proves.ERROR_CURED)
    prove([(PATH, cure, 1)], sources_with, program, lambda phrase: None)
    assert frozenset("a") in {fixes for _, fixes in program.runs}


def test_a_case_that_fails_by_itself_does_not_spoil_the_others() -> None:
    program = Program(
        lambda fixes, case: 2 - len(fixes),
        reaches={"one": "a", "two": "a"},
        failing=lambda fixes, case: "cannot be driven" if case == "two" else None,
    )
    assert verdicts(program, "a") == {"a": Verdict.PROVEN}


def test_what_no_case_calls_is_not_reached_and_never_run() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), reaches={CASE: "a"})
    assert verdicts(program, "az") == {"a": Verdict.PROVEN, "z": Verdict.NOT_REACHED}
    assert all("z" not in fixes for _, fixes in program.runs)


def test_a_case_that_one_fix_reaches_is_run_twice_whatever_else_is_tried() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), reaches={"one": "a", "two": "b", "three": "c"})
    assert set(verdicts(program, "abc").values()) == {Verdict.PROVEN}
    assert len(program.runs) == 6


def test_a_case_that_no_fix_speeds_up_is_not_run_for_each() -> None:
    program = Program(lambda fixes, case: 5 if case == "slow" else 3 - len(fixes), reaches={"fast": "ab", "slow": "ab"})
    assert set(verdicts(program, "ab").values()) == {Verdict.PROVEN}
    assert sum(case == "slow" for case, _ in program.runs) == 2


def test_a_case_that_compiles_more_is_held_against_the_fix() -> None:
    program = Program(
        lambda fixes, case: 1 + len(fixes) if case == "slow" else 3 - len(fixes), reaches={"fast": "a", "slow": "a"}
    )
    assert verdicts(program, "a") == {"a": Verdict.NO_EFFECT}


def test_an_unseeded_program_is_run_once_more_and_not_proven() -> None:
    draws = iter(range(100))
    program = Program(lambda fixes, case: 2 - len(fixes), result=lambda fixes, case: float(next(draws)))
    found = proof(program, "a")
    assert found["a"].verdict is Verdict.NOT_COMPARED
    assert found["a"].reason.startswith("its results differ between two equal runs")


def test_a_receipt_names_command_source_and_line() -> None:
    found = proof(Program(lambda fixes, case: 2 - len(fixes)), "a")["a"]
    assert (found.command, found.source_sha256, found.line) == (CASE, "sha of model.py", 1)


def test_no_candidates_run_nothing() -> None:
    program = Program(lambda fixes, case: 0)
    assert proof(program, "") == {}
    assert program.runs == []


def test_two_proofs_of_the_same_are_the_same() -> None:
    def one() -> dict[str, Evidence]:
        return proof(Program(lambda fixes, case: 5 - len(fixes & {"a", "b", "c"})), "abcd")

    assert one() == one()


def test_a_fix_that_is_proven_in_a_narrow_case_is_not_left_out_in_a_wide_one() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes), reaches={"narrow": "ab", "wide": "abc"})
    assert verdicts(program, "abc") == dict.fromkeys("abc", Verdict.PROVEN)
    assert ("wide", frozenset("bc")) not in program.runs


def test_a_fix_that_is_proven_in_one_dtype_is_not_left_out_in_the_other_one() -> None:
    cases = {f"sgd, {mode}, {dtype}": "ab" for mode in ("eager", "jit") for dtype in ("float32", "bfloat16")}
    program = Program(lambda fixes, case: 3 - len(fixes), reaches=cases)
    found = proof(program, "ab")
    assert {evidence.verdict for evidence in found.values()} == {Verdict.PROVEN}
    without = [(case, fixes) for case, fixes in program.runs if len(fixes) == 1]
    assert sorted(case for case, _ in without) == ["sgd, eager, float32"] * 2 + ["sgd, jit, float32"] * 2
    assert len(program.runs) == 12


def test_fixes_that_no_case_reaches_together_are_left_out_in_the_same_runs() -> None:
    """Beside the runs of none and of all, one without the first of each pair, and one without the second."""
    pairs = {f"optimizer {number}, eager, float32": pair for number, pair in enumerate(("ab", "cd", "eg", "hi"))}
    program = Program(lambda fixes, case: 3 - len(fixes), reaches=pairs)
    assert set(verdicts(program, "abcdeghi").values()) == {Verdict.PROVEN}
    assert program.batches == 4


def test_what_the_first_case_does_not_prove_is_left_out_in_all_others_at_once() -> None:
    cases = {f"optimizer {number}, eager, float32": "ab" for number in range(6)}
    program = Program(lambda fixes, case: 3 - len(fixes - {"b"}), reaches=cases)
    assert verdicts(program, "ab") == {"a": Verdict.PROVEN, "b": Verdict.NO_EFFECT}
    assert program.batches == 2 + 1 + 2


@pytest.mark.parametrize("seed", range(40))
def test_fixes_that_no_case_reaches_together_have_the_verdicts_that_they_have_alone(seed: int) -> None:
    """Generated: parts of several fixes, cases of some of a part each, gains that overlap, and wrong fixes."""
    random = Random(seed)
    parts = ["abc", "de", "g", "hikl"]
    cases = [(part, "".join(random.sample(part, random.randint(1, len(part))))) for part in parts for _ in range(4)]
    reaches = {f"optimizer {number}, eager, float32": keys for number, (_, keys) in enumerate(cases)}
    gains = [frozenset(random.sample(keys, random.randint(1, len(keys)))) for keys in reaches.values()]
    wrong = frozenset(random.sample("abcdeghikl", 2)) if seed % 2 else frozenset()

    def compiles(fixes: frozenset[str], case: str) -> int:
        return 5 - sum(bool(gain & fixes) for gain in gains if gain <= set(reaches[case]))

    def judged(some: Mapping[str, str], keys: str) -> dict[str, Verdict]:
        program = Program(compiles, lambda fixes, case: float(len(fixes & wrong & set(some[case]))), some)
        found = verdicts(program, keys)
        made = [(case, fixes & set(some[case])) for case, fixes in program.runs if fixes & set(some[case])]
        assert len(set(made)) == len(made)
        return found

    apart: dict[str, Verdict] = {}
    for part in parts:
        apart |= judged({case: keys for case, keys in reaches.items() if keys[0] in part}, part)
    assert judged(reaches, "".join(parts)) == apart


def test_beside_a_fix_that_may_move_results_another_one_is_left_out_in_every_case() -> None:
    program = Program(
        lambda fixes, case: 3 - len(fixes),
        # `a` moves the result of the wide case by less than `j` may, and more than `a` may.
        result=lambda fixes, case: 1.0 + 1e-4 * ("a" in fixes and case == "wide"),
        reaches={"narrow": "a", "wide": "aj"},
    )
    assert verdicts(program, "aj")["a"] is Verdict.DIFFERENT


def test_a_case_that_compiles_no_less_still_shows_what_another_fix_blurred() -> None:
    program = Program(
        lambda fixes, case: 3 - len(fixes) if case != "wide" else 3,
        result=lambda fixes, case: 1.0 + 1e-4 * ("a" in fixes and case == "wide"),
        reaches={"narrow": "a", "other": "j", "wide": "aj"},
    )
    assert verdicts(program, "aj")["a"] is Verdict.DIFFERENT


def test_what_is_proven_is_shown_together() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes), reaches={"first": "ab", "second": "b"})
    candidates = [(PATH, fix(key), 1) for key in "ab"]
    found = prove(candidates, lambda fixes: {PATH: "".join(key for _, key in fixes).encode()}, program, lambda _: None)
    assert {c.case: (c.before.compiles, c.after.compiles) for c in found.together} == {
        "first": (3, 1),
        "second": (3, 2),
    }


def test_a_program_is_run_twice_as_it_is() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), repeats=False)
    assert verdicts(program, "a") == {"a": Verdict.PROVEN}
    assert [fixes for _, fixes in program.runs] == [frozenset(), frozenset("a"), frozenset()]


def test_counts_that_differ_between_two_equal_runs_prove_nothing() -> None:
    draws = iter((3, 2, 2))
    found = proof(Program(lambda fixes, case: next(draws), repeats=False), "a")
    assert found["a"].verdict is Verdict.NO_EFFECT
    assert found["a"].reason == "compiles 3 -> 2: two equal runs differ by as much"


def test_one_wrong_fix_among_many_is_found_in_a_logarithm_of_runs() -> None:
    keys = "".join(chr(ord("a") + number) for number in range(26) if number != 9)  # `j` moves results
    program = Program(
        lambda fixes, case: 30 - len(fixes), lambda fixes, case: 2.0 if "q" in fixes else 1.0, {CASE: keys}
    )
    found = verdicts(program, keys)
    joining = [fixes for _, fixes in program.runs if "q" in fixes]
    assert found.pop("q") is Verdict.DIFFERENT and set(found.values()) == {Verdict.PROVEN}
    assert len(joining) <= 6


def test_what_differs_beside_its_original_is_refused_though_the_program_cannot_tell() -> None:
    program = Program(lambda fixes, case: 2 - len(fixes), beside=lambda key: (1.0, 2.0), repeats=False)
    found = proof(program, "a")["a"]
    assert found.verdict is Verdict.DIFFERENT
    assert found.reason.startswith(f"{CASE}: `f_a beside the original, perturbed`: 1 became 2")


def test_what_saves_compiles_in_its_own_lines_beside_its_original_needs_no_run_of_its_own() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes), own_lines=True, beside=lambda key: (1.0, 1.0), repeats=False)
    program.reaches = {CASE: "abc"}
    found = proof(program, "abc")
    assert {evidence.verdict for evidence in found.values()} == {Verdict.PROVEN}
    assert len(program.runs) == 3
    (comparison,) = found["b"].comparisons
    assert comparison.narrow and (comparison.before.steady_compiles, comparison.after.steady_compiles) == (1, 0)


def once(keys: str, beside: Mapping[str, tuple[float, float]], programs: int = 2) -> Program:
    """A program in which each fix takes that many programs out of its lines, of which no step repeats the compile."""
    program = Program(lambda fixes, case: 1, reaches={CASE: keys}, repeats=False)
    program.beside = lambda key: beside.get(key, (1.0, 1.0))
    program.once = programs
    return program


def of_jits(program: Program, keys: str) -> tuple[Evidence, ...]:
    fixes = [replace(fix(key), equality=Equality.ROUNDING) for key in keys]
    jits = {key: f"@jit\ndef f_{key}(): ...\n" for key in keys}

    def patched(made: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        texts = [jits[key] if (PATH, key) in made else jits[key].removeprefix("@jit\n") for key in keys]
        return {PATH: "".join(texts).encode()} if made else {}

    program.text = "".join(text.removeprefix("@jit\n") for text in jits.values()).encode()
    program.decoded = lambda text: frozenset(key for key in keys if jits[key] in text or f'"{PATH}:f_{key}"' in text)
    return prove([(PATH, each, 1) for each in fixes], patched, program, lambda phrase: None).receipts


def test_jits_that_save_programs_in_their_own_lines_are_proven_in_four_runs() -> None:
    program = once("bcde", {})
    found = of_jits(program, "bcde")
    assert {entry.verdict for entry in found} == {Verdict.PROVEN}
    assert len(program.runs) == 4  # as it is, twice; with all; with all, the `jit` taken out
    (comparison,) = found[0].comparisons
    assert comparison.narrow and (comparison.before.compiles, comparison.after.compiles) == (2, 1)


class Stripped(Program):
    """With the `jit` taken out it does what the original does; `apart` says how far that run comes out otherwise."""

    apart: Mapping[str, object] = field(default_factory=dict)

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        (made,) = super().measure(sources, cases, beside=beside)
        if b"jaxfix_probe.bare" not in sources.get(PATH, b""):
            return (made,)
        (plain,) = Program.measure(replace(self, runs=[], with_originals=[]), {PATH: self.text}, cases)
        return (replace(plain, beside=made.beside, razor=made.razor, **self.apart),)  # type: ignore[arg-type]


def stripped(keys: str, **apart: object) -> Program:
    program = once(keys, {})
    found = Stripped(program.compiles, reaches=program.reaches, repeats=False, beside=program.beside, once=program.once)
    found.apart = apart
    return found


@pytest.mark.parametrize(
    ("apart", "runs"),
    [
        ({}, 3),
        ({"stdout": "0.1\n"}, 4),
        ({"outputs": (output("f call 1", 2.0),)}, 4),
        ({"compiles": ()}, 4),
        ({"logged": ("INFO train: 0.1",)}, 4),
        ({"left": (output("train.SEEN", 1.0),)}, 3),
        ({"spent": ()}, 4),
    ],
    ids=["nothing", "output", "results", "compiles", "logs", "new variables", "dispatches"],
)
def test_a_run_without_the_added_jit_serves_as_the_second_one_of_the_original(
    apart: Mapping[str, object], runs: int
) -> None:
    program = stripped("b", **apart)
    of_jits(program, "b")
    assert len(program.runs) == runs


def test_a_jit_is_proven_by_three_runs() -> None:
    program = stripped("b")
    (found,) = of_jits(program, "b")
    assert found.verdict is Verdict.PROVEN
    assert [fixes for _, fixes in program.runs] == [frozenset(), frozenset("b"), frozenset("b")]


def rounding(wrong: str) -> Stripped:
    """A program of three jits, of which one changes a printed number, and single steps of it round differently."""
    program = stripped("bcd", stdout="7\n")
    plain = program._run

    def run(fixes: frozenset[str], case: str, patched: bool) -> Measurement:
        told = plain(fixes, case, patched)
        steps = (replace(each, single=1e-7 * each.function.endswith(wrong)) for each in told.razor)
        return replace(told, razor=tuple(steps), stdout="8\n" if wrong in fixes else "7\n")

    program._run = run  # type: ignore[method-assign]
    return program


@pytest.mark.parametrize("wrong", ["b", "c", "d"])
def test_of_several_jits_those_that_round_are_the_suspects(wrong: str) -> None:
    program = rounding(wrong)
    found = {entry.key: entry.verdict for entry in of_jits(program, "bcd")}
    assert found == {key: Verdict.DIFFERENT if key == wrong else Verdict.PROVEN for key in "bcd"}
    assert len(program.runs) == 5  # as it is; with all and without that one, as they are and their `jit` taken out


def test_what_a_jit_is_left_out_of_needs_no_run_without_the_others() -> None:
    program = stripped("bc")
    program.once = 1
    program.compiles = lambda fixes, case: 5 - len(fixes)
    assert {entry.verdict for entry in of_jits(program, "bc")} == {Verdict.PROVEN}
    assert len(program.runs) == 5  # as it is; with both, as they are and their `jit` taken out; without each


@pytest.mark.parametrize(("label", "runs"), [("f call 1 left `x`", 3), ("f call 2", 4)], ids=["a variable", "a result"])
def test_what_only_one_run_leaves_in_a_variable_has_moved(label: str, runs: int) -> None:
    program = stripped("b", outputs=(output("f call 1", 1.0), output(label, 1.0)))
    of_jits(program, "b")
    assert len(program.runs) == runs


def test_a_jit_beside_a_donation_is_held_to_two_runs_of_the_original() -> None:
    program = stripped("bM")
    jit, plain = "@jit\ndef f_b(): ...\n", "def f_b(): ...\n"

    def patched(made: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        keys = {key for _, key in made}
        return {PATH: ((jit if "b" in keys else plain) + "# M" * ("M" in keys)).encode()} if made else {}

    program.text = plain.encode()
    program.decoded = lambda text: frozenset("b" * ("jit" in text) + "M" * ("# M" in text))
    fixes = [replace(fix("b"), equality=Equality.ROUNDING), fix("M")]
    prove([(PATH, each, 1) for each in fixes], patched, program, lambda phrase: None)
    assert [fixes for _, fixes in program.runs].count(frozenset()) >= 2


@pytest.mark.parametrize(("function", "more"), [("f_w", 0), ("f_b", 1)], ids=["elsewhere", "in the same function"])
def test_what_adds_no_jit_is_left_out_in_one_run_beside_added_ones(function: str, more: int) -> None:
    program = once("bw", {})
    types = replace(fix("w", function), equality=Equality.STRONGER_TYPES)
    fixes = [replace(fix("b"), equality=Equality.ROUNDING), types]
    jit, plain = "@jit\ndef f_b(): ...\n", "def f_b(): ...\n"

    def patched(made: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        keys = {key for _, key in made}
        return {PATH: ((jit if "b" in keys else plain) + "# w" * ("w" in keys)).encode()} if made else {}

    program.text = plain.encode()
    program.decoded = lambda text: frozenset("b" * ("jit" in text) + "w" * ("# w" in text))
    found = prove([(PATH, each, 1) for each in fixes], patched, program, lambda phrase: None).receipts
    assert [entry.verdict for entry in found] == [Verdict.PROVEN, Verdict.PROVEN]
    # as it is, twice; with both; with both, the `jit` taken out; without the types; without the `jit`
    assert len(program.runs) == 5 + more
    assert program.with_originals == [frozenset("bw")]


def inside(keys: str, also_outside: str = "") -> Program:
    """A program in which `f_b` asks for what `keys` compile at each step, and other places for some of it as well."""
    program = Program(lambda fixes, case: 1, reaches={CASE: f"b{keys}"}, repeats=False)
    program.beside, program.once = lambda key: (1.0, 1.0), 1
    plain = program._run
    asked = [("f_b",), *((f"f_{key}", "f_b") for key in keys)]
    others = [(f"f_{key}", "main") for key in also_outside]

    def run(fixes: frozenset[str], case: str, patched: bool) -> Measurement:
        chains = [names for names in [*([] if "b" in fixes else asked), *others] if names[0][2:] not in fixes - {"b"}]
        links = [tuple(f"/there/{PATH}:99 in {name}" for name in names) for names in chains]
        entries = [Compile(PATH, 1, "f", chain, f"{chain}", None, 0.0) for chain in links]
        found = tuple(replace(entry, step=step) for entry in entries for step in range(1, 4))
        told = plain(fixes, case, patched)
        return replace(told, compiles=found, steps=(Step(len(chains), 0, 0, 0.0),) * 3, spent=())

    program._run = run  # type: ignore[method-assign]
    return program


def with_a_jit_around(program: Program, keys: str) -> dict[str, Verdict]:
    equalities = {"b": Equality.ROUNDING}
    fixes = [replace(fix(key), equality=equalities.get(key, Equality.BITWISE)) for key in ("b", *keys)]
    jit, plain = "@jit\ndef f_b(): ...\n", "def f_b(): ...\n"

    def patched(made: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        names = {key for _, key in made}
        return {PATH: ((jit if "b" in names else plain) + "".join(f"#{k}" for k in keys if k in names)).encode()}

    def decoded(text: str) -> frozenset[str]:
        return frozenset("b" * ("jit" in text)) | {key for key in keys if f"#{key}" in text}

    program.text, program.decoded = plain.encode(), decoded
    found = prove([(PATH, each, 1) for each in fixes], patched, program, lambda phrase: None).receipts
    return {entry.key: entry.verdict for entry in found}


def test_what_compiles_nothing_once_a_jit_is_around_it_needs_no_run() -> None:
    program = inside("ac")
    assert with_a_jit_around(program, "ac") == {"b": Verdict.PROVEN, "a": Verdict.NO_EFFECT, "c": Verdict.NO_EFFECT}
    assert {fixes for _, fixes in program.runs} == {frozenset(), frozenset("b")}
    assert len(program.runs) == 4  # as it is, twice; with the `jit`, as it is and taken out


def test_what_a_jit_seemed_to_make_needless_is_judged_where_the_jit_is_not_proven() -> None:
    program = inside("ac")
    plain = program._run

    def run(fixes: frozenset[str], case: str, patched: bool) -> Measurement:
        told, other = plain(fixes, case, patched), Compile(PATH, 1, "f", (), "other", None, 0.0)
        more = tuple(replace(other, program=f"other {number}", step=number % 3 + 1) for number in range(12))
        steps = (Step(4, 0, 0, 0.0),) * 3
        return replace(told, compiles=more, steps=steps) if "b" in fixes else told

    program._run = run  # type: ignore[method-assign]
    found = with_a_jit_around(program, "ac")
    assert found == {"b": Verdict.NO_EFFECT, "a": Verdict.PROVEN, "c": Verdict.PROVEN}


def test_what_compiles_elsewhere_as_well_is_tried_beside_the_jit_around_it() -> None:
    program = inside("ac", also_outside="a")
    assert with_a_jit_around(program, "ac") == {"b": Verdict.PROVEN, "a": Verdict.PROVEN, "c": Verdict.NO_EFFECT}


def test_a_jit_that_makes_as_many_programs_as_it_saves_is_left_out() -> None:
    program = once("bc", {}, programs=1)
    assert Verdict.PROVEN not in {entry.verdict for entry in of_jits(program, "bc")}
    assert len(program.runs) > 4


def test_the_originals_are_not_called_again_where_a_jit_is_left_out_and_the_others_are_taken_out() -> None:
    program = once("bc", {}, programs=1)
    program.compiles = lambda fixes, case: 5 - len(fixes)
    assert {entry.verdict for entry in of_jits(program, "bc")} == {Verdict.PROVEN}
    assert (
        len(program.runs) == 8
    )  # without each, as it is and with its `jit` taken out, beside the four of all and none
    assert program.with_originals == [frozenset("bc")]


def test_a_jit_that_differs_beside_its_original_is_refused_in_a_run_of_several() -> None:
    found = of_jits(once("bcd", {"c": (1.0, 2.0)}), "bcd")
    assert [entry.verdict for entry in found] == [Verdict.PROVEN, Verdict.DIFFERENT, Verdict.PROVEN]


def test_a_donation_of_some_bytes_is_not_run() -> None:
    old, new = (f"@{jit}\ndef f_M(x): ...\n".encode() for jit in ("jit", "partial(jit, donate_argnums=0)"))
    program = Program(lambda fixes, case: 1, reaches={CASE: "M"}, repeats=False, text=old, staged={f"{PATH}:f_M": 400})
    (found,) = prove([(PATH, fix("M"), 1)], lambda made: {PATH: new} if made else {}, program, lambda _: None).receipts
    assert (found.verdict, len(program.runs)) == (Verdict.NO_EFFECT, 1)
    assert found.reason == "what it returns takes 0.0004 MB: a drop of less than 8 MB is noise here"


@pytest.mark.parametrize(("size", "found"), [(4 << 20, Verdict.PROVEN), (1000, Verdict.NO_EFFECT)])
def test_a_donation_that_xla_reports_needs_no_peak(size: int, found: Verdict) -> None:
    program = Program(
        lambda fixes, case: 1,
        reaches={CASE: "M"},
        repeats=False,
        peaks={frozenset(): (300, 302), frozenset("M"): (302,)},
        staged={f"{PATH}:f_M": size},
        donated={frozenset(): 0, frozenset("M"): size},
    )
    assert verdicts(program, "M") == {"M": found}
    assert len(program.runs) <= 3


def test_memory_is_measured_again_as_it_was_measured_first() -> None:
    program = once("bM", {})
    program.peaks = {frozenset("b"): (100, 99, 99), frozenset("bM"): (91, 90, 90)}
    fixes = [replace(fix("b"), equality=Equality.ROUNDING), fix("M")]
    jit, plain = "@jit\ndef f_b(): ...\n", "def f_b(): ...\n"

    def patched(made: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        keys = {key for _, key in made}
        return {PATH: ((jit if "b" in keys else plain) + "# M" * ("M" in keys)).encode()} if made else {}

    program.text = plain.encode()
    program.decoded = lambda text: frozenset("b" * ("jit" in text) + "M" * ("# M" in text))
    prove([(PATH, each, 1) for each in fixes], patched, program, lambda phrase: None)
    assert len(program.with_originals) == 1  # the originals are called where the `jit` is taken out, and nowhere else


def making(staged: int, saved: int = 1) -> Program:
    """A program in which the fix `a` makes the function that `M` donates to."""
    peaks = {frozenset("a"): (900,), frozenset("aM"): (500,)}
    return Program(
        lambda fixes, case: 2 - saved * ("a" in fixes),
        repeats=False,
        made={"M": "a"},
        peaks=peaks,
        staged={f"{PATH}:f_M": staged},
    )


def test_a_donation_to_what_a_proven_fix_has_made_is_judged_in_the_same_proof() -> None:
    program = making(10**8)
    assert verdicts(program, "aM") == {"a": Verdict.PROVEN, "M": Verdict.PROVEN}
    assert (CASE, frozenset("M")) not in program.runs


def test_a_small_donation_to_it_is_not_run() -> None:
    program = making(100)
    found = proof(program, "aM")
    assert (found["M"].verdict, "is noise here" in found["M"].reason) == (Verdict.NO_EFFECT, True)
    assert {fixes for _, fixes in program.runs} == {frozenset(), frozenset("a")}


def test_a_donation_to_what_no_proven_fix_has_made_is_not_reached() -> None:
    assert verdicts(making(10**8, saved=0), "aM") == {"a": Verdict.NO_EFFECT, "M": Verdict.NOT_REACHED}


def test_without_a_call_beside_the_original_each_is_left_out() -> None:
    program = Program(lambda fixes, case: 3 - len(fixes), own_lines=True, repeats=False, reaches={CASE: "abc"})
    assert set(verdicts(program, "abc").values()) == {Verdict.PROVEN}
    assert {frozenset("ab"), frozenset("ac"), frozenset("bc")} <= {fixes for _, fixes in program.runs}


def test_many_that_save_nothing_are_left_out_at_once() -> None:
    keys = "abcdefghiklmnopq"
    program = Program(lambda fixes, case: 9 - ("a" in fixes), repeats=False, reaches={CASE: keys})
    found = verdicts(program, keys)
    assert found.pop("a") is Verdict.PROVEN and set(found.values()) == {Verdict.NO_EFFECT}
    assert len(program.runs) <= 12


def of_memory(before: Sequence[int], after: Sequence[int], key: str = "M") -> Program:
    """A program whose runs, in turn, have these peaks in MB, as it is and with a donation."""
    peaks = {frozenset(): before, frozenset(key): after}
    return Program(lambda fixes, case: 1, reaches={CASE: key}, peaks=peaks, repeats=False)


def test_less_memory_is_told_by_the_least_of_several_runs_where_a_busy_machine_blurs_one() -> None:
    assert verdicts(of_memory([300, 340, 300], [290, 250, 250]), "M") == {"M": Verdict.PROVEN}
    assert verdicts(of_memory([300, 330, 301], [250, 280, 252]), "M") == {"M": Verdict.PROVEN}


def test_a_clear_drop_of_memory_costs_no_more_runs() -> None:
    program = of_memory([300, 301], [250])
    assert verdicts(program, "M") == {"M": Verdict.PROVEN}
    assert len(program.runs) == 3


def test_a_narrow_drop_of_memory_is_measured_again_before_it_is_believed() -> None:
    assert verdicts(of_memory([312, 311, 300], [300, 301]), "M") == {"M": Verdict.NO_EFFECT}
    program = of_memory([312, 311], [300, 301])
    assert verdicts(program, "M") == {"M": Verdict.PROVEN}
    assert [len(made) for _, made in program.runs] == [0, 1, 0, 1, 0, 1]


def test_memory_that_does_not_drop_is_not_measured_again_and_again() -> None:
    program = of_memory([300, 301], [299])
    assert verdicts(program, "M") == {"M": Verdict.NO_EFFECT}
    assert len(program.runs) == 3


def test_memory_that_differs_from_run_to_run_proves_nothing() -> None:
    assert verdicts(of_memory([300, 340, 270, 310], [290, 250, 320]), "M") == {"M": Verdict.NO_EFFECT}


def test_memory_that_rises_is_measured_again_before_it_speaks_against_less_work() -> None:
    assert verdicts(of_memory([300, 301, 300], [330, 300], "W"), "W") == {"W": Verdict.PROVEN}
    assert verdicts(of_memory([300, 301, 300, 300], [330, 331, 330], "W"), "W") == {"W": Verdict.NO_EFFECT}
    program = of_memory([300, 301], [301], "W")
    assert verdicts(program, "W") == {"W": Verdict.PROVEN}
    assert len(program.runs) == 3


@pytest.mark.parametrize("dear", ["a", "b"])
def test_of_two_that_do_the_same_the_dearer_one_stays(dear: str) -> None:
    program = Program(lambda fixes, case: 1 if fixes & {"a", "b"} else 2, repeats=False)
    seconds = {(PATH, key): 9.0 if key == dear else 1.0 for key in "ab"}
    found = prove(
        [(PATH, fix(key), 1) for key in "ab"], sources_with, program, lambda _: None, worth=lambda baseline: seconds
    )
    assert {e.key for e in found.receipts if e.verdict is Verdict.PROVEN} == {dear}
    assert found.kept == {(PATH, dear)} and found.after is not None and found.before is not None
    assert len(program.runs) == len(set(program.runs)) + 1  # of none twice but of the unchanged program
