"""What the project's jax decides: the cure that costs least with it."""

import json
import os
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.engine.plan import plan
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

SOLVE = """\
from jax import lax


def solve(x, rate):
    return lax.{call}
"""
SCAN = "scan(lambda c, _: (c * rate, None), x, None, length=9)[0]"
FORI = "fori_loop(0, 9, lambda i, c: c * rate, x)"
WHILE = "while_loop(lambda c: c < 9, lambda c: c * rate, x)"
COND = "cond(x > 0, lambda x: x @ rate @ rate, lambda x: x @ x, x)"


def fixed(call: str, jax: tuple[int, ...] | None) -> str:
    source = SourceFile.decode("a.py", SOLVE.format(call=call).encode())
    around = Surroundings("a", helpers="jaxfix_helpers", jax=jax)
    chosen = [codemod for codemod in CODEMODS if codemod.id == "local-loop-function"]
    return plan(source, chosen, lambda fix: None, around).after.decode()


@pytest.mark.parametrize(
    ("call", "older", "since"),
    [(SCAN, (0, 6, 0), (0, 6, 1)), (FORI, (0, 4, 30), (0, 10, 2)), (WHILE, (0, 5, 3), (0, 6, 0))],
    ids=["scan", "fori_loop", "while_loop"],
)
def test_nothing_is_put_into_a_carry_that_an_older_jax_keeps(
    call: str, older: tuple[int, ...], since: tuple[int, ...]
) -> None:
    assert f"retrace(lax.{call.partition('(')[0]})(" in fixed(call, older)
    for known in (since, None):
        assert "retrace" not in fixed(call, known) and "_solve_body" in fixed(call, known)


def test_operands_of_branches_are_no_carry() -> None:
    assert fixed(COND, (0, 4, 30)) == fixed(COND, None) != SOLVE.format(call=COND)


def interpreter(folder: Path, version: str) -> str:
    """What looks like a Python that has this jax, and is never started."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /nowhere\nversion = 3.11.7\n")
    (folder / "lib" / "python3.11" / "site-packages" / f"jax-{version}.dist-info").mkdir(parents=True)
    os.symlink(os.devnull, folder / "bin" / "python3.11")
    return str(folder / "bin" / "python3.11")


def test_the_version_is_that_of_the_interpreter_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("a.py").write_text(SOLVE.format(call=FORI))
    cures = {"0.4.30": "Wrap `fori_loop` in `retrace`", "0.10.2": "Hoist the lambda", "0.5.0": "Wrap"}
    for version, cure in cures.items():
        python = interpreter(tmp_path / version, version)
        told = cli("check", "--all", "--output-format", "json", "--python", python, "a.py")
        assert json.loads(told.out)["findings"][0]["title"].startswith(cure)
