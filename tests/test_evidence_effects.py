"""What two runs do beside their results, and whether a step became much dearer."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_evidence_verdict import BEFORE, CURED, FUNCTION, leaf

from jaxfix.evidence.effects import likeness, noise
from jaxfix.evidence.outputs import Allowed
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.slower import dearer, saved
from jaxfix.evidence.verdict import Pair, compare, judge, summary
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Equality, Proves
from jaxfix.report.measurement import Beside, Kind, Leaf, Measurement, Output, Spent, Step, Worked


def left(value: float) -> tuple[Output, ...]:
    return (Output("train.LAST", "*", (leaf(value),)),)


def alive(*counts: int) -> tuple[Step, ...]:
    return tuple(Step(0, 0, 0, 0.0, live_arrays=count) for count in (0, 0, *counts))


def traced(*counts: int) -> tuple[Step, ...]:
    return tuple(Step(0, count, 0, 0.0) for count in (9, 9, *counts))


def difference(before: Measurement, after: Measurement, may: Allowed | None = None) -> str | None:
    return likeness(before, after, may or Allowed()).difference


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: replace(run, left=left(2.0)), "when the program has ended, `train.LAST`"),
        (lambda run: replace(run, logged=("WARNING train: high",)), "of what is logged, line 1"),
        (lambda run: replace(run, logged=()), "is there only without the change"),
        (lambda run: replace(run, warned=()), "a warning is lost: RuntimeWarning: high"),
        (
            lambda run: replace(run, warned=(*run.warned, "UserWarning: cast")),
            "there is a new warning: UserWarning: cast",
        ),
        (lambda run: replace(run, stderr="step 1\n"), "on standard error, 2 lines became 1"),
        (lambda run: replace(run, steps=alive(1, 2, 3, 4)), "0.0 -> 1.0 more arrays are alive after each step"),
    ],
)
def test_what_else_a_run_does_is_compared(change: Callable[[Measurement], Measurement], words: str) -> None:
    old = replace(CURED, left=left(1.0), logged=("ERROR train: high",), warned=("RuntimeWarning: high",))
    old = replace(old, stderr="step 1\nstep 2\n", steps=alive(1, 1, 1, 1))
    assert difference(old, old) is None
    assert words in (difference(old, change(old)) or "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("train.py:3: RuntimeWarning: high\n  run()\n", "train.py:7: RuntimeWarning: high\n  go()\n"),
        ("ended at train.py:3\n", "ended at train.py:7\n"),
        ("step took 3.1 s\n", "step took 2.2 s\n"),
        ("WARNING:2026-01-01 10:00:00,1:jax._src.dispatch:9: Compiling scan\n", ""),
        ("\r 10%|#   | 1/10", "\r100%|####| 10/10"),
    ],
)
def test_lines_of_code_and_times_on_standard_error_say_nothing(old: str, new: str) -> None:
    assert difference(replace(BEFORE, stderr=old), replace(BEFORE, stderr=new)) is None


def test_a_warning_of_the_age_of_a_function_may_end() -> None:
    assert difference(replace(BEFORE, warned=("DeprecationWarning (age): use tree.map",)), BEFORE) is None


def test_what_waits_for_the_collector_is_not_kept() -> None:
    steady, sawtooth = (replace(BEFORE, steps=alive(*counts)) for counts in ((5,) * 8, (1, 5, 9, 1, 5, 9, 1, 5)))
    assert difference(steady, sawtooth) is None


def test_what_two_equal_runs_differ_in_is_noise() -> None:
    first = replace(BEFORE, left=left(1.0), logged=("INFO a: 1",), stderr="a\n", warned=())
    second = replace(BEFORE, left=left(2.0), logged=(), stderr="b\n", warned=("UserWarning: b",))
    assert likeness(first, second, Allowed(), noise(first, second)).difference is None


def test_a_variable_of_one_run_alone_says_nothing() -> None:
    assert difference(BEFORE, replace(BEFORE, left=left(1.0))) is None


def test_where_a_result_is_put_is_compared() -> None:
    put = replace(leaf(1.0), placed="cpu:0")
    old, new = (replace(BEFORE, outputs=(Output("update 1", "*", (entry,)),)) for entry in (leaf(1.0), put))
    assert difference(old, new) == "`update 1`['w']: on a device that jax chose became committed to cpu:0"


def test_a_commitment_to_the_one_device_there_is_is_a_limit() -> None:
    put = replace(leaf(1.0), placed="cpu:0")
    old, new = (
        replace(run, outputs=(Output("update 1", "*", (entry,)),), left=(Output("train.LAST", "*", (entry,)),))
        for run, entry in ((BEFORE, leaf(1.0)), (CURED, put))
    )
    alone = [replace(run, has_one_device=True) for run in (old, new)]
    for several in ([old, new], [alone[0], new], [old, alone[1]]):
        assert compare(*several, Equality.BITWISE, FUNCTION).verdict is Verdict.DIFFERENT
    for pair in (alone, alone[::-1]):
        found = judge(Pair(*pair), Equality.BITWISE, FUNCTION, Proves.LESS_WORK)
        assert "committed to the one device there is, or no longer, in `update 1['w']`" in found.equality
    elsewhere = replace(alone[0], outputs=(Output("update 1", "*", (replace(put, placed="cpu:1"),)),))
    assert compare(elsewhere, alone[1], Equality.BITWISE, FUNCTION).verdict is Verdict.DIFFERENT


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("text", "flags", "is_one"),
    [
        ("print(jax.devices(), jax.jit(jnp.sin, backend='cpu')(1.0))", "", True),
        ("print(jnp.sin(jax.device_put(1.0)))", "", False),
        ("print(jnp.sin(1.0))", "--xla_force_host_platform_device_count=2", False),
    ],
)
def test_a_program_that_sees_several_devices_or_names_one_can_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, flags: str, is_one: bool
) -> None:
    monkeypatch.setenv("XLA_FLAGS", flags)
    (tmp_path / "program.py").write_text(f"import jax, jax.numpy as jnp\n{text}\n")
    (run,) = ProgramRunner(tmp_path, f"{sys.executable} program.py", []).measure({})
    assert (run.failure, run.has_one_device) == (None, is_one)


def test_an_argument_that_is_deleted_refutes_all_but_a_donation() -> None:
    value: tuple[Leaf, ...] = (leaf(1.0),)
    beside = Beside(FUNCTION, "as called", Output("", "*", value), Output("", "*", value), deleted=("state",))
    pair = Pair(BEFORE, replace(CURED, beside=(beside,)))
    found = judge(pair, Equality.BITWISE, FUNCTION)
    assert (found.verdict, "deletes its argument `state`" in found.reason) == (Verdict.DIFFERENT, True)
    given = judge(replace(pair, donating=frozenset({FUNCTION})), Equality.BITWISE, FUNCTION)
    assert given.verdict is Verdict.PROVEN


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (Worked(FUNCTION, 40, 400, 40, 400), "one call computes 40 operations before and 400 after"),
        (Worked(FUNCTION, 4, 4, 10**6, 10**7), "one call computes 1000000 values before and 10000000 after"),
        (Worked(FUNCTION, 40, 110, 40, 110), None),  # both branches in place of one
        (Worked(FUNCTION, 2, 12, 2, 12), None),
    ],
)
def test_work_is_counted(work: Worked, words: str | None) -> None:
    assert dearer(BEFORE, CURED, (work,), ()) == words


def test_traces_at_each_step_are_counted() -> None:
    assert dearer(replace(BEFORE, steps=traced(1, 1)), replace(CURED, steps=traced(8, 8)), (), ()) is not None
    assert dearer(replace(BEFORE, steps=traced(1, 1)), replace(CURED, steps=traced(2, 2)), (), ()) is None
    assert dearer(replace(BEFORE, steps=traced(1, 1)), replace(CURED, steps=traced(8, 1)), (), ()) is None


def compiling(run: Measurement, operations: int, dispatches: int) -> Measurement:
    """The run with as many operations in what it compiles, and programs that its lines start one by one."""
    rest = tuple(replace(each, operations=0) for each in run.compiles[1:])
    eager = Spent(Kind.EAGER, "train.py", 3, "main", (), (), dispatches, None, 0.0)
    put = Spent(Kind.PUT, "train.py", 3, "main", (), (), 10**6, None, 0.0)
    return replace(run, compiles=(replace(run.compiles[0], operations=operations), *rest), spent=(eager, put))


@pytest.mark.parametrize(
    ("old", "new", "pays"),
    [
        ((5_000, 4_900), (9_900, 700), False),  # the dear step is compiled twice
        ((5_000, 60_000), (9_900, 700), True),
        ((90, 400), (900, 0), True),  # what little there is to compile
        ((50_000, 400), (52_000, 0), True),
        ((9_900, 400), (5_000, 700), True),
    ],
)
def test_what_is_compiled_has_to_pay(old: tuple[int, int], new: tuple[int, int], pays: bool) -> None:
    before, after = compiling(BEFORE, *old), compiling(CURED, *new)
    words = (
        f"this run compiles {old[0]} -> {new[0]} operations to save {old[1] - new[1]} dispatches: a longer run may gain"
    )
    assert dearer(before, after, (), ()) == (None if pays else words)
    assert dearer(replace(before, stopped="after 3 steps"), after, (), ()) is None
    unknown = replace(after, compiles=tuple(replace(each, operations=None) for each in after.compiles))
    assert dearer(before, unknown, (), ()) is None


def test_time_says_something_only_in_three_runs() -> None:
    longer, shorter = (0.01, 0.04), (0.01, 0.029)
    assert dearer(BEFORE, CURED, (), (longer, longer, longer)) is not None
    assert dearer(BEFORE, CURED, (), (longer, longer)) is None
    assert dearer(BEFORE, CURED, (), (longer, shorter, longer)) is None
    assert dearer(BEFORE, CURED, (), ((1e-5, 1e-4),) * 3) is None


def test_a_warm_call_that_takes_longer_each_time_refuses_a_loop() -> None:
    longer, shorter = (0.001, 0.002), (0.001, 0.0012)
    assert dearer(BEFORE, CURED, (Worked(FUNCTION, 4, 4, 4, 4, paced=(longer,) * 3),), ()) is not None
    assert dearer(BEFORE, CURED, (Worked(FUNCTION, 4, 4, 4, 4, paced=(longer, shorter, longer)),), ()) is None
    assert dearer(BEFORE, CURED, (Worked(FUNCTION, 4, 4, 4, 4, paced=((1e-6, 1e-5),) * 3),), ()) is None


def test_slower_refuses_a_fix_and_outweighs_what_is_proven() -> None:
    pair = Pair(BEFORE, replace(CURED, work=(Worked(FUNCTION, 40, 400, 40, 400),)))
    slow = judge(pair, Equality.BITWISE, FUNCTION, proves=Proves.FEWER_COMPILES)
    assert (slow.verdict, slow.verdict.is_refuted) == (Verdict.SLOWER, True)
    assert summary((judge(Pair(BEFORE, CURED), Equality.BITWISE, FUNCTION), slow))[0] is Verdict.SLOWER


def test_operations_that_a_call_no_longer_computes_are_told() -> None:
    assert saved([Worked(FUNCTION, 9, 7, 9, 7), Worked(FUNCTION, 23, 17, 9, 7)]) == (
        "; one call computes 23 -> 17 operations"
    )
    assert saved([Worked(FUNCTION, 7, 9, 9, 7)]) == ""
