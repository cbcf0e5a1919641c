"""A change that others have made: proven, refused, not reached, or not readable."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, apart

MODEL = """\
import jax
import jax.numpy as jnp
from jax import lax

RATE = 2.0


def scaled(x):
    return lax.fori_loop(0, 3, lambda i, c: c * RATE, x)


def shifted(x):
    return x + 1.0


def unused(x):
    return x - 1.0
"""
TRAIN = """\
import jax.numpy as jnp
from model import scaled, shifted

for step in range(4):
    y = shifted(scaled(jnp.arange(3.0) + step))
print(y.tolist())
"""
BODY = "def _body(i, c):\n    return c * RATE\n\n\ndef scaled"
RIGHT = MODEL.replace("lambda i, c: c * RATE", "_body").replace("def scaled", BODY)
WRONG = RIGHT.replace("0, 3, _body", "0, 2, _body")
RUN = f"{sys.executable} train.py"

needs_jax = pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax")


def git(folder: Path, *arguments: str) -> str:
    own = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    return subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed repository with a model and the program that runs it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "rates.txt").write_text("2.0\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


def diff_of(project: Path, **texts: str) -> Path:
    """A diff that gives the files of the model, the rates and others these texts; the tree stays as it was."""
    for name, text in texts.items():
        (project / name.replace("__", ".")).write_text(text)
    git(project, "add", "-A")
    found = git(project, "diff", "--cached", "-M")
    git(project, "reset", "-q", "--hard")
    path = project.parent / f"{project.name}.diff"
    path.write_text(found)
    return path


def state(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(project).parts
    }


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_a_right_change_is_proven_and_nothing_is_written(project: Path) -> None:
    diff = diff_of(project, model__py=RIGHT)
    before = state(project)
    done = apart("prove", "--run", RUN, "--diff", str(diff))
    assert done.code == 0, done
    assert "proven  change  model.py:8" in done.out
    assert "model.py  `_body`  (added)" in done.out
    assert "the change: proven, the same program" in done.out
    assert state(project) == before


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_a_wrong_change_is_refused_with_what_differs_first(project: Path) -> None:
    done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, model__py=WRONG)), "--output-format", "json")
    told = json.loads(done.out)
    assert (done.code, told["verdict"]) == (1, "different"), done
    assert "`model.py:scaled call 1`[2]: 16 became 8" in told["reason"]
    assert told["level"] is None


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
@pytest.mark.parametrize("value", ["3", "None"])
def test_a_number_of_python_that_a_script_leaves_is_compared(project: Path, value: str) -> None:
    kept = TRAIN.replace("for step", f"last = {value}\nfor step").replace("print(y.tolist())\n", "")
    (project / "train.py").write_text(kept)
    git(project, "commit", "-qam", "y")
    changed = kept.replace(f"last = {value}", "last = 4")
    done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, train__py=changed)), "--output-format", "json")
    told = json.loads(done.out)
    assert (done.code, told["verdict"]) == (1, "different"), done
    assert "left `last`" in told["reason"]


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_a_variable_that_a_change_binds_less_often_is_compared(project: Path) -> None:
    kept = TRAIN.replace("for step", "y = shifted(jnp.zeros(3))\nfor step").replace("print(y.tolist())\n", "")
    (project / "train.py").write_text(kept)
    git(project, "commit", "-qam", "y")
    changed = kept.replace("    y = shifted", "    z = shifted")
    done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, train__py=changed)), "--output-format", "json")
    told = json.loads(done.out)
    assert (done.code, told["verdict"]) == (1, "different"), done
    assert "left `y`" in told["reason"]


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_the_working_tree_against_a_commit(project: Path) -> None:
    (project / "model.py").write_text(WRONG)
    git(project, "commit", "-qam", "wrong")
    (project / "model.py").write_text(RIGHT.replace("c * RATE", "RATE * c"))
    against_first = apart("prove", "--run", RUN, "--git", "HEAD~1", "--output-format", "json")
    uncommitted = apart("prove", "--run", RUN, "--worktree", "--output-format", "json")
    assert json.loads(against_first.out)["verdict"] == "proven", against_first
    assert json.loads(uncommitted.out)["verdict"] == "different", uncommitted
    assert (against_first.code, uncommitted.code) == (0, 1)


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_rounding_is_told_and_proven_only_where_it_is_accepted(project: Path) -> None:
    diff = diff_of(project, model__py=MODEL.replace("return x + 1.0", "return (x * 0.1 + 0.1) * 10.0"))
    strict = apart("prove", "--run", RUN, "--diff", str(diff))
    loose = apart("prove", "--run", RUN, "--diff", str(diff), "--rounding")
    assert strict.code == 1 and "`--rounding` accepts" in strict.out, strict
    assert loose.code == 0 and "proven, equal up to rounding" in loose.out, loose


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_other_data_are_not_taken_for_rounding(project: Path) -> None:
    """A function that rounds differently hides nothing of what the data do that the change brings along."""
    (project / "model.py").write_text(MODEL.replace("RATE = 2.0", 'RATE = float(open("rates.txt").read())'))
    git(project, "commit", "-qam", "a file for the rate")
    rounded = (project / "model.py").read_text().replace("x + 1.0", "(x * 0.1 + 0.1) * 10.0")
    diff = diff_of(project, model__py=rounded, rates__txt="3.0\n")
    done = apart("prove", "--run", RUN, "--diff", str(diff), "--rounding")
    assert done.code == 1 and "the change: different" in done.out, done


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_what_nothing_calls_is_not_reached(project: Path) -> None:
    done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, model__py=MODEL.replace("x - 1.0", "x - 2.0"))))
    assert done.code == 1, done
    assert "the change: not reached: `unused`" in done.out


@needs_jax
@pytest.mark.evidence
@pytest.mark.slow
def test_files_that_come_and_go_are_there_on_their_side_alone(project: Path) -> None:
    """The program imports a module that the change adds; one that it removes is gone from the second run."""
    (project / "old.py").write_text("def shifted(x):\n    return x + 1.0\n")
    (project / "train.py").write_text(TRAIN.replace("import scaled, shifted", "import scaled\nfrom old import shifted"))
    git(project, "add", ".")
    git(project, "commit", "-qm", "old")
    git(project, "mv", "old.py", "new.py")
    moved = diff_of(project, train__py=(project / "train.py").read_text().replace("old", "new"))
    right = apart("prove", "--run", RUN, "--diff", str(moved))
    assert right.code == 0, right
    assert "old.py  (removed)" in right.out and "new.py  (added)" in right.out
    git(project, "rm", "-q", "old.py")
    (project / "model.py").write_text(RIGHT)
    gone = apart("prove", "--run", RUN, "--worktree")
    assert gone.code == 1, gone
    assert "No module named 'old'" in gone.out


@needs_jax
@pytest.mark.evidence
def test_a_program_that_fails_without_the_change_is_no_proof(project: Path) -> None:
    diff = diff_of(project, model__py=RIGHT)
    done = apart("prove", "--run", f"{sys.executable} -c 'raise SystemExit(3)'", "--diff", str(diff))
    assert done.code == 2, done
    assert "fails without the change: exit status 3" in done.err


def test_what_has_another_name_is_named(project: Path) -> None:
    changed = MODEL.replace("def unused(x):\n    return x - 1.0\n", "def spare(x):\n    return x - 1.0\n")
    done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, model__py=changed)))
    assert done.code == 1, done
    assert "model.py  `unused`  (renamed to `spare`)" in done.out
    assert "not compared: the run shows no difference, and the change changes no function" in done.out


def test_comments_and_layout_are_proven_by_reading(project: Path) -> None:
    done = apart("prove", "--run", "no-such-program", "--diff", str(diff_of(project, model__py=f"# more\n{MODEL}\n")))
    assert done.code == 0, done
    assert "every source parses the same" in done.out


def test_data_alone_are_not_compared(project: Path) -> None:
    diff = str(diff_of(project, rates__txt="3.0\n"))
    done = apart("prove", "--run", f"{sys.executable} -c 'print(1)'", "--diff", diff)
    assert done.code == 1, done
    assert "rates.txt  (no Python" in done.out
    assert "the change: not compared: the run shows no difference" in done.out


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ('print(open(\\"rates.txt\\").read())', "different: printed line 1: '2.0' became '3.0'"),
        (
            'assert open(\\"rates.txt\\").read() < \\"3\\"',
            "failed: fails with the change: exit status 1: AssertionError",
        ),
    ],
)
def test_a_run_that_data_change_speaks_against_them(project: Path, program: str, said: str) -> None:
    diff = str(diff_of(project, rates__txt="3.0\n"))
    done = apart("prove", "--run", f'{sys.executable} -c "{program}"', "--diff", diff)
    assert (done.code, f"the change: {said}" in done.out) == (1, True), done


def test_what_a_program_needs_is_missed_where_it_goes(project: Path) -> None:
    (project / "gone.py").write_text("")
    git(project, "add", ".")
    git(project, "commit", "-qm", "gone")
    (project / "gone.py").unlink()
    done = apart("prove", "--run", f"{sys.executable} -c 'import gone'", "--worktree")
    assert done.code == 1, done
    assert "the change: failed: fails with the change: exit status 1: ModuleNotFoundError" in done.out


def test_a_diff_that_does_not_apply_names_the_hunk(project: Path) -> None:
    diff = diff_of(project, model__py=WRONG)
    (project / "model.py").write_text(MODEL.replace("return lax", "return 2 * lax"))
    done = apart("prove", "--run", RUN, "--diff", str(diff))
    assert done.code == 2, done
    assert "does not apply to the working tree: the hunk at line 5 of model.py" in done.err


def test_a_diff_that_is_applied_already_names_the_option(project: Path) -> None:
    diff = diff_of(project, model__py=WRONG)
    (project / "model.py").write_text(WRONG)
    done = apart("prove", "--run", RUN, "--diff", str(diff))
    assert done.code == 2, done
    assert "is in the working tree already; `--worktree` proves what is uncommitted" in done.err


def test_a_folder_without_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = apart("prove", "--run", RUN, "--worktree")
    assert done.code == 2, done
    assert "is in no git repository; give the change as `--diff FILE`" in done.err


def test_a_diff_with_line_ends_of_windows_applies(project: Path) -> None:
    diff = diff_of(project, model__py=f"# more\n{MODEL}\n")
    diff.write_bytes(diff.read_bytes().replace(b"\n", b"\r\n"))
    done = apart("prove", "--run", "no-such-program", "--diff", str(diff))
    assert done.code == 0, done


def test_a_text_that_is_no_diff_is_refused(project: Path) -> None:
    (project.parent / "text").write_text("hello\n")
    done = apart("prove", "--run", "no-such-program", "--diff", str(project.parent / "text"))
    assert (done.code, "holds no diff; give what `git diff` prints" in done.err) == (2, True), done


def test_a_link_that_comes_is_refused(project: Path) -> None:
    for target in ("/etc/hosts", "nowhere", "."):
        (project / "link").symlink_to(target)
        done = apart("prove", "--run", RUN, "--diff", str(diff_of(project, rates__txt="3.0\n")))
        assert done.code == 2, done
        assert "link: a link that a change adds is not followed" in done.err


def test_a_diff_may_be_made_where_the_user_stands(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "tool.py").write_text("x = 1\n")
    monkeypatch.chdir(project / "deep")
    for prefix in ("a/", ""):
        text = f"--- {prefix}tool.py\n+++ {prefix}tool.py\n@@ -1 +1,2 @@\n+# more\n x = 1\n"
        (project / "own.diff").write_text(text)
        done = apart("prove", "--run", "no-such-program", "--diff", str(project / "own.diff"))
        assert done.code == 0, done


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no change is named"),
        (("--worktree", "--git", "HEAD"), "are two changes"),
        (("--worktree",), "nothing is changed by"),
        (("--git", "nonsense"), "git knows no commit `nonsense`"),
        (("--git=--output=x",), "git knows no commit"),
        (("--diff", "none.diff"), "none.diff"),
    ],
)
def test_bad_use_is_told(project: Path, options: tuple[str, ...], said: str) -> None:
    done = apart("prove", "--run", RUN, *options)
    assert done.code == 2, done
    assert said in done.err
    assert not (project / "x").exists()


def test_where_git_is_not_there_it_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    diff = diff_of(project, model__py=RIGHT)
    monkeypatch.setenv("PATH", os.fspath(project))
    done = apart("prove", "--run", RUN, "--diff", str(diff))
    assert done.code == 2, done
    assert "git is not installed" in done.err


def test_the_json_is_what_its_schema_says(project: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    diff = diff_of(project, rates__txt="3.0\n")
    done = apart("prove", "--run", RUN, "--diff", str(diff), "--output-format", "json")
    schema = json.loads((ROOT / "docs" / "schema" / "prove-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(done.out))
