"""The law: what two runs say of a fix."""

from dataclasses import replace

import pytest

from jaxfix.evidence import effects
from jaxfix.evidence.outputs import SILENCE, Allowed, Noise, noise
from jaxfix.evidence.verdict import Pair, compare, judge, runs_agree, summary
from jaxfix.report.evidence import Comparison, Level, Verdict
from jaxfix.report.finding import Equality, Proves
from jaxfix.report.measurement import Beside, Compile, Kind, Leaf, Measurement, Output, Spent, Step, Traced
from jaxfix.report.wire import from_json, to_json

FUNCTION = "train.py:step"
EAGER, JITTED = "optax.radam, eager, float32", "optax.radam, jit, float32"


def leaf(*values: float, dtype: str = "float32", weak: bool = False, digest: str | None = "same") -> Leaf:
    nans = sum(value != value for value in values)
    text = f"{dtype}{values}" if digest == "same" else digest
    return Leaf("['w']", dtype, (len(values),), weak, text, values, nans)


def run(
    *outputs: Leaf,
    steps: tuple[int, ...] = (1, 1, 1, 1),
    total: int | None = None,
    case: str = EAGER,
    failure: str | None = None,
    stdout: str = "",
) -> Measurement:
    line = Compile("train.py", 1, "step", (), "scan", None, 0.1)
    made = tuple(Output(f"update {number}", "*", (entry,)) for number, entry in enumerate(outputs, 1))
    return Measurement(
        case=case,
        failure=failure,
        compiles=(line,) * (sum(steps) if total is None else total),
        traces=0,
        steps=tuple(Step(count, 0, 0, 0.0) for count in steps),
        outputs=made,
        stdout=stdout,
        functions=(FUNCTION,),
        loaded={"train.py": "0"},
        peak_bytes=0,
        environment=None,
    )


BEFORE, CURED = run(leaf(1.0, 2.0)), run(leaf(1.0, 2.0), steps=(1, 0, 0, 0))


def verdict(before: Measurement, after: Measurement, equality: Equality = Equality.BITWISE) -> Verdict:
    return compare(before, after, equality, FUNCTION).verdict


def test_fewer_compiles_and_the_same_bits_are_proof() -> None:
    comparison = compare(BEFORE, CURED, Equality.BITWISE, FUNCTION)
    assert (comparison.verdict, comparison.equality) == (Verdict.PROVEN, "bitwise equal")
    assert comparison.reason == "compiles per step 1 -> 0, compiles 4 -> 1"


def test_the_course_of_many_steps_is_thinned_and_keeps_every_peak() -> None:
    many = run(leaf(1.0), steps=(1, *[0] * 497, 7, 0))
    comparison = compare(many, run(leaf(1.0), steps=(1,)), Equality.BITWISE, FUNCTION)
    course = comparison.course_before
    assert course is not None and comparison.course_after is None
    assert len(course.steps) <= 120 and course.steps[-1] == 500 and sum(course.compiles) == 8
    assert from_json(Comparison, to_json(comparison)) == comparison


def test_fewer_compiles_in_all_are_proof_without_steps() -> None:
    before, after = run(leaf(1.0), steps=(), total=2), run(leaf(1.0), steps=(), total=1)
    assert compare(before, after, Equality.BITWISE, FUNCTION).reason == "compiles 2 -> 1"


def test_the_same_counts_are_no_effect() -> None:
    assert verdict(BEFORE, BEFORE) is Verdict.NO_EFFECT


def test_times_and_memory_decide_nothing() -> None:
    faster = replace(BEFORE, steps=tuple(replace(step, seconds=9.0, rss_bytes=9) for step in BEFORE.steps))
    assert verdict(faster, BEFORE) is Verdict.NO_EFFECT


def test_compiles_that_rise_per_step_are_no_effect() -> None:
    comparison = compare(CURED, BEFORE, Equality.BITWISE, FUNCTION)
    assert comparison.verdict is Verdict.NO_EFFECT
    assert "rise" in comparison.reason


def test_fewer_per_step_but_more_in_all_is_no_effect() -> None:
    assert verdict(BEFORE, run(leaf(1.0, 2.0), steps=(9, 0, 0, 0))) is Verdict.NO_EFFECT


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (leaf(1.0, 2.5), "`update 1`['w'][1]: 2 became 2.5, 2.5e-01 of the largest value"),
        (leaf(1.0, 2.0, dtype="bfloat16"), "`update 1`['w']: float32[2] became bfloat16[2]"),
        (leaf(1.0, 2.0, 3.0), "`update 1`['w']: float32[2] became float32[3]"),
        (leaf(1.0, 2.0, weak=True), "`update 1`['w']: strongly typed float32[2] became weakly typed"),
        (leaf(1.0, float("nan")), "`update 1`['w']: 0 NaNs became 1"),
        (leaf(1.0, 2.0, digest="elsewhere"), "`update 1`['w']: values differ beyond the sampled ones"),
        (leaf(1.0, 2.0, digest=None), "`update 1`['w']: its values are known only without the change"),
    ],
    ids=["value", "dtype", "shape", "weak-type", "nan", "unsampled", "unknown"],
)
def test_what_differs_is_named(other: Leaf, said: str) -> None:
    comparison = compare(BEFORE, run(other, steps=(1, 0, 0, 0)), Equality.BITWISE, FUNCTION)
    assert (comparison.verdict, comparison.reason) == (Verdict.DIFFERENT, said)


