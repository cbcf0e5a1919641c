"""What a person is shown of a fix before they decide about it."""

from dataclasses import replace

import pytest
from test_cursor import candidate
from test_receipts import EVIDENCE

from jaxfix.drivers.cli.prompt import view
from jaxfix.drivers.workflow.candidates import Candidate, Overlap
from jaxfix.render.account import Known
from jaxfix.render.paint import plain
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Safety
from jaxfix.report.report import Seen

PLAIN = candidate(0)
RISKY = replace(PLAIN, fix=replace(PLAIN.fix, safety=Safety.NEEDS_EVIDENCE))


def asked(entry: Candidate, *, is_own: bool = False, width: int | None = 200) -> list[str]:
    return view.question(entry, (3, 12), "@@ -1 +1 @@\n", plain, width, is_own=is_own).splitlines()


def test_it_says_which_of_how_many_where_what_why_and_how_safe() -> None:
    assert asked(PLAIN) == [
        "",
        "(3/12) 0.py:1  id",
        "    it costs",
        "    Mend it",
        "    safe: bitwise the same for every input",
        "@@ -1 +1 @@",
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (RISKY, "needs a rerun: results bitwise"),
        (replace(PLAIN, diagnostic=replace(PLAIN.diagnostic, seen=Seen(12, 3.14))), "seen: 12 compiles, 3.1 s"),
        (replace(PLAIN, needs=("other",)), "goes with 1 other fix of this file, which must be accepted too"),
        (replace(PLAIN, fix=replace(PLAIN.fix, helpers=("retrace",))), "calls `retrace` of a generated helper file"),
        (
            replace(PLAIN, fix=replace(PLAIN.fix, helpers=("retrace",))),
            "only a rerun shows that the helper file can be imported",
        ),
        (
            replace(PLAIN, overlaps=(Overlap("k", "other", "Title", 7, None),)),
            "changes the same place as `other`, line 7: if both are taken, they are made one after the other",
        ),
        (replace(PLAIN, overlaps=(Overlap("k", "other", "Title", 7, "only one is"),)), "`other`, line 7: only one is"),
        (replace(RISKY, known=Known(EVIDENCE)), "    proven: compiles 5 -> 2, bitwise equal"),
        (
            replace(RISKY, known=Known(EVIDENCE, "2026-11-20T10:00:00", ("the source has changed",))),
            "a rerun of 2026-11-20 showed proven: compiles 5 -> 2, bitwise equal (python train.py, cpu, jax 0.10.2); "
            "expired: the source has changed",
        ),
        (replace(RISKY, known=Known(EVIDENCE, "2026-11-20T10:00:00")), "needs a rerun"),
        (
            replace(RISKY, known=Known(replace(EVIDENCE, verdict=Verdict.DIFFERENT, reason="not\nequal\x1b[2J"))),
            "different: not\\nequal\\x1b[2J",
        ),
    ],
)
def test_all_that_speaks_for_or_against_it_is_said(entry: Candidate, said: str) -> None:
    assert any(said in line for line in asked(entry))


def test_of_an_edited_fix_no_receipt_is_shown() -> None:
    told = asked(replace(PLAIN, known=Known(EVIDENCE)), is_own=True)
    assert "    as you edited it: no rerun has checked it" in told
    assert not any("proven" in line or "safe" in line for line in told)


@pytest.mark.parametrize("width", [10, 30, 80, None])
def test_sentences_are_folded(width: int | None) -> None:
    told = asked(replace(RISKY, known=Known(EVIDENCE)), width=width)
    assert max(map(len, told[2:])) <= max(width or 80, 24)


def test_evidence_tells_every_case_and_the_machine() -> None:
    told = " ".join(view.evidence(Known(EVIDENCE), plain, 80).split())
    assert "command: python train.py" in told and "jax 0.10.2, jaxlib 0.10.2" in told
    assert "python train.py: proven, compiles 5 -> 2, bitwise equal; fewer compiles" in told
    assert view.evidence(None, plain, 80) == "no rerun has checked this fix yet\n"
