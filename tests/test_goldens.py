"""Every golden file, and the examples of the documentation, against the codemods."""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix.docs import is_rewritten, page
from jaxfix.engine.plan import plan
from jaxfix.report.finding import Change, Proves, Safety
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import UserError
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.mark.parametrize("case", testing.cases(GOLDEN, CODEMODS), ids=str)
def test_golden(case: testing.Case, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption(testing.UPDATE):
        print(testing.update(case))
    testing.verify(case)


def test_every_codemod_has_its_goldens_and_no_golden_is_astray() -> None:
    assert testing.gaps(GOLDEN, CODEMODS) == ()


REWRITING = tuple(codemod for codemod in CODEMODS if is_rewritten(codemod))
REPORTING = tuple(codemod for codemod in CODEMODS if not is_rewritten(codemod))


@pytest.mark.parametrize("codemod", REWRITING, ids=lambda codemod: codemod.id)
def test_the_example_of_the_documentation_is_true(codemod: Codemod) -> None:
    example = page(codemod)
    around = replace(testing.SEEN if codemod.notes else testing.BESIDE, asked=tuple(Change))
    patch = plan(SourceFile.decode(codemod.id, example.before.encode()), (codemod,), lambda fix: None, around)
    assert patch.after.decode() == example.after


@pytest.mark.evidence
@pytest.mark.parametrize("codemod", REWRITING, ids=lambda codemod: codemod.id)
def test_the_program_shows_what_the_codemod_proves(codemod: Codemod) -> None:
    folder = GOLDEN / codemod.id.replace("-", "_")
    assert testing.program_fault(folder / "program.py", folder / "program.fixed.py", codemod.proves) is None


@pytest.mark.evidence
@pytest.mark.parametrize("codemod", REPORTING, ids=lambda codemod: codemod.id)
def test_what_a_page_says_to_write_by_hand_shows_it_too(
    codemod: Codemod, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    example = page(codemod)
    programs = tmp_path / "before.py", tmp_path / "after.py"
    for path, text in zip(programs, (example.before, example.after), strict=True):
        path.write_text(text)
    assert testing.program_fault(*programs, codemod.proves) is None
    counted = {"jax": version("jax"), "compiles": [*testing.compiles(*programs)]}
    kept = GOLDEN / codemod.id.replace("-", "_") / "program.by_hand.json"
    if request.config.getoption(testing.UPDATE):
        kept.write_text(f"{json.dumps(counted)}\n")
    recorded = json.loads(kept.read_text())
    assert recorded["compiles"][1] < recorded["compiles"][0]
    assert recorded == counted or recorded["jax"] != counted["jax"]


PRINTS = "print(3)\n"
RAISES = "import jax\n\nprint(3)\njax.no_such_function(1)\n"
WARNS = "import warnings\n\nwarnings.warn('late', DeprecationWarning)\nprint(3)\n"
COMPILES = "import jax\n\njax.jit(lambda x: x + 2)(1.0)\nprint(3)\n"


@pytest.mark.evidence
@pytest.mark.parametrize(
    ("before", "after", "proves", "fault"),
    [
        (RAISES, PRINTS, Proves.ERROR_CURED, None),
        (WARNS, PRINTS, Proves.ERROR_CURED, None),
        (PRINTS, PRINTS, Proves.ERROR_CURED, "before.py neither fails nor warns"),
        (WARNS, WARNS, Proves.ERROR_CURED, "after.py still warns: late"),
        (RAISES, "print(4)\n", Proves.ERROR_CURED, "after.py prints '4\\n', before.py '3\\n'"),
        (PRINTS, RAISES, Proves.ERROR_CURED, "after.py fails: AttributeError"),
        (RAISES, PRINTS, Proves.FEWER_COMPILES, "before.py fails: AttributeError"),
        (COMPILES, PRINTS, Proves.FEWER_COMPILES, None),
        (COMPILES, COMPILES, Proves.LESS_WORK, None),
        (COMPILES, COMPILES, Proves.FEWER_COMPILES, "after.py compiles 1 times, before.py 1 times"),
        (PRINTS, COMPILES, Proves.LESS_WORK, "after.py compiles 1 times, before.py 0 times"),
        (COMPILES, "print(4)\n", Proves.LESS_WORK, "after.py prints '4\\n', before.py '3\\n'"),
    ],
)
def test_what_two_programs_do_not_show_is_said(
    tmp_path: Path, before: str, after: str, proves: Proves, fault: str | None
) -> None:
    (tmp_path / "before.py").write_text(before)
    (tmp_path / "after.py").write_text(after)
    found = testing.program_fault(tmp_path / "before.py", tmp_path / "after.py", proves)
    assert found == fault if fault is None else found is not None and found.startswith(fault)


# --- the runner itself --------------------------------------------------------------------------------------------

BEFORE = """\
import jax.numpy as jnp

def update(state, decay=0.9):
    return float(decay**state.count)  # want: static-exponent

def init():
    return State(count=jnp.zeros([], jnp.int32))

class State:
    count: object
"""
AFTER = BEFORE.replace("decay**state.count", "decay**(state.count * 1.0)")


def planted(tmp_path: Path, before: str, after: str | None) -> testing.Case:
    folder = tmp_path / "static_exponent"
    folder.mkdir()
    (folder / "basic.py").write_text(before)
    if after is not None:
        (folder / "basic.fixed.py").write_text(after)
    (case,) = testing.cases(tmp_path, CODEMODS)
    return case


def test_a_right_golden_passes(tmp_path: Path) -> None:
    testing.verify(planted(tmp_path, BEFORE, AFTER))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (BEFORE, None, "basic.fixed.py is missing"),
        (BEFORE, BEFORE, "the result differs"),
        (BEFORE.replace("# want: static-exponent", ""), AFTER, "basic.py:4: found and not wanted: `static-exponent`"),
        (BEFORE + "\nx = 1  # want: static-exponent\n", AFTER, "basic.py:12: wanted and not found"),
        (
            BEFORE.replace("exponent\n", "exponent (no fix)\n"),
            AFTER,
            "wanted and not found: `static-exponent` (no fix)",
        ),
    ],
)
def test_a_wrong_golden_is_named(tmp_path: Path, before: str, after: str | None, complaint: str) -> None:
    with pytest.raises(testing.GoldenError) as raised:
        testing.verify(planted(tmp_path, before, after))
    assert complaint in str(raised.value)