def test_the_index_of_a_difference_is_that_of_the_array() -> None:
    values = tuple(float(n) for n in range(6))
    before = replace(leaf(*values), shape=(2, 3))
    after = replace(leaf(*values[:4], 4.5, 5.0), shape=(2, 3))
    assert "[1, 1]: 4 became 4.5" in compare(run(before), run(after), Equality.BITWISE, FUNCTION).reason


def test_another_structure_is_different() -> None:
    other = replace(CURED, outputs=(replace(CURED.outputs[0], treedef="(*, *)"),))
    assert verdict(BEFORE, other) is Verdict.DIFFERENT


def test_a_call_more_is_different() -> None:
    assert verdict(BEFORE, run(leaf(1.0, 2.0), leaf(1.0, 2.0), steps=(1, 0, 0, 0))) is Verdict.DIFFERENT


def test_weak_may_become_strong_only_where_the_codemod_says_so() -> None:
    weak = run(leaf(1.0, weak=True))
    strong = run(leaf(1.0), steps=(1, 0, 0, 0))
    comparison = compare(weak, strong, Equality.STRONGER_TYPES, FUNCTION)
    assert comparison.verdict is Verdict.PROVEN
    assert comparison.equality == "bitwise equal; weak type became strong in `update 1['w']`"
    assert verdict(weak, strong) is Verdict.DIFFERENT
    assert verdict(strong, weak, Equality.STRONGER_TYPES) is Verdict.DIFFERENT


def test_a_jitted_case_must_be_bitwise_under_as_jitted() -> None:
    before, near = run(leaf(1.0), case=JITTED), run(leaf(1.0000001), case=JITTED, steps=(1, 0, 0, 0))
    assert verdict(before, near, Equality.AS_JITTED) is Verdict.DIFFERENT


def test_an_eager_case_may_move_within_the_tolerance_that_is_stated() -> None:
    near, far = (run(leaf(1.0, value), steps=(1, 0, 0, 0)) for value in (2.001, 2.1))
    comparison = compare(BEFORE, near, Equality.AS_JITTED, FUNCTION)
    assert (comparison.verdict, comparison.equality) == (Verdict.PROVEN, "eager within 5.0e-04 of the largest value")
    assert verdict(BEFORE, far, Equality.AS_JITTED) is Verdict.DIFFERENT


def test_an_integer_has_no_tolerance() -> None:
    before, after = (run(leaf(value, dtype="int32")) for value in (1e6, 1e6 + 1))
    assert verdict(before, after, Equality.AS_JITTED) is Verdict.DIFFERENT


def test_a_nan_elsewhere_has_no_tolerance() -> None:
    nan = float("nan")
    before, after = run(leaf(1.0, nan)), run(leaf(nan, 1.0))
    assert verdict(before, after, Equality.AS_JITTED) is Verdict.DIFFERENT


def test_an_eager_case_may_move_onto_its_jitted_original_however_far() -> None:
    after = run(leaf(1.0, 2.1), steps=(1, 0, 0, 0))
    jitted = run(leaf(1.0, 2.1, weak=True), case=JITTED)
    comparison = judge(Pair(BEFORE, after, jitted), Equality.AS_JITTED, FUNCTION)
    assert comparison.verdict is Verdict.PROVEN
    assert comparison.equality == "bitwise the original under jit; eager within 5.0e-02 of the largest value"


def test_an_eager_case_may_not_leave_both_originals() -> None:
    after, jitted = run(leaf(1.0, 2.1), steps=(1, 0, 0, 0)), run(leaf(1.0, 2.2), case=JITTED)
    assert judge(Pair(BEFORE, after, jitted), Equality.AS_JITTED, FUNCTION).verdict is Verdict.DIFFERENT


def test_the_types_of_an_eager_case_stay_those_of_its_eager_original() -> None:
    after = run(leaf(1.0, 2.1, weak=True), steps=(1, 0, 0, 0))
    jitted = run(leaf(1.0, 2.1, weak=True), case=JITTED)
    assert judge(Pair(BEFORE, after, jitted), Equality.AS_JITTED, FUNCTION).verdict is Verdict.DIFFERENT


def test_a_failure_that_both_share_proves_nothing() -> None:
    failing = replace(BEFORE, failure="exit status 1: boom")
    assert verdict(failing, replace(CURED, failure="exit status 1: boom")) is Verdict.FAILED
    assert verdict(BEFORE, replace(CURED, failure="exit status 1: boom")) is Verdict.FAILED
    assert verdict(failing, CURED) is Verdict.DIFFERENT


def test_a_function_that_never_ran_is_not_reached() -> None:
    silent = replace(BEFORE, functions=())
    assert verdict(silent, replace(CURED, functions=())) is Verdict.NOT_REACHED


def test_a_patched_file_that_nobody_loaded_is_not_reached() -> None:
    assert verdict(BEFORE, replace(CURED, loaded={})) is Verdict.NOT_REACHED


@pytest.mark.parametrize("digest", [None], ids=["traced"])
def test_what_has_no_values_is_not_compared(digest: str | None) -> None:
    before, after = run(leaf(digest=digest)), run(leaf(digest=digest), steps=(1, 0, 0, 0))
    assert verdict(before, after) is Verdict.NOT_COMPARED
    assert verdict(run(), run(steps=(1, 0, 0, 0))) is Verdict.NOT_COMPARED


