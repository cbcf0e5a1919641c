"""What jaxfix wrote is not held against its author."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = '''\
"""Fits a line."""

import jax
import jax.numpy as jnp


def loss(params, x, y):
    w, b = params
    return jnp.mean((x @ w + b - y) ** 2)


def main(steps):
    x = jax.random.normal(jax.random.key(0), (64, 3))
    y = x @ jnp.array([1.0, 2.0, 3.0]) + 0.5
    params = (jnp.zeros(3), jnp.zeros(()))
    for i in range(steps):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
        if i % 20 == 0:
            print(i, float(value))
    return params


if __name__ == "__main__":
    main(40)
'''


@pytest.mark.evidence
def test_a_donation_to_a_new_step_that_gains_nothing_is_nobodys_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a minute: the step that `apply` writes replaces a state of 16 bytes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "train.py").write_text(PROGRAM)
    command = (sys.executable, "-m", "jaxfix", "apply", "train.py", "--run", "python train.py", "--allow-no-vcs")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "undonated-state" not in done.stdout + done.stderr
    assert "0 findings remain" in done.stderr and "held" not in done.stderr
    assert done.returncode == 0
    assert "@jax.jit\ndef train_step(" in (tmp_path / "train.py").read_text()


PROJECTION = """\
import jax
import jax.numpy as jnp
import numpy as np

table = jnp.asarray(np.random.default_rng(0).normal(size=(700, 700)), jnp.float32)


@jax.jit
def project(x):
    return jnp.tanh(table @ x)


x = jnp.ones((700, 700))
for _ in range(5):
    x = project(x)
print(x.sum())
"""


@pytest.mark.evidence
def test_what_was_refused_is_named_where_another_fix_has_rewritten_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a minute: the donation gains nothing, and the table becomes an argument of the function that it was of."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "train.py").write_text(PROJECTION)
    command = (sys.executable, "-m", "jaxfix", "apply", "train.py", "--run", "python train.py", "--allow-no-vcs")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "proven  captured-constant" in done.stdout
    assert "no effect  undonated-state  train.py:8" in done.stdout
