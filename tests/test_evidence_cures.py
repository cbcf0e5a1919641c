"""Fixes that make a run end which raised a `TypeError`: what proves them, and what does not."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from jaxfix.drivers.cli.start import run as run_cli
from jaxfix.evidence.optimizers import LOOPED, OptimizerRunner
from jaxfix.evidence.outputs import RAISED
from jaxfix.evidence.prove import prove
from jaxfix.evidence.running import Driving
from jaxfix.evidence.verdict import compare, summary
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves, Safety
from jaxfix.report.measurement import Compile, Leaf, Measurement, Output, Step
from jaxfix.source.edits import Span

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "drifting_state_dtype"
FUNCTION = "search.py:body"
RAISES = "TypeError: cond branches must have equal output types but they differ."


def leaf(*values: float, dtype: str = "float32") -> Leaf:
    return Leaf("", dtype, (len(values),), False, f"{dtype}{values}", values, 0)


def run(
    *outputs: Leaf, failure: str | None = None, stdout: str = "", case: str = "lib.f, loop, float16"
) -> Measurement:
    made = [Output(f"update {number}", "*", (entry,)) for number, entry in enumerate(outputs)]
    made += [Output("search.py:body call 1", RAISED, ())] if failure else []
    steps = tuple(Step(0, 0, 0, 0.0) for _ in outputs[1:])
    return Measurement(case, failure, (), 0, steps, tuple(made), stdout, (FUNCTION,), {"search.py": "0"}, 0, None)


def cure(before: Measurement, after: Measurement) -> Comparison:
    return compare(before, after, Equality.STRONGER_TYPES, FUNCTION, Proves.ERROR_CURED)


def verdict(before: Measurement, after: Measurement, equality: Equality | None = None) -> Verdict:
    """Of a cure, or of a fix that promises `equality` alone."""
    found = cure(before, after) if equality is None else compare(before, after, equality, FUNCTION)
    return found.verdict


BEFORE, AFTER = run(leaf(1.0), failure=RAISES), run(leaf(1.0), leaf(2.0))


def test_a_type_error_that_is_gone_is_proof() -> None:
    comparison = cure(BEFORE, AFTER)
    assert (comparison.verdict, comparison.cured) == (Verdict.PROVEN, True)
    assert comparison.reason == f"raises only without the change: {RAISES}"
    assert comparison.equality == "bitwise equal until the original raises"


def test_of_a_program_too() -> None:
    assert verdict(run(leaf(1.0), failure=f"exit status 1: {RAISES}"), AFTER) is Verdict.PROVEN


@pytest.mark.parametrize("equality", Equality)
@pytest.mark.parametrize("proves", [claim for claim in Proves if claim is not Proves.ERROR_CURED])
def test_for_no_other_claim(equality: Equality, proves: Proves) -> None:
    of_one_device = proves is Proves.CURED_ON_DEVICES  # what ran on one device tells nothing of it
    wanted = Verdict.NOT_COMPARED if of_one_device else Verdict.DIFFERENT
    assert compare(BEFORE, AFTER, equality, FUNCTION, proves).verdict is wanted


@pytest.mark.parametrize("failure", ["AttributeError: no", "exit status 1: ImportError: no", "ModuleNotFoundError: no"])
def test_a_name_that_is_gone_is_cured_too(failure: str) -> None:
    assert verdict(run(failure=failure), run(leaf(2.0))) is Verdict.PROVEN


@pytest.mark.parametrize("failure", ["ValueError: no", "exit status 1: MyTypeErrorError", "cut off at the time limit"])
def test_another_failure_that_is_gone_is_none(failure: str) -> None:
    assert verdict(run(leaf(1.0), failure=failure), AFTER) is Verdict.DIFFERENT


def test_what_was_returned_before_it_raised_must_agree() -> None:
    assert verdict(run(leaf(3.0), failure=RAISES), AFTER) is Verdict.DIFFERENT
    assert verdict(run(leaf(1.0, dtype="float16"), failure=RAISES), AFTER) is Verdict.DIFFERENT


def test_what_was_printed_before_it_raised_must_agree() -> None:
    before = run(leaf(1.0), failure=RAISES, stdout="loss 1\n")
    assert verdict(before, run(leaf(1.0), stdout="loss 1\nloss 2\n")) is Verdict.PROVEN
    assert verdict(before, run(leaf(1.0), stdout="loss 3\nloss 2\n")) is Verdict.DIFFERENT


def test_a_run_that_the_fix_breaks_is_refused() -> None:
    assert verdict(AFTER, BEFORE) is Verdict.FAILED


def test_where_the_original_runs_every_bit_must_agree() -> None:
    assert verdict(run(leaf(1.0), leaf(2.0)), run(leaf(1.0), leaf(2.5))) is Verdict.DIFFERENT
    assert verdict(run(leaf(1.0), leaf(2.0)), run(leaf(1.0), leaf(2.0, dtype="float16"))) is Verdict.DIFFERENT


def test_one_type_error_for_another_is_no_cure() -> None:
    assert verdict(BEFORE, run(leaf(1.0), failure="TypeError: body carry differs")) is Verdict.FAILED


def test_a_cure_outweighs_that_nothing_else_changes_and_no_difference() -> None:
    cured = cure(BEFORE, AFTER)
    alike = cure(AFTER, AFTER)
    other = cure(AFTER, run(leaf(1.0), leaf(2.5)))
    assert summary([alike, cured])[0] is Verdict.PROVEN
    assert summary([other, cured])[0] is Verdict.DIFFERENT


SEARCH = """\
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class GradientTransformation(NamedTuple):
    init: Any
    update: Any


def kept(new, old):
    return NEW