@pytest.mark.parametrize(
    ("before", "after", "equality", "agrees"),
    [
        ("loss 0.5\n", "loss 0.5\n", Equality.BITWISE, True),
        ("loss 0.5\n", "loss 0.5000001\n", Equality.BITWISE, False),
        ("loss 0.5\n", "loss 0.5002\n", Equality.AS_JITTED, True),
        ("loss 0.5\n", "loss 0.6\n", Equality.AS_JITTED, False),
        ("loss 0.5\n", "gain 0.5\n", Equality.AS_JITTED, False),
        ("loss 0.5\n", "loss 0.5\ndone\n", Equality.BITWISE, False),
        ("took 0.31 s at 12.5 it/s\n", "took 0.02 s at 99.1 it/s\n", Equality.BITWISE, True),
        ("<f at 0x7f01>\n", "<f at 0x7f99>\n", Equality.BITWISE, True),
        ("Array(1., weak_type=True)\n", "Array(1.)\n", Equality.STRONGER_TYPES, True),
        ("Array(1., weak_type=True)\n", "Array(1.)\n", Equality.BITWISE, False),
    ],
)
def test_what_is_printed_counts(before: str, after: str, equality: Equality, agrees: bool) -> None:
    old, new = replace(BEFORE, stdout=before), replace(CURED, stdout=after)
    assert verdict(old, new, equality) is (Verdict.PROVEN if agrees else Verdict.DIFFERENT)


def test_what_differs_between_equal_runs_is_not_held_against_a_fix() -> None:
    first, second = (run(leaf(1.0), leaf(value), stdout=f"seed {value}\nok\n") for value in (1.0, 2.0))
    heard = noise(first, second)
    assert heard == Noise(frozenset({"update 2"}), frozenset({0}))
    after = run(leaf(1.0), leaf(3.0), stdout="seed 3\nok\n", steps=(1, 0, 0, 0))
    comparison = judge(Pair(first, after, noise=heard), Equality.BITWISE, FUNCTION)
    assert comparison.equality == "bitwise equal; except what differs between two equal runs"
    wrong = run(leaf(9.0), leaf(3.0), stdout="seed 3\nok\n", steps=(1, 0, 0, 0))
    assert judge(Pair(first, wrong, noise=heard), Equality.BITWISE, FUNCTION).verdict is Verdict.DIFFERENT


def test_all_noise_is_not_compared() -> None:
    first, second = run(leaf(1.0)), run(leaf(2.0))
    after = run(leaf(3.0), steps=(1, 0, 0, 0))
    comparison = judge(Pair(first, after, noise=noise(first, second)), Equality.BITWISE, FUNCTION)
    assert comparison.verdict is Verdict.NOT_COMPARED


def comparisons(*pairs: tuple[Measurement, Measurement]) -> list[Comparison]:
    return [compare(before, after, Equality.BITWISE, FUNCTION) for before, after in pairs]


def test_one_different_case_outweighs_all_proofs() -> None:
    wrong = run(leaf(7.0, 7.0), steps=(1, 0, 0, 0))
    assert summary(comparisons((BEFORE, CURED), (BEFORE, wrong)))[0] is Verdict.DIFFERENT


def test_a_case_that_compiles_more_per_step_outweighs_a_proof() -> None:
    assert summary(comparisons((BEFORE, CURED), (CURED, BEFORE)))[0] is Verdict.NO_EFFECT


def test_a_start_that_costs_as_much_as_is_saved_is_told() -> None:
    before, after = run(leaf(1.0), steps=(2, 0, 0)), run(leaf(1.0), steps=(1, 0, 0))
    found, reason = summary(comparisons((before, after), (after, before)))
    assert found is Verdict.PROVEN
    assert reason.startswith("compiles 2 -> 1; 1 more at the start")
    dear = run(leaf(1.0), steps=(4, 0, 0))
    assert summary(comparisons((before, after), (after, dear)))[0] is Verdict.NO_EFFECT


def test_no_comparison_is_not_reached() -> None:
    assert summary([])[0] is Verdict.NOT_REACHED


def test_of_programs_that_were_stopped_only_the_common_steps_count() -> None:
    before = replace(run(leaf(1.0), steps=(1, 1, 1)), stopped="at the time limit")
    after = replace(run(leaf(1.0), leaf(2.0), steps=(1, 0, 0, 0, 1, 1)), stopped="at the time limit")
    numbered = [replace(line, step=number) for number, line in enumerate(before.compiles, 1)]
    pair = Pair.of(replace(before, compiles=tuple(numbered)), after, None, Noise())
    found = judge(pair, Equality.BITWISE, FUNCTION)
    assert (found.verdict, found.equality) == (Verdict.PROVEN, "bitwise equal; stopped at the time limit")


def test_a_call_beside_the_original_compares_what_the_program_never_shows() -> None:
    traced = replace(CURED, outputs=())
    beside = Beside(FUNCTION, "perturbed", Output("", "*", (leaf(1.0),)), Output("", "*", (leaf(1.0),)))
    before = replace(BEFORE, outputs=())
    assert compare(before, traced, Equality.BITWISE, FUNCTION).verdict is Verdict.NOT_COMPARED
    found = compare(before, replace(traced, beside=(beside,)), Equality.BITWISE, FUNCTION)
    assert (found.verdict, found.beside) == (Verdict.PROVEN, 1)
    assert found.equality == "bitwise equal; as the original in 1 call beside it"


