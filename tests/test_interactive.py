"""`apply --interactive`, answered by a person on a pseudo-terminal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import review_project
from command_line import Cli
from test_cli_prove import PROGRAM, SEVERAL, several, wait_for_last
from typing_person import Person

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.cli.start import run

pytest.importorskip("pty", reason="needs pseudo-terminals")
TESTS = Path(__file__).resolve().parent
ONLY = ("--select", "tiny-safe,tiny-risky")
SLOW = """\
import jax


def f(x):
    y = jax.tiny_safe(x)
    z = jax.tiny_risky(x) + 1
    w = jax.tiny_safe(y)
    return w + z
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files with three fixes each, committed; for the processes of this test too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(SLOW)
    commit()
    return tmp_path


def commit() -> None:
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True)


def texts(project: Path) -> tuple[str, str]:
    return (project / "a.py").read_text(), (project / "b.py").read_text()


def made(*lines: int) -> str:
    """The file with the fixes of these lines."""
    split = SLOW.splitlines(keepends=True)
    for line in lines:
        split[line - 1] = split[line - 1].replace("tiny_safe", "tiny_done").replace("tiny_risky", "tiny_done")
    return "".join(split)


def remembered(project: Path) -> list[tuple[str, str]]:
    kept = json.loads((project / ".jaxfix" / "decisions.json").read_text())["decisions"]
    return [(entry["path"], entry["choice"]) for entry in kept]


def test_of_twelve_problems_exactly_the_seven_accepted_are_written_and_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(review_project.make(tmp_path))
    with Person("apply", "--interactive", pack=False) as person:
        person.types(*"yynyyyjynyjj")
        assert "7 fixes taken, 2 refused, 3 open: write 7 fixes to 5 files" in person.sees("]? ")
        assert review_project.contents(tmp_path) == review_project.FILES
        person.sends("y\n")
        assert person.leaves() == 1
    assert "7 findings fixed; 5 fixes held; 5 findings remain" in person.shown
    assert review_project.contents(tmp_path) == review_project.fixed(1, 2, 4, 5, 6, 8, 10)
    assert run(["undo"]) == 0
    assert review_project.contents(tmp_path) == review_project.FILES
    with Person("apply", "-i", pack=False) as again:
        assert "2 fixes were refused before, and left out: `--forget` asks again" in again.sees("(1/10) data.py:7")
        again.types("q")
        assert again.leaves() == 1
    assert review_project.contents(tmp_path) == review_project.FILES


@pytest.mark.slow
@pytest.mark.evidence
def test_of_twelve_problems_seven_are_accepted_after_a_proof_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(review_project.make(tmp_path))
    with Person("apply", "--interactive", "--run", f"{sys.executable} train.py", pack=False) as person:
        person.patience_s = 1800.0
        person.sees("(1/12) data.py:7")
        assert "proven: compiles" in person.sees("]? ")
        person.sends("y\n")
        person.types(*"ynyyyjynyjjy")
        assert person.leaves() == 1
    assert "7 findings fixed; 5 fixes held; 5 findings remain" in person.shown
    assert person.shown.count("\nproven  ") >= 5 and person.shown.count("\nnot reached  ") == 1
    assert review_project.contents(tmp_path) == review_project.fixed(1, 2, 4, 5, 6, 8, 10)
    assert run(["undo"]) == 0
    assert review_project.contents(tmp_path) == review_project.FILES


def test_many_are_answered_at_once_and_the_last_answer_is_undone(project: Path) -> None:
    with Person("apply", "-i", *ONLY) as person:
        person.types("a")
        assert "4 fixes taken; `b` undoes that" in person.sees("(2/6) a.py:6")
        person.types("b")
        person.sees("(1/6) a.py:5")
        person.types("f")
        assert "3 fixes taken" in person.sees("(4/6) b.py:5")
        person.types("d")
        assert "3 fixes refused" in person.sees("3 fixes taken, 3 refused, 0 open: write 3 fixes to 1 file")
        person.types("b", "y", "n", "q")
        assert person.leaves() == 1
    assert texts(project) == (made(5, 6, 7), made(5))
    assert remembered(project) == [("b.py", "refused")]


