"""What an environment of its period says: which differences are rounding, and what is compared."""

import sys
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.evidence.oracle import Ran, Side, ask, compared, distance
from jaxfix.report.oracle import Answer


def ran(stdout: str = "loss 0.5\n", files: dict[str, bytes] | None = None, failure: str | None = None) -> Ran:
    return Ran(failure, stdout, files or {})


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("loss 0.5", "loss 0.5", Answer.BITWISE),
        ("loss 0.5000001 nan", "loss 0.5000002 nan", Answer.ROUNDED),
        ("loss 1e-9", "loss 2e-9", Answer.ROUNDED),
        ("loss 0.5", "loss 0.5001", Answer.DIFFERENT),
        ("step 3", "step 4", Answer.DIFFERENT),
        ("loss nan", "loss 0.5", Answer.DIFFERENT),
        ("[1.0 2.0]", "[1.0, 2.0]", Answer.DIFFERENT),
        ("one", "one\ntwo", Answer.DIFFERENT),
        ("", "", Answer.FAILED),
    ],
)
def test_what_is_printed(old: str, new: str, answer: Answer) -> None:
    assert compared(ran(old), ran(new)).answer is answer


def test_what_is_written() -> None:
    assert compared(ran("", {"a": b"0.1"}), ran("", {"a": b"0.10000001"})).answer is Answer.ROUNDED
    assert compared(ran("", {"a": b"0.1"}), ran("", {"b": b"0.1"})).answer is Answer.DIFFERENT
    found = compared(ran(files={"a": b"\xff1"}), ran(files={"a": b"\xff2"}))
    assert found.answer is Answer.BITWISE and found.uncompared == ("a",)


def test_a_failure_says_when() -> None:
    found = compared(ran(), ran(failure="exit status 1: boom"))
    assert (found.answer, found.reason) == (Answer.FAILED, "it fails today: exit status 1: boom")
    assert "in its period" in compared(ran(failure="boom"), ran()).reason


def test_where_two_texts_differ_is_told() -> None:
    assert distance("a\nloss 1", "a\nloss 2") == "line 2: `loss 1` became `loss 2`"


def test_the_sides_differ_by_what_was_changed_alone(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text("import os\nopen('out.txt', 'w').write('1.0')\nprint(os.environ['JAX_THREEFRY_PARTITIONABLE'])\n")
    old, same = Side(sys.executable, {}), Side(sys.executable, {script: script.read_bytes() + b"\n"})
    found = ask(tmp_path, "python run.py", old, same, 60, draws_alike=True)
    assert (found.answer, found.reason) == (Answer.BITWISE, "1 printed line and 1 written file")
    other = Side(sys.executable, {script: script.read_bytes().replace(b"1.0", b"2.0")})
    assert ask(tmp_path, "python run.py", old, other, 60, draws_alike=True).answer is Answer.DIFFERENT
    assert not (tmp_path / "out.txt").exists()


def test_the_oracle_decides_the_exit_code(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import sys\nprint(1.5)\nif sys.flags.quiet:\n    import jax.abstract_arrays\n")
    ask_it = ("upgrade", "a.py", "--run", "python a.py", "--oracle-python", sys.executable)
    done = cli(*ask_it)
    assert done.code == 0 and done.out.startswith("oracle  equal: 1 printed line (as it is with")
    assert cli("upgrade", "--oracle-python", sys.executable).code == 2
