"""Reruns from the command line: what is proven is written, what is refuted is held."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Outcome, apart

TESTS = Path(__file__).resolve().parent
PROGRAM = """\
import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def right(x):
    return jax.jit(lambda v: v * 2)(x)


def wrong(x):
    return jax.jit(lambda v: v * 3)(x)


def unused(x):
    return jax.jit(lambda v: v * 2)(x)


if __name__ == "__main__":
    for step in range(4):
        x = wrong(right(jnp.arange(3.0) + step))
    print(x)
"""
PROVEN = PROGRAM.replace("return jax.jit(lambda v: v * 2)(x)", "return READY(x)", 1)

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax"),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a program, committed; its folder is not where its repository begins."""
    folder = tmp_path / "deep"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "train.py").write_text(PROGRAM)
    (tmp_path / "train.py").write_text("raise SystemExit('the wrong file')\n")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q", str(tmp_path)), ("add", ".."), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True)
    return folder


def jaxfix(*arguments: str) -> Outcome:
    return apart(*arguments, packs=(TESTS / "pack",))


def environment() -> dict[str, str]:
    root = TESTS.parent
    places = (root, root / "codemods", TESTS / "pack")
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "NO_COLOR": "1", "JAX_PLATFORMS": "cpu"}


def test_a_safe_fix_that_no_rerun_reached_is_written_and_said_so(project: Path) -> None:
    (project / "idle.py").write_text("")
    (project / "safe.py").write_text(
        "import jax\nimport jax.numpy as jnp\n\n\ndef f(x):\n    def body(c, y):\n        return c + y, c\n\n"
        "    return jax.lax.scan(body, 0.0, x)\n\n\nfor _ in range(4):\n    f(jnp.ones(3))\n"
    )
    done = jaxfix("apply", "--allow-dirty", "--select", "local-loop-function", "--run", "python idle.py", "safe.py")
    assert done.out.startswith("not reached  local-loop-function  safe.py:9  nothing that was run calls `f`")
    assert done.out.endswith("; accepted anyway, as it is safe for every input\n")
    assert done.code == 0 and "_f_body" in (project / "safe.py").read_text()


def test_only_what_the_rerun_proves_is_written(project: Path) -> None:
    done = jaxfix("apply", "--select", "tiny-ready", "--run", "python train.py", "train.py")
    assert (project / "train.py").read_text() == PROVEN, done.err
    assert done.code == 1
    proven, different, unreached = done.out.splitlines()
    assert proven.startswith("proven  tiny-ready  train.py:8  compiles ")
    assert "bitwise" in proven
    assert ", jax " in proven
    assert different.startswith("different  tiny-ready  train.py:12  ")
    assert unreached.startswith("not reached  tiny-ready  train.py:16  ")
    assert "note: rerunning `python train.py` with and without the fixes" in done.err
    assert re.search(r"note: made [3-6] runs of `python train.py`: \d+ compiles, \d+ s\n", done.err)
    assert done.err.index("\nnote: proven: ") < done.err.index("note: made ")  # at once, and again at the end
    assert "1 finding fixed; 2 fixes held; 2 findings remain" in done.err
    assert jaxfix("check", "--select", "tiny-ready").out.count("tiny-ready") == 2
    kept = [str(path) for path in project.parent.glob(".jaxfix/receipts/*.json")]
    assert (
        "holds  " in (told := jaxfix("verify", *kept).out)
        and "1 of 1 files are those that were run, with the change" in told
    )
    assert jaxfix("undo").code == 0
    assert (project / "train.py").read_text() == PROGRAM
    assert "1 of 1 files are those that were run, without the change" in jaxfix("verify", *kept).out
    (project / "train.py").write_text(PROGRAM + "\n")
    assert "deep/train.py differs from both runs" in jaxfix("verify", *kept).out