def test_what_rounds_in_a_dtype_that_the_program_never_passes_limits_the_proof() -> None:
    halved = Beside(FUNCTION, "perturbed, in bfloat16", Output("", "*", (leaf(1.0),)), Output("", "*", (leaf(2.0),)))
    assert compare(BEFORE, replace(CURED, beside=(halved,)), Equality.BITWISE, FUNCTION).verdict is Verdict.DIFFERENT
    foreign = replace(halved, foreign=True, double=1e-16)
    found = compare(BEFORE, replace(CURED, beside=(foreign, foreign)), Equality.BITWISE, FUNCTION)
    assert (found.verdict, found.beside) == (Verdict.PROVEN, 0)
    assert found.equality == "bitwise equal; rounds differently in bfloat16, which the program never passes"
    retyped = replace(foreign, after=Output("", "*", (leaf(2.0, dtype="bfloat16"),)))
    raised = replace(foreign, after=Output("", "raised TypeError", ()))
    others = replace(halved, how="perturbed"), replace(foreign, double=1e-6), replace(foreign, double=None)
    for other in (*others, retyped, raised):
        wrong = compare(BEFORE, replace(CURED, beside=(foreign, other)), Equality.BITWISE, FUNCTION)
        assert wrong.verdict is Verdict.DIFFERENT


def test_means_of_whole_numbers_that_the_program_never_passes_may_round() -> None:
    """They stay in single precision where floats are widened."""
    values = Output("", "*", (leaf(1.0),)), Output("", "*", (leaf(1.0000001),))
    whole = Beside(FUNCTION, "given the same bytes as integers", *values, foreign=True, double=6e-8)
    plain = replace(whole, how="perturbed", after=values[0])
    before, after = (replace(run, case="python train.py") for run in (BEFORE, CURED))
    found = compare(before, replace(after, beside=(plain, whole)), Equality.FUSED, FUNCTION)
    assert found.verdict is Verdict.PROVEN
    assert "rounds differently given the same bytes as integers, which the program never passes" in found.equality
    for other in (replace(whole, foreign=False), replace(whole, double=1e-6), replace(whole, double=None)):
        wrong = compare(before, replace(after, beside=(plain, other)), Equality.FUSED, FUNCTION)
        assert wrong.verdict is Verdict.DIFFERENT
    exact = compare(before, replace(after, beside=(plain, whole)), Equality.BITWISE, FUNCTION)
    assert exact.verdict is Verdict.DIFFERENT


def test_what_drifts_under_a_transformation_is_told_by_double_precision_where_it_is_that_already() -> None:
    """Of single precision a little is let pass as it is."""
    drifted = Beside(FUNCTION, "under jit", Output("", "*", ()), Output("", "*", ()))

    def verdict(away: float, dtype: str, double: float | None) -> Verdict:
        values = Output("", "*", (leaf(1.0, dtype=dtype),)), Output("", "*", (leaf(1.0 + away, dtype=dtype),))
        entry = replace(drifted, before=values[0], after=values[1], double=double)
        return compare(BEFORE, replace(CURED, beside=(entry,)), Equality.BITWISE, FUNCTION).verdict

    assert verdict(1e-6, "float32", None) is Verdict.PROVEN
    assert verdict(1e-12, "float64", None) is Verdict.PROVEN
    assert verdict(1e-6, "float64", 1e-14) is Verdict.PROVEN
    for double in (1e-6, None):
        assert verdict(1e-6, "float64", double) is Verdict.DIFFERENT


TRACED = Traced(FUNCTION, ("float32[3]", "int32[]"), is_same=True, any_size=True)
ELSEWHERE = replace(TRACED, function="train.py:other", is_same=False)


@pytest.mark.parametrize(
    ("programs", "level", "words"),
    [
        (
            (TRACED, ELSEWHERE),
            Level.PROGRAM_OF_ANY_SIZE,
            "; the same program for every value of float32[3], int32[] and every size from 2 on (equal sizes "
            "stay equal), if all else is as in a call",
        ),
        (
            (TRACED, replace(TRACED, arrays=("key<fry>[]",), any_size=False)),
            Level.PROGRAM,
            "; the same program for every value of float32[3], int32[] or key<fry>[], if all else is as in 2 calls",
        ),
        (
            (replace(TRACED, arrays=("bool[]",), any_size=False, besides=("count", "settings.rate")),),
            Level.PROGRAM,
            "; the same program for every value of bool[], if `count`, `settings.rate` and all else are as in a call",
        ),
        ((TRACED, replace(TRACED, is_same=False)), Level.BITWISE, ""),
        ((TRACED, replace(TRACED, computes=False)), Level.BITWISE, ""),
        ((), Level.BITWISE, ""),
    ],
)
def test_the_same_program_is_the_strongest_word(programs: tuple[Traced, ...], level: Level, words: str) -> None:
    found = compare(BEFORE, replace(CURED, programs=programs), Equality.BITWISE, FUNCTION)
    assert (found.verdict, found.level, found.equality) == (Verdict.PROVEN, level, f"bitwise equal{words}")


def test_the_same_program_proves_what_returns_nothing_to_compare() -> None:
    before, after = replace(BEFORE, outputs=()), replace(CURED, outputs=(), programs=(TRACED,))
    found = compare(before, after, Equality.BITWISE, FUNCTION)
    assert found.verdict is Verdict.PROVEN
    assert found.equality.startswith("the same program for every value")


# --- memory ---------------------------------------------------------------------------------------------------


def with_peak(measurement: Measurement, megabytes: int, device: int | None = None) -> Measurement:
    on_device = None if device is None else device * 1_000_000
    return replace(measurement, peak_bytes=megabytes * 1_000_000, device_peak_bytes=on_device)


def memory(before: Measurement, after: Measurement, heard: Noise = SILENCE) -> Comparison:
    return judge(Pair(before, after, noise=heard), Equality.BITWISE, FUNCTION, proves=Proves.LESS_MEMORY)


def test_a_lower_peak_is_proof_of_a_donation() -> None:
    found = memory(with_peak(BEFORE, 500), with_peak(BEFORE, 350))
    assert (found.verdict, found.reason) == (Verdict.PROVEN, "peak memory of the process 500 -> 350 MB")