def test_quitting_writes_what_was_taken_and_says_so(project: Path) -> None:
    with Person("apply", "-i", *ONLY) as person:
        person.types("y", "q")
        assert person.leaves() == 1
    assert texts(project) == (made(5), SLOW)
    assert "1 finding fixed; 5 fixes held; 5 findings remain" in person.shown
    assert "held  these 5: not decided" in person.shown


@pytest.mark.parametrize("end", ["\x03", "\x04", "kill"])
def test_however_it_ends_the_answers_are_remembered_and_nothing_is_written(project: Path, end: str) -> None:
    with Person("apply", "-i", *ONLY) as person:
        person.types("y", "n", "y")
        person.sees("(4/6) b.py:5")
        person.sees("]? ")
        if end == "kill":
            person.hurts()
        else:
            person.sends(end)
        assert person.leaves() == (-9 if end == "kill" else 130)
    if end != "kill":
        assert "2 fixes taken, 1 refused, 3 open; stored" in person.shown
        assert "error: interrupted; nothing was written" in person.shown
    assert texts(project) == (SLOW, SLOW)
    with Person("apply", "-i", *ONLY) as again:
        told = again.sees("(3/5) b.py:5")
        assert "1 fix was refused before, and left out" in told
        assert "2 fixes taken before, and not written yet: `b` goes back to them" in told
        again.types("q", "y")
        assert again.leaves() == 1
    assert "2 fixes taken, 0 refused, 3 open: write 2 fixes to 1 file" in again.shown
    assert texts(project) == (made(5, 7), SLOW)


def test_what_was_refused_is_asked_about_again_after_forget(project: Path) -> None:
    with Person("apply", "-i", *ONLY, "a.py") as person:
        person.types("n", "d")
        assert person.leaves() == 1
    assert "nothing fixed; 3 fixes held; 3 findings remain" in person.shown
    with Person("apply", "-i", *ONLY, "a.py") as person:
        assert person.leaves() == 1
    assert "3 fixes were refused before, and left out" in person.shown and "]?" not in person.shown
    (project / "broken.py").write_text("def")
    with Person("apply", "-i", "--forget", *ONLY, "a.py", "broken.py") as person:
        assert "3 answers forgotten" in person.sees("(1/3) a.py:5")
        person.types("f", "n")
        assert person.leaves() == 2
    assert "nothing was written; the answers are remembered" in person.shown
    assert "error: broken.py: " in person.shown and "3 findings remain" in person.shown
    assert texts(project) == (SLOW, SLOW)
    assert remembered(project) == [("a.py", "accepted")] * 3


EDITOR = """\
import sys
from pathlib import Path

path = Path(sys.argv[-1])
text = path.read_text()
tries = Path("tries")
number = int(tries.read_text()) if tries.exists() else 0
tries.write_text(str(number + 1))
old, new = WORDS[number]
assert old in text, (number, text)
path.write_text(text.replace(old, new))
"""


@pytest.fixture
def editor(project: Path, tmp_path_factory: pytest.TempPathFactory):
    """Makes an editor that replaces words of the file that it is given, others each time."""

    def make(*words: tuple[str, str]) -> str:
        script = tmp_path_factory.mktemp("editor") / "my editor.py"
        script.write_text(EDITOR.replace("WORDS", repr(words)))
        return f'"{sys.executable}" "{script}"'

    return make


def test_a_fix_is_taken_as_the_person_writes_it(project: Path, editor) -> None:
    words = ("tiny_done(x) + 1", "tiny_(x"), ("tiny_(x", "tiny_mine(x)  # by hand")
    with Person("apply", "-i", *ONLY, "a.py", EDITOR=editor(*words), VISUAL="") as person:
        person.types("y", "e")
        assert "error: a.py: what you wrote is not valid Python" in person.sees("edit it again? [y/N] ")
        person.sends("y\n")
        assert "taken as you wrote it" in person.sees("(3/3) a.py:7")
        person.types("b")
        assert "as you edited it: no rerun has checked it" not in person.sees("(2/3) a.py:6")
        person.types("e")
        person.sees("error: the editor")
        person.types("q")
        person.leaves()
    assert texts(project) == (made(5), SLOW)
    (project / "tries").unlink()
    subprocess.run(["git", "checkout", "-q", "."], check=True)
    with Person("apply", "-i", *ONLY, "a.py", EDITOR=editor(words[0], words[1]), VISUAL="") as person:
        person.types("y", "e")
        person.sees("edit it again? [y/N] ")
        person.sends("y\n")
        person.types("q")
        assert person.leaves() == 1
    assert texts(project)[0] == made(5).replace("jax.tiny_risky(x) + 1", "jax.tiny_mine(x)  # by hand")
    assert run(["undo"]) == 0
    assert texts(project) == (SLOW, SLOW)


