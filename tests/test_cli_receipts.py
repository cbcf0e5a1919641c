"""Receipts."""

from jaxfix.render import receipts
from jaxfix.render.paint import plain
from jaxfix.report.evidence import Comparison, Counts, Evidence, Verdict
from jaxfix.report.measurement import Environment

MACHINE = Environment(python="3.11", jax="0.10.2", jaxlib="0.10.2", device="cpu", platform="cpu")
BEFORE = Counts(compiles=35, steady_compiles=1, traces=40, rss_bytes=1.9e6, peak_bytes=0)
AFTER = Counts(compiles=16, steady_compiles=0, traces=20, rss_bytes=-1e3, peak_bytes=0)


def compared(case: str, verdict: Verdict, before: Counts = BEFORE, after: Counts = AFTER) -> Comparison:
    return Comparison(case, verdict, "why", before, after, "bitwise equal", 0.0)


def evidence(verdict: Verdict, reason: str, *comparisons: Comparison) -> Evidence:
    return Evidence(
        "train.py", "k", "local-loop-function", "t", 12, verdict, reason, comparisons, MACHINE, "python train.py", ""
    )


def test_a_proven_fix_shows_its_figures() -> None:
    proven = evidence(Verdict.PROVEN, "why", compared("train.py", Verdict.PROVEN))
    assert receipts.receipt(proven, plain) == (
        "proven  local-loop-function  train.py:12  compiles per step 1 -> 0, total 35 -> 16, "
        "RSS per step 1.9 -> 0.0 MB, bitwise equal (train.py, cpu, jax 0.10.2)\n"
    )


def test_of_many_cases_the_most_telling_is_shown_and_all_are_counted() -> None:
    small = compared("jit", Verdict.PROVEN, Counts(2, 0, 2, 0.0, 0), Counts(1, 0, 1, 0.0, 0))
    none = compared("bf16", Verdict.NO_EFFECT)
    told = receipts.receipt(evidence(Verdict.PROVEN, "why", small, compared("eager", Verdict.PROVEN), none), plain)
    assert told.endswith("(eager, cpu, jax 0.10.2); 3 cases: 2 proven, 1 no effect\n")
    assert receipts.figures(small) == "compiles 2 -> 1, bitwise equal"


def test_what_a_start_costs_is_told() -> None:
    jitted = compared("jit", Verdict.PROVEN, Counts(2, 0, 2, 0.0, 0), Counts(1, 0, 1, 0.0, 0))
    eager = compared("eager", Verdict.NO_EFFECT, Counts(14, 1, 14, 0.0, 0), Counts(16, 1, 16, 0.0, 0))
    told = receipts.told(evidence(Verdict.PROVEN, "why", jitted, eager))
    assert told.endswith("2 cases: 1 proven, 1 no effect; up to 2 more at the start of 1")


def test_a_refuted_fix_shows_its_reason_and_names_its_case_once() -> None:
    refuted = evidence(Verdict.DIFFERENT, "eager: [0] became 2.0", compared("eager", Verdict.DIFFERENT))
    assert receipts.receipt(refuted, plain) == (
        "different  local-loop-function  train.py:12  eager: [0] became 2.0 (cpu, jax 0.10.2)\n"
    )


def test_a_fix_that_nothing_reached_has_no_figures() -> None:
    unreached = evidence(Verdict.NOT_REACHED, "nothing that was run calls `f`")
    assert receipts.receipt(unreached, plain).startswith("not reached  local-loop-function  train.py:12  nothing")


def test_float32_is_shown_before_a_narrower_type_that_tells_no_more() -> None:
    more = Counts(compiles=40, steady_compiles=1, traces=40, rss_bytes=0.0, peak_bytes=0)
    narrow = compared("optax.radam, eager, bfloat16", Verdict.PROVEN, more)
    wide = compared("optax.radam, eager, float32", Verdict.PROVEN)
    assert "(optax.radam, eager, float32, cpu" in receipts.receipt(evidence(Verdict.PROVEN, "why", narrow, wide), plain)


def test_on_a_screen_a_receipt_goes_on_indented() -> None:
    proven = evidence(Verdict.PROVEN, "why", compared("optimizers of a package, 6 updates each", Verdict.PROVEN))
    whole = receipts.receipt(proven, plain)
    lines = receipts.receipt(proven, plain, 90).splitlines()
    assert lines[:2] == [
        "proven  local-loop-function  train.py:12",
        "        compiles per step 1 -> 0, total 35 -> 16, RSS per step 1.9 -> 0.0 MB, bitwise",
    ]
    assert all(len(line) <= 90 for line in lines)
    assert " ".join(" ".join(lines).split()) == " ".join(whole.split())
    assert receipts.receipt(proven, plain, len(whole)) == whole


def test_a_verdict_is_shown_in_one_line_while_others_run() -> None:
    proven = evidence(Verdict.PROVEN, "why", compared("optimizers of a package, 6 updates each", Verdict.PROVEN))
    assert receipts.brief(proven, plain, 90) == "proven  local-loop-function  train.py:12  why\n"
    long = receipts.brief(evidence(Verdict.DIFFERENT, "a result differs, " * 20), plain, 80)
    assert long.startswith("different  local-loop-function  train.py:12  a result differs") and long.endswith("...\n")
    assert len(long) <= 81


def test_a_story_names_no_place_of_this_machine() -> None:
    proven = evidence(Verdict.PROVEN, "why", compared("eager", Verdict.PROVEN))
    assert receipts.told(proven).startswith("compiles per step 1 -> 0, ")
    assert proven.path not in receipts.told(proven)
