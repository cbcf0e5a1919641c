"""Programs of several files, from the command line: what the loop of one decides about the step of another."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import apart

ROOT = Path(__file__).resolve().parents[1]
MODEL = """\
import jax
import jax.numpy as jnp


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


@jax.jit
def decay(params, rate):
    return params * (1.0 - rate)


def train_step(params, batch, rate):
    gradients = jax.grad(loss_of)(params, batch)
    return params - rate * gradients
"""
TRAIN = """\
import jax.numpy as jnp

import model


def shrink():
    params = jnp.ones((2500, 2500))
    for number in range(6):
        params = model.decay(params, 0.1)
    return float(params.sum())


def learn():
    weights = jnp.ones((64,))
    for number in range(12):
        weights = model.train_step(weights, jnp.full((64,), 2.0), 0.01)
    return float(weights.sum())


if __name__ == "__main__":
    print(shrink(), learn())
"""
KEEPING = """\
import jax.numpy as jnp
from model import decay


def compare(params):
    after = decay(params, 0.5)
    return after - params
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed program of two files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN)
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q", "."), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True)
    return tmp_path


def test_the_findings_are_where_the_functions_are_defined(project: Path) -> None:
    found = apart("check", ".")
    assert found.out == (
        "model.py:14:1: unjitted-update [*] `train_step` runs eagerly in the loop around train.py:16: each operation "
        "is dispatched separately, in every iteration\n"
        "model.py:9:1: undonated-state [*] each call of `decay` rebinds `params`, and the old values stay in memory "
        "beside the new\n"
    )


def test_of_one_file_alone_nobody_knows_who_calls_it(project: Path) -> None:
    found = apart("check", "--all", "model.py")
    assert (found.code, found.out) == (0, "")


@pytest.mark.parametrize("path", ["test_training.py", "tests/training.py"])
def test_a_loop_of_a_test_is_no_reason_for_a_step(project: Path, path: str) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / "train.py").rename(project / path)
    found = apart("check", "--all", "--select", "unjitted-update", ".")
    assert not found.out


@pytest.mark.parametrize("path", ["compare.py", "tests/test_model.py", "run-it.py"])
def test_one_more_file_that_keeps_the_state_takes_the_fix_away(project: Path, path: str) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_text(KEEPING)
    found = apart("check", "--all", "--select", "undonated-state", ".")
    assert not found.out  # what is kept is held twice for a reason


@pytest.mark.evidence
@pytest.mark.slow  # two rounds of proofs of two fixes; each by itself is among the programs
@pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax")
def test_both_fixes_are_proven_by_a_rerun_of_the_program(project: Path) -> None:
    done = apart("apply", "--run", "python train.py", ".")
    proven = sorted(line.split()[1:3] for line in done.out.splitlines() if line.startswith("proven"))
    assert proven == [["undonated-state", "model.py:9"], ["unjitted-update", "model.py:14"]], done.err
    fixed = (project / "model.py").read_text()
    assert "@functools.partial(jax.jit, donate_argnums=0)\ndef decay(" in fixed
    assert "@jax.jit\ndef train_step(" in fixed
    assert (project / "train.py").read_text() == TRAIN