def test_a_peak_within_what_two_equal_runs_differ_by_is_none() -> None:
    assert memory(with_peak(BEFORE, 500), with_peak(BEFORE, 495)).verdict is Verdict.NO_EFFECT
    heard = noise(with_peak(BEFORE, 500), with_peak(BEFORE, 460))
    assert memory(with_peak(BEFORE, 500), with_peak(BEFORE, 400), heard).verdict is Verdict.NO_EFFECT
    assert memory(with_peak(BEFORE, 500), with_peak(BEFORE, 600)).verdict is Verdict.NO_EFFECT


def test_the_memory_of_a_device_counts_before_that_of_the_process() -> None:
    found = memory(with_peak(BEFORE, 500, 300), with_peak(BEFORE, 500, 200))
    assert (found.verdict, found.reason) == (Verdict.PROVEN, "peak memory of the device 300 -> 200 MB")
    assert memory(with_peak(BEFORE, 500, 300), with_peak(BEFORE, 300)).verdict is Verdict.NOT_COMPARED


def test_a_lower_peak_excuses_neither_compiles_nor_values() -> None:
    rising = with_peak(run(leaf(1.0, 2.0), steps=(1, 2, 2, 2)), 100)
    assert memory(with_peak(BEFORE, 500), rising).verdict is Verdict.NO_EFFECT
    assert memory(with_peak(BEFORE, 500), with_peak(run(leaf(1.0, 2.5)), 100)).verdict is Verdict.DIFFERENT


def test_memory_is_no_effect_of_other_fixes() -> None:
    before, after = with_peak(BEFORE, 500), with_peak(BEFORE, 100)
    assert compare(before, after, Equality.BITWISE, FUNCTION).verdict is Verdict.NO_EFFECT


def donating(measurement: Measurement, donated: int | None, temporary: int = 0) -> Measurement:
    """The run, in which each compile of the one program overwrites so many megabytes of its arguments."""
    told = [None if size is None else size * 1_000_000 for size in (donated, temporary)]
    made = (replace(entry, donated_bytes=told[0], temporary_bytes=told[1]) for entry in measurement.compiles)
    return replace(measurement, compiles=tuple(made))


def test_what_xla_overwrites_is_proof_of_a_donation_that_no_peak_shows() -> None:
    quiet = with_peak(BEFORE, 500)
    found = memory(donating(quiet, 0), donating(quiet, 4))
    words = "donated buffers 0.0 -> 4.0 MB, as XLA reports; peak memory"
    assert (found.verdict, found.reason.partition(" of the ")[0]) == (Verdict.PROVEN, words)
    assert memory(donating(quiet, None), donating(quiet, None)).verdict is Verdict.NO_EFFECT
    assert memory(donating(quiet, None), donating(quiet, 4)).verdict is Verdict.NO_EFFECT


@pytest.mark.parametrize(
    ("donated", "temporary", "peak"),
    [(1, 0, 500), (0, 0, 500), (4, 4, 500), (4, 0, 520)],
    ids=["little", "nothing", "a copy for it", "a peak that rises"],
)
def test_what_xla_overwrites_is_none_where_it_saves_nothing(donated: int, temporary: int, peak: int) -> None:
    quiet = with_peak(BEFORE, 500)
    found = memory(donating(quiet, 0), donating(with_peak(BEFORE, peak), donated, temporary))
    assert found.verdict is Verdict.NO_EFFECT


# --- functions that came under a trace ------------------------------------------------------------------------


def calling(measurement: Measurement, *, calls: int) -> Measurement:
    made = tuple(Output(f"{FUNCTION} call {number}", "*", (leaf(1.0),)) for number in range(1, calls + 1))
    return replace(measurement, outputs=(*measurement.outputs, *made), calls={FUNCTION: calls} if calls else {})


def test_a_function_that_came_under_jit_has_no_calls_of_its_own_left() -> None:
    before, after = calling(BEFORE, calls=3), calling(CURED, calls=0)
    assert compare(before, after, Equality.AS_JITTED, FUNCTION).verdict is Verdict.PROVEN
    assert compare(before, after, Equality.BITWISE, FUNCTION).verdict is Verdict.DIFFERENT
    fewer = calling(CURED, calls=2)
    assert compare(before, fewer, Equality.AS_JITTED, FUNCTION).verdict is Verdict.DIFFERENT


def test_variables_are_compared_where_both_runs_have_them() -> None:
    def left(measurement: Measurement, name: str, value: float) -> Measurement:
        output = Output(f"train.py:<module> call 1 left `{name}`", "*", (leaf(value),))
        return replace(measurement, outputs=(*measurement.outputs, output))

    assert verdict(left(BEFORE, "params", 1.0), left(CURED, "params", 1.0)) is Verdict.PROVEN
    assert verdict(left(BEFORE, "params", 1.0), left(CURED, "params", 2.0)) is Verdict.DIFFERENT
    assert verdict(left(BEFORE, "gradients", 1.0), left(CURED, "step", 2.0)) is Verdict.PROVEN


# --- less work ------------------------------------------------------------------------------------------------


def work(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.BITWISE, FUNCTION, Proves.LESS_WORK)


def test_less_work_is_proven_by_equal_results_at_no_cost() -> None:
    found = work(with_peak(BEFORE, 500), with_peak(BEFORE, 495))
    assert (found.verdict, found.reason) == (Verdict.PROVEN, "equal results, and neither compiles nor memory rise")


def test_less_work_that_costs_memory_is_none() -> None:
    assert work(with_peak(BEFORE, 500), with_peak(BEFORE, 600)).verdict is Verdict.NO_EFFECT