def test_a_text_of_ones_own_outlives_an_interruption_and_is_shown_again(project: Path, editor) -> None:
    mine = ("tiny_done(x) + 1", "tiny_mine(x)")
    with Person("apply", "-i", *ONLY, "a.py", VISUAL=editor(mine), EDITOR="false") as person:
        person.types("j", "e")
        person.sees("(3/3)")
        person.sees("]? ")
        person.sends("\x03")
        person.leaves()
    with Person("apply", "-i", *ONLY, "a.py") as person:
        person.types("f")
        assert "2 fixes taken" in person.sees("as you edited it")
        person.sees("tiny_mine(x)")
        person.types("y", "y")
        person.leaves()
    assert texts(project)[0] == made(5, 7).replace("tiny_risky(x) + 1", "tiny_mine(x)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jax", "jax"), "nothing was changed: `y` takes the fix as it is"),
        (("tiny_done", "tiny_safe"), "the fix changes nothing any more: `n` refuses it"),
        (("not there", ""), "nothing was changed; name another one in `$EDITOR`"),
    ],
)
def test_an_editor_that_leaves_nothing_decides_nothing(
    project: Path, editor, words: tuple[str, str], said: str
) -> None:
    with Person("apply", "-i", *ONLY, "a.py", EDITOR=editor(words), VISUAL="") as person:
        person.types("e")
        person.sees(said)
        person.types("q")
        assert person.leaves() == 1
    assert texts(project) == (SLOW, SLOW)


def test_an_editor_that_deletes_its_file_decides_nothing(project: Path) -> None:
    deleting = f'"{sys.executable}" -c "import os, sys; os.remove(sys.argv[-1])"'
    with Person("apply", "-i", *ONLY, "a.py", EDITOR=deleting, VISUAL="") as person:
        person.types("e")
        assert "cannot be read: no such file" in person.sees("edit it again? [y/N] ")
        person.sends("y\n")
        person.sees("edit it again? [y/N] ")
        person.sends("n\n")
        person.types("q")
        assert person.leaves() == 1
    assert texts(project) == (SLOW, SLOW)


@pytest.mark.parametrize("columns", [30, 80])
def test_what_is_shown_fits_the_terminal(project: Path, columns: int) -> None:
    with Person("apply", "-i", *ONLY, columns=columns, colours=True) as person:
        person.types("?", "x", "v", "zzz")
        person.sees("]? ")
        person.sends("\x03")
        person.leaves()
    assert "\x1b[" in person.shown
    told = person.plainly()
    told_plainly = " ".join(told.split())
    assert "`tiny_safe` costs a compile" in told_plainly and "no rerun has checked this fix" in told_plainly
    assert "undo the last answer" in told_plainly and "exist nowhere" in told_plainly
    start = told.index("(1/6)")
    question = told[start : told.index("]?")].splitlines()
    assert max(len(line) for line in question if not line.startswith(("-", "+", " ", "take"))) <= columns
    assert [line for line in question if line.startswith(("-", "+"))] == [
        "-    y = jax.tiny_safe(x)",
        "+    y = jax.tiny_done(x)",
    ]


