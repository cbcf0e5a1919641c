"""The pytest that `gate --write` writes: green as it is, red where the step compiles again or grows."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Cli, apart

from jaxfix.evidence import in_process
from jaxfix.render.gate_test import gate_test
from jaxfix.report.measurement import Compile
from jaxfix.report.trace.budget import Sized, sized
from jaxfix.source.errors import EvidenceError

TRAIN = """\
import sys

import jax
import jax.numpy as jnp

WIDTH = 64


@jax.jit
def step(weights, batch):
    loss = lambda w: jnp.mean((jnp.tanh(batch @ w) @ w.T - batch) ** 2)
    return weights - 0.1 * jax.grad(loss)(weights)


weights = jnp.ones((16, WIDTH))
for i in range(4):
    weights = step(weights, jnp.ones((8, 16)) * i)
sys.exit(0)
"""
RECOMPILES = TRAIN.replace("jnp.ones((8, 16)) * i", "jnp.ones((8 + i % 2, 16))")
GROWS = TRAIN.replace("WIDTH = 64", "WIDTH = 128")
COMPUTES = TRAIN.replace(
    "    return weights", "    batch = jnp.sin(jnp.cos(jnp.exp(jnp.sin(batch))))\n    return weights"
)


def compiled(of: str | None, operations: int | None, temporary: int | None = None) -> Compile:
    where = ("train.py", 9, "main", ("train.py:9 in main",), "jit(step)", None, 0.1)
    return Compile(*where, of=of, operations=operations, temporary_bytes=temporary)


def test_the_largest_function_of_ones_own_is_the_step() -> None:
    step, other = "train.py:3 in step", "train.py:6 in other"
    compiles = [compiled(step, 30, 10), compiled(other, 9), compiled(step, 31), compiled(None, 99)]
    assert sized(compiles) == Sized("step", 2, 31, 10, "train.py:9: 2 compiles")
    assert sized(compiles, "other") == Sized("other", 1, 9, None, "train.py:9: 1 compile")
    assert sized(compiles, "none") is None and sized(compiles[3:]) is None


@pytest.mark.parametrize(
    ("above", "folder"), [((), ".parent\n"), (("..", ".."), ".parent.parent.parent\n"), (("sub",), '.parent / "sub"\n')]
)
def test_what_is_written_is_python(above: tuple[str, ...], folder: str) -> None:
    text = gate_test(Sized("Model.<locals>.step", 2, 1234, None, ""), 'python a.py "x"', above, "jax 1")
    ast.parse(text)
    assert f"resolve(){folder}" in text
    assert "def test_model_locals_step_compiles_2_times_and_does_not_grow(" in text
    assert "1.1 * 1_234" in text and "temporary_bytes" not in text


def test_a_program_runs_as_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "beside_it.py").write_text("")
    (tmp_path / "deep" / "main.py").write_text(
        "import os, pathlib, sys, beside_it\n"
        "pathlib.Path('said').write_text(repr((sys.argv, __name__, os.environ['MODE'])))\nsys.exit()\n"
    )
    before = list(sys.argv), list(sys.path), os.getcwd()
    in_process.run("MODE=fast python deep/main.py --steps 2", tmp_path)
    assert (tmp_path / "said").read_text() == "(['deep/main.py', '--steps', '2'], '__main__', 'fast')"
    assert (sys.argv, sys.path, os.getcwd()) == before and "MODE" not in os.environ
    (tmp_path / "deep" / "main.py").write_text("raise SystemExit('no data')\n")
    with pytest.raises(EvidenceError, match="ended with 'no data'"):
        in_process.run("python deep/main.py", tmp_path)


@pytest.mark.parametrize("words", [("pytest",), ("python", "-c", "1"), ("python", "a.ipynb"), ("python", "-m")])
def test_other_commands_cannot_be_run_within_a_test(words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="cannot be run within a test"):
        in_process.program_words(words, tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--write", "test.txt"), "is not a Python file"),
        (("--write", "mine.py"), "exists already, and is kept"),
        (("--write", "nowhere/test.py"), "there is no folder to write it into"),
        (("--write", "test.py", "--on", "cpu"), "writes a test that runs here"),
        (("--write", "test.py", "--function", "a", "--function", "b"), "names several"),
    ],
)
def test_what_cannot_be_written_is_refused_before_a_run(
    options: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    done = cli("gate", *options, "--", "python", "no-such-file.py")
    assert done.code == 2 and said in done.err and "no-such-file" not in done.err


@pytest.mark.slow  # a run of the program, and one for each text
@pytest.mark.evidence
def test_the_test_is_green_and_red_where_the_step_compiles_again_or_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "train.py").write_text(TRAIN)
    done = apart("gate", "--write", "tests/test_step.py", "--", "python", "train.py")
    assert done.code == 0 and "note: wrote `tests/test_step.py`: `step` compiles once, " in done.err
    passed = {}
    for text in (TRAIN, RECOMPILES, GROWS, COMPUTES):
        (tmp_path / "train.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_step.py"]
        passed[text] = subprocess.run(command, capture_output=True).returncode == 0
    assert list(passed.values()) == [True, False, False, False]
    (tmp_path / "train.py").write_text(RECOMPILES)
    refused = apart("gate", "--write", "tests/none.py", "--function", "step", "--", "python", "train.py")
    assert refused.code == 1 and "`tests/none.py` is not written: it would fail" in refused.err
    others = TRAIN.replace("sys.exit(0)", "for i in (2, 3):\n    jnp.outer(jnp.ones(i), weights[0]) @ weights.T")
    (tmp_path / "train.py").write_text(others)
    beside = apart("gate", "--write", "tests/beside.py", "--", "python", "train.py")
    assert beside.code == 1 and "note: wrote `tests/beside.py`: `step` compiles once, " in beside.err
