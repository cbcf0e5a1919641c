"""Fixes that let XLA fuse: the `jit` taken out of a text, what decides, and whole programs."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from benchmarks.rounding.judging import judge
from benchmarks.rounding.others import others
from benchmarks.rounding.programs import THREE, Rewrite, rewrites
from jaxfix.drivers.workflow.planning import LEFT_OUT
from jaxfix.engine.plan import plan
from jaxfix.evidence.bare import bare
from jaxfix.evidence.outputs import Allowed, Noise, likeness
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.evidence.verdict import Pair, Plain
from jaxfix.evidence.verdict import judge as judged
from jaxfix.report.evidence import Comparison, Verdict
from jaxfix.report.finding import Equality
from jaxfix.report.measurement import Compile, Leaf, Measurement, Output, Razor, Step
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

STEP = "def step(x):\n    return x\n"
FUNCTION = "train.py:step"


@pytest.mark.parametrize(
    ("before", "after", "wrapped"),
    [
        (STEP, f"@jax.jit\n{STEP}", '@BARE(jax.jit, "train.py:step")\n'),
        (
            STEP,
            f"@partial(jax.jit, static_argnums=0)\n{STEP}",
            '@BARE(partial(jax.jit, static_argnums=0), "train.py:step")\n',
        ),
        (STEP, f"@eqx.filter_jit\n{STEP}", '@BARE(eqx.filter_jit, "train.py:step")\n'),
        (f"{STEP}a = step\n", f"{STEP}a = jax.jit(step)\n", 'a = BARE(jax.jit, "train.py:step")(step)\n'),
        (f"@jax.jit\n{STEP}", f"@jax.jit\n{STEP}# moved\n", None),
        (STEP, f"class A:\n    @jit\n    def step(self): ...\n{STEP}", '    @BARE(jit, "train.py:A.step")\n'),
    ],
)
def test_only_an_added_jit_is_taken_out(before: str, after: str, wrapped: str | None) -> None:
    found = bare({"train.py": before.encode()}, {"train.py": after.encode()})
    text = found.sources["train.py"].decode()
    text = text.replace('__import__("jaxfix_probe.bare", None, None, ["bare"]).bare', "BARE")
    assert bool(found.names) is (wrapped is not None)
    assert text == after if wrapped is None else wrapped in text


def test_a_text_that_is_no_python_stays() -> None:
    assert bare({"a.py": b"x"}, {"a.py": b"def"}).sources == {"a.py": b"def"}


def run(value: float, *, compiles: int = 1, count: int = 3, printed: str = "", weak: bool = False) -> Measurement:
    leaves = (
        Leaf(".w", "float32", (), weak, str(value), (value,), 0),
        Leaf(".n", "int32", (), False, str(count), (float(count),), 0),
    )
    line = Compile("train.py", 1, "step", (), "scan", None, 0.0)
    steps = (Step(compiles, 0, 0, 0.0),) * 3
    functions, loaded = (FUNCTION,), {"train.py": "0"}
    made = (Output("train", "*", leaves),)
    return Measurement("run", None, (line,) * compiles, 0, steps, made, printed, functions, loaded, 0, None)


RAZOR = Razor(FUNCTION, 20, 6, 12, 6, 0, 1e-7, 3e-16, None, 0.1)
BEFORE, AFTER = run(1.0, compiles=9, printed="loss 0.5 after 3"), run(1.4, printed="loss 0.7 after 3")


def comparison(
    after: Measurement = AFTER,
    plain: Measurement = BEFORE,
    steps: tuple[Razor, ...] = (RAZOR,),
    equality: Equality = Equality.ROUNDING,
) -> Comparison:
    sides = Plain(BEFORE, replace(plain, razor=steps), frozenset({FUNCTION}))
    return judged(Pair(BEFORE, after, plain=sides), equality, FUNCTION)


def test_a_run_that_drifts_is_proven_by_bits_and_single_steps() -> None:
    found = comparison()
    assert found.verdict is Verdict.PROVEN
    assert found.equality == (
        "bitwise equal with the added `jit` taken out; 6 single steps under jit within 3.0e-16 in double precision; "
        "the whole run drifts by 4.0e-01 in `train`.w, of values up to 1.0e+00, "
        "the last number printed is 0.7 after 0.5"
    )


def test_an_array_that_drifts_is_printed_with_other_blanks() -> None:
    old, new = "[ 362.8652  -200.80347    1.    ] 7", "[ 362.86926 -200.7961     1.    ] 7"
    differ = [
        likeness(replace(BEFORE, stdout=old), replace(AFTER, stdout=text), Allowed(drifts=True)).difference
        for text in (new, new.replace("7", "8"), new.replace("1. ", ""))
    ]
    assert [difference is None for difference in differ] == [True, False, False]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (comparison(plain=run(1.0 + 1e-7)), "even without the added `jit`, `train`.w"),
        (comparison(steps=(replace(RAZOR, difference="step 4: far apart"),)), "`step` under jit, step 4: far apart"),
        (comparison(run(1.4, count=4)), "`train`.n"),
        (comparison(run(1.4, weak=True)), "`train`.w: strongly typed"),
        (comparison(replace(AFTER, stdout="loss 0.7 after 4")), "printed line 1"),
        (comparison(replace(AFTER, failure="exit status 1")), "fails with the change"),
    ],
)
def test_what_rounding_does_not_excuse_is_different(found: Comparison, reason: str) -> None:
    assert found.verdict in (Verdict.DIFFERENT, Verdict.FAILED)
    assert found.reason.startswith(reason), found.reason


def test_a_step_that_was_not_compared_is_no_difference() -> None:
    words = "no step of `step` could be compared with the jitted one"
    for steps in ((), (replace(RAZOR, steps=0, leaves=0),)):
        found = comparison(steps=steps)
        assert (found.verdict, found.reason) == (Verdict.NOT_COMPARED, words)
    stopped = replace(BEFORE, stopped="at the time limit")
    found = comparison(plain=stopped, steps=())
    assert found.reason == f"{words} before the run was stopped at the time limit: raise `--timeout`"
    assert comparison(plain=run(2.0), steps=()).verdict is Verdict.DIFFERENT


def test_what_a_method_was_given_says_nothing_where_all_that_it_binds_is_random() -> None:
    given, bound = (
        tuple(Output(f"{FUNCTION} call 1 left `{name}`", "*", BEFORE.outputs[0].leaves[:1]) for name in names)
        for names in (("x", "xs"), ("self.params", "self.mean"))
    )
    labels = [output.label for output in bound]
    for random, verdict in ((labels, Verdict.NOT_COMPARED), (labels[:1], Verdict.PROVEN), ([], Verdict.PROVEN)):
        before, after = (replace(each, outputs=(*given, *bound)) for each in (BEFORE, AFTER))
        sides = Plain(before, replace(before, razor=(RAZOR,)), frozenset({FUNCTION}))
        pair = Pair(before, after, plain=sides, noise=Noise(frozenset(random)))
        assert judged(pair, Equality.ROUNDING, FUNCTION).verdict is verdict
    only_local = replace(pair, noise=Noise(frozenset(output.label for output in given)))
    assert judged(only_local, Equality.ROUNDING, FUNCTION).verdict is Verdict.PROVEN


def test_a_call_that_a_stop_has_ended_is_no_difference() -> None:
    stopped = replace(AFTER, outputs=(*AFTER.outputs, Output("main", "raised", ())), stopped="at the time limit")
    whole = replace(BEFORE, outputs=(*BEFORE.outputs, Output("main", "*", ())))
    assert comparison(plain=replace(stopped, outputs=(*BEFORE.outputs, stopped.outputs[-1]))).verdict is Verdict.PROVEN
    assert likeness(whole, stopped, Allowed(drifts=True)).difference is None
    assert likeness(whole, replace(stopped, stopped=None), Allowed(drifts=True)).difference is not None


def test_a_count_that_drifts_is_said_to_hang_on_rounding() -> None:
    words = "with the added `jit`, a discrete result depends on rounding"
    assert comparison(run(1.4, count=4)).reason.endswith(words)
    assert comparison(replace(AFTER, stdout="loss 0.7 after 4")).reason.endswith(words)
    assert not comparison(run(1.4, weak=True)).reason.endswith(words)
    assert not comparison(plain=run(1.0 + 1e-7)).reason.endswith(words)


def test_another_fix_of_such_a_run_is_held_to_its_bits_where_nothing_drifts() -> None:
    assert comparison(equality=Equality.BITWISE).verdict is Verdict.PROVEN
    assert comparison(equality=Equality.BITWISE, plain=run(1.0 + 1e-7)).verdict is Verdict.DIFFERENT


CASES = [*rewrites(), *others()]
QUICK = ("Adam by hand", "a rate that decays, read once", "moving average with 1 - decay")


@pytest.mark.evidence
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in QUICK])
def test_a_right_rewrite_that_rounds_is_proven_and_one_that_reads_once_is_not(name: str) -> None:
    (rewrite,) = (entry for entry in CASES if entry.name == name)
    _is_judged_right(rewrite)


@pytest.mark.slow
@pytest.mark.parametrize("rewrite", [entry for entry in CASES if entry.name not in QUICK], ids=lambda entry: entry.name)
def test_a_rewrite_is_proven_if_it_is_right(rewrite: Rewrite) -> None:
    _is_judged_right(rewrite)


def _is_judged_right(rewrite: Rewrite) -> None:
    found = judge(rewrite)
    assert found.is_expected, (found.verdict, found.reason)


class Remembering(ProgramRunner):
    """Runs the program once with every set of sources, and twice without any: two runs show what changes by itself."""

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        self.known: dict[object, list[tuple[Measurement, ...]]] = getattr(self, "known", {})
        runs = self.known.setdefault((frozenset(sources.items()), beside), [])
        if len(runs) < (1 if sources else 2):
            runs.append(super().measure(sources, cases, beside=beside, again=again))
        runs.reverse()
        return runs[0]


@pytest.mark.slow
def test_each_fix_of_a_program_is_held_to_its_own_promise(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(THREE)
    chosen = ("unjitted-update", "local-loop-function")
    codemods = [codemod for codemod in CODEMODS if codemod.id in chosen]
    source = SourceFile.decode("train.py", THREE.encode())

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        keys = {key for _, key in fixes}
        made = plan(source, codemods, lambda fix: None if fix.key in keys else LEFT_OUT).after
        return {"train.py": made} if keys else {}

    fixes = {fix.function: fix for fix in plan(source, codemods, lambda fix: None).applied}
    promises = {"smoothed": Equality.NUMBERS, "discounted": Equality.BITWISE, "main": Equality.ROUNDING}
    assert {name: fix.equality for name, fix in fixes.items()} == promises
    functions = [("train.py", name) for name in fixes]
    verdicts: dict[frozenset[str], dict[str, Verdict]] = {}
    runner = Remembering(tmp_path, f"{sys.executable} train.py", functions)
    for count in (1, 2, 3):
        for names in permutations(fixes, count):
            candidates = [("train.py", fixes[name], 1) for name in names]
            receipts = prove(candidates, patched, runner, lambda phrase: None).receipts
            found = {name: entry.verdict for name, entry in zip(names, receipts, strict=True)}
            for name, verdict in found.items():  # beside `main` under `jit` the others may compile nothing
                allowed = {Verdict.PROVEN, *({Verdict.NO_EFFECT} if "main" in set(names) - {name} else ())}
                assert verdict in allowed, [entry.reason for entry in receipts]
            assert verdicts.setdefault(frozenset(names), found) == found
            proven = (pair for pair in zip(names, receipts, strict=True) if pair[1].verdict is Verdict.PROVEN)
            words = {name: entry.comparisons[0].equality for name, entry in proven}
            assert words.get("discounted", "bitwise equal; ").startswith("bitwise equal; ")
            assert "in double precision" in words.get("smoothed", "in double precision")
            assert "the added `jit` taken out" in words.get("main", "the added `jit` taken out")