def test_less_work_that_costs_compiles_is_none() -> None:
    fewer = replace(BEFORE, compiles=BEFORE.compiles[:-1])
    assert work(fewer, BEFORE).verdict is Verdict.NO_EFFECT


def test_the_same_results_may_cost_compiles_at_the_start_and_none_in_a_step() -> None:
    fewer = replace(BEFORE, compiles=BEFORE.compiles[:-1])
    start = compare(fewer, BEFORE, Equality.BITWISE, FUNCTION, Proves.SAME_RESULTS)
    assert summary([start])[0] is start.verdict is Verdict.PROVEN
    calm = replace(BEFORE, steps=tuple(replace(step, compiles=0) for step in BEFORE.steps))
    dearer = compare(calm, BEFORE, Equality.BITWISE, FUNCTION, Proves.SAME_RESULTS)
    assert (dearer.verdict, "they rise" in dearer.reason) == (Verdict.NO_EFFECT, True)


# --- a smaller program ----------------------------------------------------------------------------------------


def sized(measurement: Measurement, operations: int | None) -> Measurement:
    return replace(measurement, compiles=tuple(replace(c, operations=operations) for c in measurement.compiles))


def smaller(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.BITWISE, FUNCTION, Proves.SMALLER_PROGRAM)


def test_a_smaller_program_has_fewer_operations_at_no_more_compiles() -> None:
    found = smaller(sized(BEFORE, 900), sized(BEFORE, 90))
    assert (found.verdict, f"{900 * len(BEFORE.compiles)} ->" in found.reason) == (Verdict.PROVEN, True)
    assert smaller(sized(CURED, 900), sized(BEFORE, 90)).verdict is Verdict.NO_EFFECT


def test_a_few_operations_or_a_small_part_of_them_are_no_smaller_program() -> None:
    assert smaller(sized(BEFORE, 20), sized(BEFORE, 18)).verdict is Verdict.NO_EFFECT
    assert smaller(sized(BEFORE, 10_000), sized(BEFORE, 9_900)).verdict is Verdict.NO_EFFECT
    assert smaller(sized(BEFORE, 90), sized(BEFORE, 900)).verdict is Verdict.NO_EFFECT


def test_programs_whose_size_is_not_told_are_not_compared() -> None:
    assert smaller(sized(BEFORE, None), sized(BEFORE, 90)).verdict is Verdict.NOT_COMPARED


def holding(measurement: Measurement, constants: int | None) -> Measurement:
    return replace(measurement, compiles=tuple(replace(c, constant_bytes=constants) for c in measurement.compiles))


def lighter(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.BITWISE, FUNCTION, Proves.LESS_DATA)


def test_less_data_in_programs_is_a_mebibyte_less_at_no_more_compiles() -> None:
    found = lighter(holding(BEFORE, 4_000_000), holding(BEFORE, 0))
    assert found.verdict is Verdict.PROVEN
    assert f"constants in programs {4 * len(BEFORE.compiles)}.0 -> 0.0 MB" in found.reason
    assert lighter(holding(BEFORE, 1_000), holding(BEFORE, 0)).verdict is Verdict.NO_EFFECT
    assert lighter(holding(BEFORE, 0), holding(BEFORE, 4_000_000)).verdict is Verdict.NO_EFFECT
    assert lighter(holding(BEFORE, 10**9), holding(BEFORE, 10**9 - 4_000_000)).verdict is Verdict.NO_EFFECT
    assert lighter(holding(CURED, 4_000_000), holding(BEFORE, 0)).verdict is Verdict.NO_EFFECT
    assert lighter(holding(BEFORE, None), holding(BEFORE, 0)).verdict is Verdict.NOT_COMPARED


def test_a_function_that_comes_out_of_jit_is_compared_where_its_fix_says_so() -> None:
    extra = replace(BEFORE.outputs[0], label=f"{FUNCTION.rpartition('/')[2]} call 99")
    before = replace(BEFORE, calls={}, functions=(FUNCTION,))
    after = replace(before, calls={FUNCTION: 1}, outputs=(*BEFORE.outputs, extra))
    pair = Pair(before, after)
    assert "only with the change" in (runs_agree(pair, Allowed(), as_jitted=False).difference or "")
    passing = replace(pair, passing=frozenset({FUNCTION}))
    assert runs_agree(passing, Allowed(), as_jitted=False).difference is None
    called = replace(passing, before=replace(before, calls={FUNCTION: 1}))
    assert "only with the change" in (runs_agree(called, Allowed(), as_jitted=False).difference or "")


def test_one_device_shows_nothing_of_several() -> None:
    found = compare(BEFORE, BEFORE, Equality.BITWISE, FUNCTION, Proves.SAME_ON_DEVICES)
    assert found.verdict is Verdict.NOT_COMPARED and "one device" in found.reason
    several = replace(BEFORE, devices=2)
    assert compare(several, several, Equality.BITWISE, FUNCTION, Proves.SAME_ON_DEVICES).verdict is Verdict.PROVEN


def test_a_cure_on_one_device_shows_nothing_of_several() -> None:
    raising = replace(BEFORE, failure="AttributeError: module 'jax.sharding' has no attribute 'PositionalSharding'")
    found = compare(raising, BEFORE, Equality.BITWISE, FUNCTION, Proves.CURED_ON_DEVICES)
    assert found.verdict is Verdict.NOT_COMPARED and "one device" in found.reason
    several = replace(BEFORE, devices=2)
    assert compare(raising, several, Equality.BITWISE, FUNCTION, Proves.CURED_ON_DEVICES).verdict is Verdict.PROVEN
    assert compare(raising, BEFORE, Equality.BITWISE, FUNCTION, Proves.ERROR_CURED).verdict is Verdict.PROVEN