def test_fixes_that_touch_each_other_are_shown_together_before_they_are_written(project: Path) -> None:
    (project / "a.py").write_text((TESTS.parent / "golden" / "local_loop_function" / "program.py").read_text())
    commit()
    with Person("apply", "-i", "--select", "local-loop-function,unjitted-update", "a.py") as person:
        person.types("j", "j")
        person.sees("changes the same place as `local-loop-function`")
        person.types("b", "b", "f")
        told = person.sees("]? ")
        assert "`unjitted-update` was accepted, and cannot be applied" in told
        assert "its fixes touch each other, and are written together" in told
        person.sends("s\n")
        shown = person.sees("]? ")
        assert "--- a/a.py" in shown and "+++ b/a.py" in shown
        person.sends("n\n")
        assert person.leaves() == 1


def test_a_file_that_changed_meanwhile_is_not_written_over(project: Path) -> None:
    with Person("apply", "-i", *ONLY, "--allow-dirty") as person:
        person.types("y")
        person.sees("(2/6)")
        (project / "a.py").write_text("x = 1\n")
        person.types("q")
        assert person.leaves() == 2
    assert "a.py: has changed since jaxfix read it; nothing was changed" in person.shown
    assert texts(project) == ("x = 1\n", SLOW)


def test_who_may_not_write_is_told_before_the_first_question(project: Path) -> None:
    (project / "a.py").write_text(SLOW + "\n")
    with Person("apply", "-i", *ONLY) as person:
        assert person.leaves() == 2
    assert "a.py" in person.shown and "--allow-dirty" in person.shown and "]?" not in person.shown
    with Person("apply", "-i", *ONLY, "--allow-dirty") as person:
        person.types("y", "q")
        assert person.leaves() == 1
    assert texts(project)[0] == made(5) + "\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--diff",), "`--interactive` and `--diff` contradict each other"),
        (("--stat",), "`--interactive` and `--stat` contradict each other"),
        (("--unproven",), "`--interactive` and `--unproven` contradict each other"),
        (("-",), "`-` reads stdin, where `--interactive` wants the answers; name the file"),
        ((), "`--interactive` asks a person, and there is no terminal; `--diff` shows the fixes"),
    ],
)
def test_contradictions_and_a_missing_terminal_are_named(
    project: Path, cli: Cli, options: tuple[str, ...], said: str
) -> None:
    done = cli("apply", "--interactive", *options)
    assert (done.code, done.out, done.err) == (2, "", f"error: {said}\n")
    assert cli("apply", "--forget").err == "error: `--forget` forgets the answers of `--interactive`; give both\n"


def test_the_diff_on_a_terminal_tells_each_fix_once(project: Path) -> None:
    with Person("apply", "--diff", *ONLY, "a.py", "--no-prove", colours=True) as person:
        assert person.leaves() == 1
    assert person.shown.count("tiny-risky") == 1 and "\x1b[7;32mtiny_done" in person.shown
    assert terminal.is_attended() is False