def test_an_apply_of_one_fix_runs_the_program_four_times_at_most_and_says_what_it_gained(project: Path) -> None:
    count = project.parent / "runs"
    again = PROGRAM.replace("x = wrong(right(", "x = (right(").replace("range(4)", "range(12)")
    (project / "train.py").write_text(f"open({str(count)!r}, 'a').write('x')\n" + again)
    arguments = ("apply", "--allow-dirty", "--select", "tiny-ready", "--run", "python train.py", "train.py")
    done = jaxfix(*arguments, "--output-format", "json")
    assert count.read_text() in ("xxx", "xxxx")
    gained = re.search(
        r"^of ([\d.]+) s, ([\d.]+) s were compiling again in `right` \(train.py:9\); now 0.0 of", done.err, re.M
    )
    assert gained and 0 < float(gained[2]) < float(gained[1])
    told = json.loads(done.out)
    (gain,) = (gain for gain in told["run"]["gains"] if gain["what"] == "compiling again")
    assert gain["line"] == 9 and gain["now_s"] == 0 < gain["seconds"] < told["run"]["run_s"]
    assert told["run"]["now_s"] > 0
    (made,) = told["fixes"]
    assert made["seen"]["compiles"] == 12 and 0 < made["seen"]["share"] < 1
    assert {entry["seen"] for entry in told["held"]} == {None}