def test_a_reason_is_compared() -> None:
    (want,) = testing.wants(b"x = 1  # want: some-id (no fix): it is late\n")
    assert want == testing.Want(1, "some-id", True, "it is late")


def test_two_findings_can_be_wanted_on_a_line() -> None:
    both = testing.wants(b"x = 1  # want: some-id  # want: other (no fix)\n")
    assert [(want.id, want.declined) for want in both] == [("some-id", False), ("other", True)]


def test_a_result_has_no_markers() -> None:
    first = b"x = '# want: a'  # why  # want: some-id  # want: other (no fix): late\r\n"
    rest = b"y = 2  # want: some-id\r\n    # want: some-id\r\n"
    assert testing.unmarked(first + rest) == b"x = '# want: a'  # why\r\ny = 2\r\n"


def test_updating_writes_the_result_and_shows_the_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    case = planted(tmp_path, BEFORE, None)
    assert "+    return float(decay**(state.count * 1.0))" in testing.update(case)
    assert case.fixed.read_text() == AFTER.replace("  # want: static-exponent", "")
    assert testing.update(case) == ""


def test_updating_is_refused_in_continuous_integration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(UserError, match="not written in CI"):
        testing.update(planted(tmp_path, BEFORE, None))


def test_gaps_are_found(tmp_path: Path) -> None:
    case = planted(tmp_path, BEFORE, AFTER)
    (case.path.parent / "lonely.fixed.py").write_text("")
    (case.path.parent / "lonely.report.txt").write_text("")
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "basic.py").write_text("")
    own = tuple(codemod for codemod in CODEMODS if codemod.id == "static-exponent")
    assert testing.gaps(tmp_path, own) == (
        "strange/basic.py: no codemod has this folder",
        "static_exponent/lonely.fixed.py: there is no input for it",
        "static_exponent/lonely.fixed.py: there is no input for it",
        "static_exponent/lonely.report.txt: there is no input for it",
        "`static-exponent` has no golden that is declined",
        "`static-exponent` has no quiet.py without a finding",
        "`static-exponent` has no program.py with its program.fixed.py",
    )


def test_what_nothing_is_rerun_for_need_not_decline_anything(tmp_path: Path) -> None:
    (own,) = (codemod for codemod in CODEMODS if codemod.id == "static-exponent")
    safe = replace(own, equality=None, safety=Safety.SAFE)
    assert [gap for gap in testing.gaps(tmp_path, (own,)) if "declined" in gap]
    assert not [gap for gap in testing.gaps(tmp_path, (safe,)) if "declined" in gap]
