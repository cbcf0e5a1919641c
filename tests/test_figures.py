"""The figures that README and pages quote are those of the evidence."""

import pytest

from jaxfix.docs import figures

PROVER = "* wrong rewrites called proven: **0** of 108\n* right rewrites refused: **1** of 66\n"


def test_a_marked_figure_is_what_the_evidence_says_now() -> None:
    page = "It called <!-- figure: prover -->**9 of 9** x<!-- end --> today."
    quoted = figures.quoted(page, {"prover": PROVER})
    assert "**0 of 108** wrong rewrites proven, and refused **1 of 66** right ones" in quoted
    assert quoted.startswith("It called ") and quoted.endswith(" today.")
    assert figures.quoted(quoted, {"prover": PROVER}) == quoted
    assert "**2 of 108**" in figures.quoted(quoted, {"prover": PROVER.replace("**0**", "**2**")})


def test_evidence_that_no_longer_says_it_is_an_error() -> None:
    with pytest.raises(ValueError, match="no page of evidence says"):
        figures.quoted("x <!-- figure: judged --><!-- end -->", {"prover": "nothing"})