# --- fewer blocking reads -------------------------------------------------------------------------------------


def reading(measurement: Measurement, *counts: int) -> Measurement:
    spent = (
        Spent(Kind.READ, "train.py", line, "fit", (), ("float",), count, None, 0.1) for line, count in enumerate(counts)
    )
    own = Spent(Kind.OWN, "train.py", 9, "fit", (), (), 0, None, 0.1)
    return replace(measurement, spent=(own, *spent))


def fewer_reads(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.BITWISE, FUNCTION, Proves.FEWER_READS)


def test_fewer_reads_are_counted_over_all_lines_at_no_more_compiles_or_memory() -> None:
    found = fewer_reads(reading(BEFORE, 300, 2), reading(BEFORE, 1, 2))
    assert (found.verdict, found.reason) == (Verdict.PROVEN, "blocking reads 302 -> 3")
    assert fewer_reads(reading(CURED, 300), reading(BEFORE, 1)).verdict is Verdict.NO_EFFECT
    assert (
        fewer_reads(with_peak(reading(BEFORE, 300), 500), with_peak(reading(BEFORE, 1), 600)).verdict
        is Verdict.NO_EFFECT
    )


def test_what_waits_to_be_read_may_take_less_than_a_tenth_of_the_memory() -> None:
    assert (
        fewer_reads(with_peak(reading(BEFORE, 300), 500), with_peak(reading(BEFORE, 1), 540)).verdict is Verdict.PROVEN
    )
    assert (
        fewer_reads(with_peak(reading(BEFORE, 300), 500), with_peak(reading(BEFORE, 1), 560)).verdict
        is not Verdict.PROVEN
    )


def test_as_many_reads_or_hardly_fewer_are_no_effect() -> None:
    assert fewer_reads(reading(BEFORE, 300), reading(BEFORE, 300)).verdict is Verdict.NO_EFFECT
    assert fewer_reads(reading(BEFORE, 302), reading(BEFORE, 300)).verdict is Verdict.NO_EFFECT
    assert fewer_reads(reading(BEFORE, 1), reading(BEFORE, 300)).verdict is Verdict.NO_EFFECT


def test_a_run_that_does_not_tell_its_reads_proves_nothing_of_them() -> None:
    assert fewer_reads(BEFORE, BEFORE).verdict is Verdict.NOT_COMPARED


def test_what_a_fix_says_that_it_may_not_take_limits_the_proof_and_nothing_else_does() -> None:
    runs, raised = Output("", "*", (leaf(1.0),)), Output("", "raised TypeError", ())
    given = Beside(FUNCTION, "given complex numbers", runs, raised)

    def found(*beside: Beside, raises: tuple[str, ...] = ("complex numbers",)) -> Comparison:
        pair = Pair.of(BEFORE, replace(CURED, beside=beside), None, Noise())
        return judge(pair, Equality.BITWISE, FUNCTION, raises=raises)

    assert found(given, raises=()).verdict is Verdict.DIFFERENT
    told = found(given, given)
    assert (told.verdict, told.beside) == (Verdict.PROVEN, 0)
    words = "raises where the original does not, `given complex numbers`, which the program never passes"
    assert told.equality == f"bitwise equal; {words}"
    empty = Beside(FUNCTION, "given no rows", replace(raised, treedef="raised ValueError"), runs)
    assert found(empty).verdict is Verdict.DIFFERENT
    words = "runs where the original raises, `given no rows`, which the program never passes"
    assert found(empty, raises=("no rows",)).equality == f"bitwise equal; {words}"
    stated = replace(given, after=Output("", "raised ValueError: rounds must not be negative", ()))
    silent = replace(given, after=Output("", "*", (leaf(2.0),)))
    for wrong in (stated, silent, replace(given, how="given masked arrays"), replace(given, how="as called")):
        assert found(given, wrong).verdict is Verdict.DIFFERENT


ROW_LESS = "perturbed, in arrays of length 32, one row less"
ONE_ROW = "given one row in arrays of length 32"


def verdict_beside(how: str, before: str, after: str) -> Comparison:
    """What is found where one call beside the original ended so, of a fix that may raise where rows are missing."""
    old, new = (Output("", tree, (leaf(1.0),) if tree == "*" else ()) for tree in (before, after))
    beside = Beside(FUNCTION, how, old, new)
    pair = Pair.of(BEFORE, replace(CURED, beside=(beside,)), None, Noise())
    return judge(pair, Equality.BITWISE, FUNCTION, raises=("one row less", "one row"))


@pytest.mark.parametrize("how", [ROW_LESS, f"gradient, {ROW_LESS}", f"returned[0], {ROW_LESS}", ONE_ROW])
def test_data_that_a_fix_may_not_take_are_told_by_what_they_change_whatever_is_around(how: str) -> None:
    told = verdict_beside(how, "*", "raised ValueError")
    words = f"raises where the original does not, `{how}`, which the program never passes"
    assert (told.verdict, told.equality) == (Verdict.PROVEN, f"bitwise equal; {words}")