def searched(rate: float) -> GradientTransformation:
    def init(params):
        return jnp.asarray(1.0)

    def update(updates, state, params=None):
        first = jax.tree_util.tree_leaves(updates)[0].sum()
        state = jax.lax.cond(first > 0, lambda s: kept(s * first, s), lambda s: kept(s / 2, s), state)
        return jax.tree_util.tree_map(lambda g: -rate * state * g, updates), STATE

    return GradientTransformation(init, update)
"""


def judged(folder: Path, *, cast: str, state: str = "kept(state, 1.0)") -> Evidence:
    """The evidence for a cast of what `searched` carries."""
    source = SEARCH.replace("STATE", state)
    package = folder / "carrying"
    package.mkdir()
    (package / "__init__.py").write_text("from carrying.core import *\n")
    (package / "core.py").write_text(source.replace("NEW", "new"))
    function = "searched.<locals>.update"
    fix = Fix("key", "codemod", "Cast", Span(0, 0), (), Safety.NEEDS_EVIDENCE, Equality.STRONGER_TYPES, None, function)
    fix = replace(fix, proves=Proves.ERROR_CURED)

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"core.py": source.replace("NEW", cast).encode()} if fixes else {}

    runner = OptimizerRunner(
        "carrying", package, sys.executable, (("core.py", function),), Driving(loops=(*LOOPED, "float16"))
    )
    (evidence,) = prove([("core.py", fix, 1)], patched, runner, lambda phrase: None).receipts
    return evidence


@pytest.mark.evidence
def test_a_cast_that_makes_branches_agree_is_proven(tmp_path: Path) -> None:
    found = judged(tmp_path, cast="new.astype(jnp.asarray(old).dtype)")
    assert (found.verdict, found.reason[:31]) == (Verdict.PROVEN, "raises only without the change:")
    cured = {entry.case.partition(", ")[2] for entry in found.comparisons if entry.cured}
    assert {"eager, bfloat16", "jit, bfloat16", "loop, bfloat16", "loop, float16", "loop, float32 under x64"} <= cured


@pytest.mark.evidence
def test_a_cast_that_changes_what_ran_is_not(tmp_path: Path) -> None:
    found = judged(tmp_path, cast="new.astype(jnp.asarray(old).dtype) * 1.5")
    assert found.verdict is Verdict.DIFFERENT


@pytest.mark.evidence
def test_a_state_that_a_loop_no_longer_carries_is_refused(tmp_path: Path) -> None:
    """Eager and jitted updates run on; a carry is not of another dtype than it was."""
    found = judged(tmp_path, cast="new.astype(jnp.bfloat16)", state="state")
    assert found.verdict in (Verdict.DIFFERENT, Verdict.FAILED)


START, WIDE = leaf(0.0, 2.0, dtype="bfloat16"), leaf(0.0, 2.0)


def started(first: Leaf, *later: Leaf, compiles: int) -> Measurement:
    base = run(first, *later)
    line = Compile("search.py", 1, "step", (), "jit(step)", None, 0.1)
    outputs = (replace(base.outputs[0], label="init"), *base.outputs[1:])
    return replace(base, outputs=outputs, compiles=(line,) * compiles)


def test_a_first_state_may_have_the_dtype_that_it_has_later() -> None:
    before, after = started(START, leaf(3.0), compiles=2), started(WIDE, leaf(3.0), compiles=1)
    assert verdict(before, after, Equality.CONVERGED) is Verdict.PROVEN
    assert verdict(before, after, Equality.STRONGER_TYPES) is Verdict.DIFFERENT


def test_the_results_of_the_rewritten_function_are_first_states_and_no_others() -> None:
    before, after = started(WIDE, START, compiles=2), started(WIDE, WIDE, compiles=1)
    assert verdict(before, after, Equality.CONVERGED) is Verdict.DIFFERENT

    def named(measurement: Measurement) -> Measurement:
        (first, second) = measurement.outputs
        return replace(measurement, outputs=(first, replace(second, label=f"{FUNCTION} call 1")))

    assert verdict(named(before), named(after), Equality.CONVERGED) is Verdict.PROVEN


def test_a_first_state_of_other_values_is_different() -> None:
    before = started(START, leaf(3.0), compiles=2)
    assert verdict(before, started(leaf(0.0, 2.5), leaf(3.0), compiles=1), Equality.CONVERGED) is Verdict.DIFFERENT
    integers = started(leaf(0.0, 2.0, dtype="int32"), leaf(3.0), compiles=1)
    assert verdict(before, integers, Equality.CONVERGED) is Verdict.DIFFERENT


def test_values_that_were_not_sampled_are_not_taken_for_equal() -> None:
    large = [replace(entry, shape=(5000,)) for entry in (START, WIDE)]
    before, after = (started(entry, leaf(3.0), compiles=count) for entry, count in zip(large, (2, 1), strict=True))
    assert "not all values are known" in compare(before, after, Equality.CONVERGED, FUNCTION).reason


@pytest.mark.evidence
def test_a_program_that_raises_is_repaired_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(GOLDEN / "search.py", "search.py")
    command = [sys.executable, "search.py"]
    assert b"TypeError" in subprocess.run(command, capture_output=True, check=False).stderr

    chosen = ["--select", "drifting-state-dtype", "--allow-no-vcs", "--output-format", "json"]
    code = run_cli(["apply", "search.py", "--run", shlex.join(command), *chosen])

    (receipt,) = json.loads(capfd.readouterr().out)["evidence"]
    assert (code, receipt["verdict"], receipt["comparisons"][0]["cured"]) == (0, "proven", True)
    assert receipt["reason"].startswith("raises only without the change: exit status 1: TypeError")
    assert subprocess.run(command, capture_output=True, check=True).stdout.startswith(b"[2.34")