def test_ctrl_c_ends_a_proof_and_not_the_review(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "sleep 600"\n')
    with Person("apply", "-i", *ONLY, "a.py") as person:
        person.types("y", "p")
        person.sees("? [y/N] ")
        person.sends("y\n")
        person.sees("running it unchanged")
        person.sends("\x03")
        person.sees("the proof was stopped without a result")
        person.types("y")
        person.sees("(3/3)")
        person.sees("]? ")
        person.sends("\x03")
        assert person.leaves() == 130
    assert texts(project) == (SLOW, SLOW)
    assert remembered(project) == [("a.py", "accepted")] * 2


@pytest.mark.parametrize("answer", ["q", "n"])
def test_what_cannot_be_rerun_is_told_once_and_counts(project: Path, answer: str) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "nowhere-to-be-found a.py"\n')
    with Person("apply", "-i", *ONLY, "a.py") as person:
        person.types("p")
        person.sees("? [y/N] ")
        person.sends("y\n")
        person.sees("no such program")
        person.types(*("q",) if answer == "q" else ("y", "j", "j", "n"))
        assert person.leaves() == 2
    assert person.shown.count("no such program") == 1
    assert texts(project) == (SLOW, SLOW)


def test_what_a_rerun_has_shown_outlives_a_review_that_is_ended(project: Path) -> None:
    with Person("apply", "-i", *ONLY, "a.py", "--run", f"{sys.executable} -c pass") as person:
        person.sees("(1/3) a.py:5")
        person.sees("not reached: ")
        person.sees("]? ")
        person.sends("\x03")
        assert person.leaves() == 130
    (kept,) = (project / ".jaxfix" / "receipts").glob("*.json")
    assert len(json.loads(kept.read_text())["receipts"]) == 3


def test_what_a_rerun_has_shown_outlives_a_write_that_fails(project: Path, cli: Cli) -> None:
    (project / "edit.py").write_text(f"open({str(project / 'a.py')!r}, 'a').write('#')\n")
    commit()
    done = cli("apply", *ONLY, "a.py", "--allow-dirty", "--run", f"{sys.executable} edit.py")
    assert done.code == 2 and "a.py: has changed since jaxfix read it" in done.err
    assert len(list((project / ".jaxfix" / "receipts").glob("*.json"))) == 1


@pytest.mark.evidence
@pytest.mark.slow  # as `test_cli_prove` has it, with a terminal
@pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax")
def test_what_is_judged_when_ctrl_c_ends_a_proof_is_shown(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (project / "train.py").write_text(SEVERAL)
    commit()
    runs = tmp_path_factory.mktemp("outside") / "runs"
    (project / "pyproject.toml").write_text(f'[tool.jaxfix]\nrun = "{several(runs)}"\n')
    with Person("apply", "-i", "--select", "tiny-ready", "train.py") as person:
        person.types("P")
        person.sees("? [y/N] ")
        person.sends("y\n")
        wait_for_last(runs)
        person.sends("\x03")
        assert "the proof was ended: 2 of 3 fixes judged by then, 1 proven" in person.sees("(1/3) train.py:12")
        person.sees("different: ")
        person.types("j")
        assert "proven: compiles" in person.sees("]? ")
        person.sends("y\n")
        person.sees("(3/3) train.py:20")
        person.types("q")
        assert person.leaves() == 1
    assert (project / "train.py").read_text().count("return READY(x)") == 1
    assert len(list((project / ".jaxfix" / "receipts").glob("*.json"))) == 2


@pytest.mark.evidence
@pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax")
def test_a_proof_is_asked_for_shown_and_decides_nothing_by_itself(project: Path) -> None:
    (project / "train.py").write_text(PROGRAM)
    (project / "pyproject.toml").write_text(f'[tool.jaxfix]\nrun = "{sys.executable} train.py"\n')
    commit()
    ready = ("--select", "tiny-ready", "train.py")
    with Person("apply", "-i", *ready) as person:
        person.sees("needs a rerun: results bitwise")
        person.types("P")
        assert "train.py` with and without them" in person.sees("? [y/N] ")
        person.sends("y\n")
        person.sees("(1/3) train.py:8")
        person.sees("proven: compiles")
        person.types("v")
        assert "command: " in person.sees("with Python")
        assert "bitwise equal" in " ".join(person.sees("]? ").split())  # wherever the line is folded
        person.sends("y\n")
        person.sees("different: ")
        person.types("j")
        person.sees("not reached: ")
        person.types("b", "b", "a")
        assert "2 fixes taken" in person.sees("(2/3) train.py:12")
        person.types("y")
        assert "judged this fix different; accept it anyway" in person.sees("? [y/N] ")
        person.sends("n\n")
        person.types("n", "y")
        assert person.leaves() == 1
    told = " ".join(person.shown.split())
    assert "proven tiny-ready train.py:8 compiles" in told and "accepted anyway, as you have decided so" in told
    use = "return jax.jit(lambda v: v * 2)(x)"
    assert (project / "train.py").read_text() == PROGRAM.replace(use, "return READY(x)")
    assert len(list((project / ".jaxfix" / "receipts").glob("*.json"))) == 2


def test_a_diff_on_a_terminal_ends_with_the_last_lines_of_a_program_that_failed(project: Path) -> None:
    failing = ("--run", "sh -c 'echo its last words; exit 5'")
    with Person("apply", "--diff", *ONLY, *failing) as person:
        person.sees("# held")
        person.sees("fails without any fix: exit status 5")
        person.sees("\n        its last words")
        assert person.leaves() == 1