@pytest.mark.parametrize(
    ("how", "before", "after"),
    [
        ("gradient", "*", "raised ValueError"),
        ("gradient, perturbed", "*", "raised ValueError"),
        ("gradient, perturbed, in another order", "*", "raised ValueError"),
        ("perturbed, 'a' as 'b, one row less'", "*", "raised ValueError"),
        ("perturbed, one row less, in another order", "*", "raised ValueError"),
        ("under vmap", "*", "raised ValueError"),
        ("given no rows in arrays of length 32", "*", "raised ValueError"),
        (ONE_ROW, "*", "raised TypeError"),
        (ONE_ROW, "raised ValueError", "*"),
        (ROW_LESS, "*", "raised TypeError"),
        (ROW_LESS, "*", "raised ValueError: rows must be 32"),
        (ROW_LESS, "*", "raised IndexError"),
        (ROW_LESS, "*", "(*, *)"),
        (ROW_LESS, "raised ValueError", "*"),
        (ROW_LESS, "raised TypeError", "raised ValueError"),
    ],
)
def test_nothing_else_is_excused_by_rows_that_are_missing(how: str, before: str, after: str) -> None:
    assert verdict_beside(how, before, after).verdict is Verdict.DIFFERENT


def dispatching(measurement: Measurement, *counts: int) -> Measurement:
    spent = (Spent(Kind.EAGER, "train.py", n, "fit", (), ("mul",), count, None, 0.1) for n, count in enumerate(counts))
    return replace(measurement, spent=(Spent(Kind.OWN, "train.py", 9, "fit", (), (), 0, None, 0.1), *spent))


def fewer(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.BITWISE, FUNCTION)


def test_fewer_dispatches_are_proof_where_compiles_do_not_drop() -> None:
    found = fewer(dispatching(BEFORE, 40_000, 1_000), dispatching(BEFORE, 200, 1_000))
    assert (found.verdict, found.reason) == (Verdict.PROVEN, "dispatches per run 41,000 -> 1,200")


@pytest.mark.parametrize(
    ("before", "after"),
    [((900,), ()), ((41_000,), (40_500,)), ((1_000_000,), (950_000,)), ((5_000,), (9_000,))],
    ids=["few", "hardly-fewer", "small-part", "more"],
)
def test_hardly_fewer_dispatches_are_no_effect(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    assert fewer(dispatching(BEFORE, *before), dispatching(BEFORE, *after)).verdict is Verdict.NO_EFFECT


def test_dispatches_pay_for_more_compiles_at_the_start_and_for_none_at_a_step() -> None:
    one_more, many_more = (replace(BEFORE, compiles=BEFORE.compiles * (1 + n) + BEFORE.compiles[:1]) for n in (0, 9))
    assert fewer(dispatching(BEFORE, 9_000), dispatching(one_more, 0)).verdict is Verdict.PROVEN
    assert fewer(dispatching(BEFORE, 4_000), dispatching(one_more, 0)).verdict is Verdict.NO_EFFECT
    assert fewer(dispatching(BEFORE, 9_000), dispatching(many_more, 0)).verdict is Verdict.NO_EFFECT
    assert fewer(dispatching(CURED, 90_000), dispatching(BEFORE, 0)).verdict is Verdict.NO_EFFECT


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(2_000, 1_950, Verdict.NO_EFFECT), (2_000, 1_700, Verdict.PROVEN), (50_000, 48_500, Verdict.PROVEN)],
    ids=["hardly-fewer", "a-tenth", "many"],
)
def test_a_few_compiles_at_the_start_prove_no_jit_that_saves_hardly_a_dispatch(
    before: int, after: int, verdict: Verdict
) -> None:
    one_more = replace(BEFORE, compiles=(*BEFORE.compiles, BEFORE.compiles[0]))
    old, new = dispatching(one_more, before), dispatching(BEFORE, after)
    assert compare(old, new, Equality.ROUNDING, FUNCTION).verdict is verdict
    assert fewer(old, new).verdict is Verdict.PROVEN  # of a fix that adds no `jit` to eager work


def test_a_small_part_of_the_compiles_proves_no_jit_of_a_run_that_dispatches_little() -> None:
    many = replace(BEFORE, compiles=BEFORE.compiles * 10)
    two_more = replace(many, compiles=(*many.compiles, *BEFORE.compiles[:2]))
    old, new = dispatching(two_more, 60), dispatching(many, 55)
    assert compare(old, new, Equality.ROUNDING, FUNCTION).verdict is Verdict.NO_EFFECT
    old, new = dispatching(replace(BEFORE, compiles=BEFORE.compiles * 2), 60), dispatching(BEFORE, 55)
    assert compare(old, new, Equality.ROUNDING, FUNCTION).verdict is Verdict.PROVEN


def test_many_compiles_at_the_start_prove_a_jit_that_saves_hardly_a_dispatch() -> None:
    many_more = replace(BEFORE, compiles=BEFORE.compiles * 11)
    old, new = dispatching(many_more, 2_000), dispatching(BEFORE, 2_000)
    assert compare(old, new, Equality.ROUNDING, FUNCTION).verdict is Verdict.PROVEN


def test_a_run_that_was_stopped_or_counts_no_dispatches_proves_nothing_of_them() -> None:
    assert fewer(dispatching(BEFORE, 9_000), BEFORE).verdict is Verdict.NO_EFFECT
    stopped = replace(dispatching(BEFORE, 0), stopped="after 5 s")
    assert fewer(dispatching(BEFORE, 9_000), stopped).verdict is Verdict.NO_EFFECT


@pytest.mark.parametrize(("again", "verdict"), [(41_000, Verdict.PROVEN), (12_000, Verdict.NO_EFFECT)])
def test_what_two_equal_runs_dispatch_more_or_less_proves_nothing(again: int, verdict: Verdict) -> None:
    before, after = dispatching(BEFORE, 41_000), dispatching(BEFORE, 9_000)
    heard = effects.noise(before, dispatching(BEFORE, again))
    assert judge(Pair(before, after, noise=heard), Equality.BITWISE, FUNCTION).verdict is verdict