def test_a_dry_run_reruns_and_writes_nothing(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "python train.py"\n')
    done = jaxfix("apply", "--diff", "--select", "tiny-ready", "--prove")
    assert done.out.count("\n+    return READY(x)") == 1
    assert "proven  tiny-ready  train.py:8" in done.err
    assert (project / "train.py").read_text() == PROGRAM
    assert sorted(path.name for path in project.iterdir()) == ["pyproject.toml", "train.py"]

    again = jaxfix("apply", "--diff", "--select", "tiny-ready", "--prove")
    assert again.out == done.out
    assert "note: reused 3 of 3 verdicts of `python train.py`, of runs since 20" in again.err


def test_uncommitted_changes_are_refused_before_anything_runs(project: Path) -> None:
    (project / "train.py").write_text(PROGRAM + "# mine\n")
    done = jaxfix("apply", "--select", "tiny-ready", "--run", "python train.py", "train.py")
    assert done.code == 2
    assert "note: rerunning" not in done.err


def test_what_may_not_be_written_is_refused_before_anything_runs(project: Path) -> None:
    (project / "train.py").chmod(0o444)
    done = jaxfix("apply", "--select", "tiny-ready", "--run", "python train.py", "train.py", "--allow-dirty")
    assert (done.code, "note: rerunning" in done.err) == (2, False)
    assert "error: train.py: cannot be written: it is read-only" in done.err and "`--diff` shows the fixes" in done.err


@pytest.mark.parametrize(
    ("command", "message"),
    [("nowhere-to-be-found train.py", "no such program"), ("python a.py | tee b", "needs a shell")],
)
def test_a_program_that_cannot_start_is_an_error_and_nothing_is_written(
    project: Path, command: str, message: str
) -> None:
    done = jaxfix("apply", "--select", "tiny-ready", "--run", command, "train.py")
    assert done.code == 2
    assert message in done.err
    assert (project / "train.py").read_text() == PROGRAM


def test_a_program_that_fails_proves_nothing(project: Path) -> None:
    done = jaxfix("apply", "--select", "tiny-ready", "--run", "python gone.py", "train.py")
    assert done.code == 1
    assert done.out.startswith("failed  `python gone.py`  fails without any fix: exit status 2: ")
    assert "; 3 fixes wait for it\n        " in done.out and done.out.count("failed") == 1
    quiet = jaxfix("apply", "--select", "tiny-ready", "--run", "sh -c 'echo no pytest; exit 5'", "train.py")
    assert "fails without any fix: exit status 5: no pytest" in quiet.out
    assert (project / "train.py").read_text() == PROGRAM


def test_a_program_that_hangs_is_cut_off(project: Path) -> None:
    (project / "train.py").write_text(f"import time\ntime.sleep(60)\n{PROGRAM}")
    arguments = ("--allow-dirty", "--timeout", "1", "--run", "python train.py", "train.py")
    done = jaxfix("apply", "--select", "tiny-ready", *arguments)
    assert f"in copies of `{project.parent}`, from `deep`; each run may take 1 s (`--timeout`)\n" in done.err
    words = "nothing that was run calls `right` before the run was stopped at the time limit: raise `--timeout`"
    assert words in done.out
    assert done.code == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_rerun_ends_with_its_program(project: Path, number: int, code: int) -> None:
    scratch = project.parent / "scratch"
    scratch.mkdir()
    (project / "train.py").write_text(f"import time\nopen({str(scratch / 'begun')!r}, 'w')\ntime.sleep(60)\n{PROGRAM}")
    arguments = ("apply", "--select", "tiny-ready", "--allow-dirty", "--run", "python train.py", "train.py")
    env = environment() | {"TMPDIR": str(scratch)}
    waiting = subprocess.Popen([sys.executable, "-m", "jaxfix", *arguments], stderr=subprocess.PIPE, env=env)
    for _ in range(200):
        if (scratch / "begun").exists():
            break
        time.sleep(0.1)
    for _ in range(3):  # as impatient people do
        waiting.send_signal(number)
        time.sleep(0.02)
    _, err = waiting.communicate(timeout=20)  # the program holds no end of the pipe any more
    assert waiting.returncode == code, err
    assert [path.name for path in scratch.iterdir()] == ["begun"]
    assert "time.sleep(60)" in (project / "train.py").read_text()


SEVERAL = """\
import os
import sys
import time

import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def wrong(x):
    return jax.jit(lambda v: sum(jnp.sin(v + each) for each in range(30)) + v * 3)(x)


def right(x):
    return jax.jit(lambda v: v * 2)(x)


def other(x):
    return jax.jit(lambda v: v * 2)(x)


if __name__ == "__main__":
    for step in range(4):
        x = other(right(wrong(jnp.arange(3.0) + step)))
    print(x)
    with open(sys.argv[1], "a") as runs:
        runs.write("x")
    if os.path.getsize(sys.argv[1]) == int(sys.argv[2]):
        time.sleep(600)
"""
"""A program that writes down each run, and never ends the last one: two are judged by then, first the dear `wrong`."""


def several(runs: Path) -> str:
    """The command that writes its runs there."""
    return f"{sys.executable} train.py {runs} 7"


def wait_for_last(runs: Path) -> None:
    """Waits for the run that never ends."""
    end = time.monotonic() + 300
    while not runs.exists() or runs.stat().st_size < 7:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_is_judged_by_then_outlives_a_proof_that_is_interrupted(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (project / "train.py").write_text(SEVERAL)
    runs = tmp_path_factory.mktemp("outside") / "runs"
    arguments = ("apply", "--select", "tiny-ready", "--allow-dirty", "--run", several(runs), "train.py")
    waiting = subprocess.Popen([sys.executable, "-m", "jaxfix", *arguments], stderr=subprocess.PIPE, env=environment())
    wait_for_last(runs)
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 130, err
    assert (project / "train.py").read_text() == SEVERAL
    assert b"note: the proof was ended: 2 of 3 fixes judged by then, 1 proven; that is kept" in err
    assert err.endswith(b"error: interrupted; nothing was written\n")
    kept = jaxfix("receipts", "--output-format", "json")
    assert {entry["verdict"] for entry in json.loads(kept.out)["receipts"]} == {"proven", "different"}

    again = jaxfix(*arguments)
    assert "note: reused 2 of 3 verdicts of" in again.err
    assert "2 findings fixed; 1 fix held" in again.err
    assert 8 <= runs.stat().st_size <= 10  # six runs were over, and are not made again


def test_json_carries_the_receipts(project: Path) -> None:
    done = jaxfix("apply", "--select", "tiny-ready", "--run", "python train.py", "--output-format", "json", "train.py")
    document = json.loads(done.out)
    found = [entry["verdict"] for entry in document["evidence"]]  # the dearest first, be it by chance
    assert sorted(found) == ["different", "not reached", "proven"]
    assert len(document["findings"]) == 2
    assert document["evidence"][0]["path"] == "train.py"


def test_trace_tells_by_line_and_leaves_stdout_to_the_program(project: Path) -> None:
    done = jaxfix("trace", "-o", "trace.json", "--", "python", "train.py")
    assert done.code == 0
    assert done.out == "[30. 36. 42.]\n" or done.out.startswith("[")
    assert done.out.count("\n") == 1
    rows = [line.split() for line in done.err.splitlines()]
    assert re.fullmatch(r"seconds( lost s)? times( a step)? where what why codemod", " ".join(rows[0]))
    assert any(" 4 train.py:8 " in " ".join(row) for row in rows[1:-1])
    written = json.loads((project / "trace.json").read_text())["rows"]
    assert {("train.py", 8), ("train.py", 12)} <= {(row["path"], row["line"]) for row in written}


def test_a_traced_program_ends_with_jaxfix(project: Path) -> None:
    program = "import os, time; open('begun', 'w').write(str(os.getpid())); time.sleep(60)"
    command = [sys.executable, "-m", "jaxfix", "trace", "--", "python", "-c", program]
    waiting = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment())
    begun = project / "begun"
    for _ in range(200):
        if begun.exists() and begun.read_text():
            break
        time.sleep(0.1)
    waiting.terminate()
    assert waiting.wait(20) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


def test_a_measurement_without_a_place_is_refused_before_the_program_runs(project: Path) -> None:
    done = jaxfix("trace", "-o", "nowhere/trace.json", "--", "python", "-c", "open('ran', 'w')")
    assert done.code == 2
    assert "error: nowhere/trace.json: there is no folder to write it into; make it first\n" in done.err
    assert not (project / "ran").exists()


def test_trace_gives_the_exit_code_of_the_program(project: Path) -> None:
    done = jaxfix("trace", "--", "python", "-c", "raise SystemExit(7)")
    assert done.code == 7
    assert done.err == "nothing was compiled\nnote: the program ended with exit status 7\n"
    assert jaxfix("trace", "--", "nowhere-to-be-found").code == 2


def test_own_optimizers_are_driven_without_a_program(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine" / "__init__.py").write_text("from mine.scale import scale\n")
    (project / "mine" / "scale.py").write_text(
        "import jax\nfrom typing import NamedTuple\n\nREADY = jax.jit(lambda v: v * 2)\n\n\n"
        "class GradientTransformation(NamedTuple):\n  init: object\n  update: object\n\n\n"
        "def scale() -> GradientTransformation:\n  def init(params):\n    return ()\n\n"
        "  def update(updates, state, params=None):\n"
        "    return jax.tree.map(jax.jit(lambda v: v * 2), updates), state\n\n"
        "  return GradientTransformation(init, update)\n"
    )
    done = jaxfix("apply", "--select", "tiny-ready", "--prove", "--allow-dirty", "mine")
    assert "note: driving the optimizers of `mine`" in done.err
    assert done.out.startswith("proven  tiny-ready  mine/scale.py:"), done
    assert "jax.tree.map(READY, updates)" in (project / "mine" / "scale.py").read_text()
    assert done.code == 0


BOARD = """\
import sys
from types import SimpleNamespace

import jax.numpy as jnp


def show(board, side):
    cells = dict(board)["cells"].copy()
    print("".join("x" if cells[i * side + j] == 1 else "." for i in range(side) for j in range(side)))


if __name__ == "__main__":
    show(vars(SimpleNamespace(cells=jnp.arange(400.0) % 7)), 20)
    print(len(sys.argv), file=open("runs.txt", "a"))
"""


@pytest.mark.slow  # about 15 s of the processor
def test_a_run_tells_what_only_a_run_can_tell(project: Path) -> None:
    (project / "board.py").write_text(BOARD)
    quiet = jaxfix("check", "--all", "board.py")
    assert quiet.out == "" and quiet.err.startswith("no findings")
    done = jaxfix("apply", "--allow-dirty", "--run", "python board.py", "board.py")
    assert done.out.startswith("proven  element-reads  board.py:9")
    text = (project / "board.py").read_text()
    assert "np.asarray" in text and "cells[min(i * side + j, cells.shape[0] - 1)]" in text
    assert not (project / "runs.txt").exists()  # all runs are of copies
