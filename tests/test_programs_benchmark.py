"""The benchmark of programs by other hands: its data, and the arithmetic of its page."""

import time
from pathlib import Path

import pytest

from benchmarks.programs import page, running
from benchmarks.programs.catalogue import FRESH, Program, Replacement, Unfit, programs, replaced
from benchmarks.programs.measuring import Result, Side, Verdict
from benchmarks.programs.running import Seconds
from benchmarks.programs.sources import as_script, laid_out
from benchmarks.repositories import Unreachable

TEXT = {"main.py": "one\ntwo\nthree\n"}


def test_every_program_of_the_data_is_whole() -> None:
    found, fresh = programs(), programs(FRESH)
    assert len(found) >= 24 and len(fresh) >= 6
    assert not {program.name for program in found} & {program.name for program in fresh}
    for program in (*found, *fresh):
        assert len(program.commit) == 40 and program.start in program.files
        assert program.kind and program.why and program.changed
        assert bool(program.hand) == bool(program.by_hand), program.name


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Replacement("main.py", (2, 2), "2\n"), "one\n2\nthree\n"),
        (Replacement("main.py", (2, 3)), "one\n"),
        (Replacement("main.py", (4, 3), "four\n"), "one\ntwo\nthree\nfour\n"),
        (Replacement("main.py", (2, 3), indent=2), "one\n  two\n  three\n"),
    ],
)
def test_lines_are_replaced_removed_inserted_and_indented(change: Replacement, expected: str) -> None:
    assert replaced(TEXT, [change]) == {"main.py": expected}


def test_replacements_speak_of_the_lines_as_given() -> None:
    changes = [Replacement("main.py", (1, 1), "a\nb\n"), Replacement("main.py", (3, 3), "c\n")]
    assert replaced(TEXT, changes) == {"main.py": "a\nb\ntwo\nc\n"}


def test_a_new_file_is_one_of_no_lines() -> None:
    assert replaced({}, [Replacement("data.py", (1, 0), "x = 1\n")]) == {"data.py": "x = 1\n"}


@pytest.mark.parametrize("lines", [(0, 1), (3, 4), (3, 1)])
def test_a_replacement_outside_of_its_file_is_refused(lines: tuple[int, int]) -> None:
    with pytest.raises(Unfit, match="outside"):
        replaced(TEXT, [Replacement("main.py", lines, "x\n")])


def test_replacements_that_overlap_are_refused() -> None:
    with pytest.raises(Unfit, match="overlaps"):
        replaced(TEXT, [Replacement("main.py", (1, 2), "x\n"), Replacement("main.py", (2, 3), "y\n")])


def test_a_notebook_is_the_code_of_its_cells() -> None:
    cells = '[{"cell_type": "code", "source": ["%time x\\n", "y = 1"]}, {"cell_type": "markdown", "source": ["z"]}]'
    assert as_script(f'{{"cells": {cells}}}') == "# %time x\ny = 1"


def test_a_repository_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.repositories.HOST", f"file://{tmp_path}/none")
    program = Program("p", "some/one", "0" * 40, {"main.py": "main.py"}, "main.py", "", "", (), "", (), ())
    with pytest.raises(Unreachable):
        laid_out(program, tmp_path / "out", tmp_path / "store", None)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("loss 1.00001", "loss 1.00002", True),
        ("loss 1.0", "loss 1.1", False),
        ("loss nan", "loss nan", True),
        ("loss 1.0", "cost 1.0", False),
        ("a\nb", "a", False),
        ("x 1e-9", "x 3e-9", True),
    ],
)
def test_printed_texts_agree_up_to_their_last_digits(one: str, other: str, is_same: bool) -> None:
    assert (running.difference(one, other) is None) == is_same


def side(wall: float, loop: float | None = None, differs: str | None = None) -> Side:
    return Side(Seconds(1.0, wall), None if loop is None else Seconds(1.0, loop), 1, 2, differs)


def result(hand: Side | None, fixed: Side | None, *verdicts: str) -> Result:
    said = tuple(Verdict("some-codemod", verdict, "why") for verdict in verdicts)
    return Result(
        "p", "c", "d", written=side(8.0, 4.0), hand=hand, fixed=fixed, rounds=3, apply=Seconds(1.0, 16.0), verdicts=said
    )


def test_seconds_are_the_medians_of_each_kind() -> None:
    assert running.median([Seconds(1.0, 6.0), Seconds(2.0, 5.0), Seconds(9.0, 4.0)]) == Seconds(2.0, 5.0)


def test_a_run_tells_its_loop_from_what_it_prints(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('a'); print('loop seconds', 1.5, 0.5); print('loop seconds', 1.0, 0.5)")
    run = running.run("main.py", tmp_path, 60)
    assert (run.loop, run.printed, run.compiles) == (Seconds(2.5, 1.0), "a", 0)


def test_a_program_that_fails_is_broken(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("raise SystemExit('no')")
    with pytest.raises(running.Broken, match="no"):
        running.run("main.py", tmp_path, 60)


def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    child = "import time, pathlib; time.sleep(1); pathlib.Path('late').touch()"
    (tmp_path / "main.py").write_text(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    with pytest.raises(running.Broken, match="did not end within"):
        running.run("main.py", tmp_path, 0.5)
    time.sleep(0.8)
    assert not (tmp_path / "late").exists()


def test_a_gain_is_the_better_of_loop_and_whole() -> None:
    assert page.gain(side(8.0, 4.0), side(4.0, 1.0)) == 4.0
    assert page.gain(side(8.0), side(4.0)) == 2.0
    assert page.gain(side(8.0), None) == 1.0


def test_half_of_the_gain_counts_as_proven_where_the_rerun_says_so() -> None:
    assert page.is_proven(result(side(8.0, 1.0), side(8.0, 2.0), "proven"))
    assert not page.is_proven(result(side(8.0, 1.0), side(8.0, 2.1), "proven"))
    assert not page.is_proven(result(side(8.0, 1.0), side(8.0, 2.0), "no effect"))
    assert not page.is_proven(result(side(8.0, 1.0), None, "proven"))


def test_a_change_by_hand_is_valuable_from_half_as_fast_again() -> None:
    assert page.is_valuable(result(side(8.0, 2.0), None))
    assert not page.is_valuable(result(side(8.0, 3.0), None))


def test_the_geometric_mean_of_nothing_is_one() -> None:
    assert page.geometric_mean([]) == 1.0
    assert page.geometric_mean([1.0, 4.0]) == pytest.approx(2.0)


def test_the_page_says_what_was_measured_and_what_failed() -> None:
    program = programs()[0]
    found = [
        result(side(8.0, 1.0), side(8.0, 2.0, "a | b"), "proven"),
        Result("q", "c", "d", failed="Unreachable: no such host"),
    ]
    text = "\n".join(page.lines([program, program], found, {}))
    assert "1 of 2 programs measured" in text
    assert "| loop, geometric mean | 4.00 x | 2.00 x |" in text
    assert "| programs that break or answer otherwise | | 1 |" in text
    assert "Unreachable: no such host" in text
    assert program.repository in text


def test_a_version_judged_as_good_is_not_wrong() -> None:
    found = [result(side(8.0, 1.0), side(8.0, 2.0, "a | b"), "proven")]
    said = {("p", "jaxfix"): page.Judgement("p", "jaxfix", True, "rounding")}
    assert "| programs that break or answer otherwise | | 0 |" in "\n".join(page.lines([], found, said))
