"""Reruns of fixes that call generated helper functions: copies hold the file exactly when a fix in them needs it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command_line import Outcome, apart

from jaxfix.evidence.probe.files import is_user
from jaxfix.evidence.trace import trace
from jaxfix.testing import HELPERS

TESTS = Path(__file__).resolve().parent
# what each run finds is written to a place outside of the copies
TELL = """\
import importlib.util, os
with open(os.environ["TOLD"], "a") as file:
    place = importlib.util.find_spec("{module}")
    print("cast" + "_like" in open(__file__).read(), place is not None and place.origin, file=file)
del place
"""
PROGRAM = """\
import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def right(x):
    return jax.jit(lambda v: v * 2)(x)
"""
LOOP = "\nfor step in range(4):\n    print(right(jnp.arange(3.0) + step))\n"
OPTIMIZER = """\
from typing import NamedTuple

import jax


class GradientTransformation(NamedTuple):
    init: object
    update: object


READY = jax.jit(lambda v: v * 2)


def doubling() -> GradientTransformation:
    def init(params):
        return ()

    def update(updates, state, params=None):
        return jax.tree_util.tree_map(double, updates), state

    return GradientTransformation(init, update)


def double(g):
    return jax.jit(lambda v: v * 2)(g)
"""

pytestmark = pytest.mark.evidence


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository; `TOLD` names a file beside it."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    return root


def commit() -> None:
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True)


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def jaxfix(*arguments: str) -> Outcome:
    return apart(*arguments, "--select", "tiny-cast", packs=(TESTS / "pack",))


def told(tmp_path: Path) -> set[tuple[bool, bool]]:
    """Of each run whether its source was patched, and whether there was a helper file in its copy."""
    lines = [line.split(" ", 1) for line in (tmp_path / "told").read_text().splitlines()]
    assert all(
        place in ("False", "None") or place.startswith(os.path.realpath(tempfile.gettempdir())) for _, place in lines
    )
    return {(patched == "True", place not in ("False", "None")) for patched, place in lines}


@pytest.mark.parametrize("options", [(), ("--launcher", "env TOLD={told}")], ids=["here", "launched"])
def test_a_program_finds_it_only_where_a_fix_needs_it(project: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    write("train.py", TELL.format(module="jaxfix_helpers") + PROGRAM + LOOP)
    commit()
    options = tuple(option.format(told=tmp_path / "told") for option in options)
    done = jaxfix("apply", "train.py", "--run", f"{sys.executable} train.py", *options)
    assert done.out.startswith("proven  tiny-cast  train.py:"), done.out + done.err
    assert done.code == 0
    assert told(tmp_path) == {(False, False), (True, True)}
    assert Path("jaxfix_helpers.py").read_bytes() == HELPERS.read_bytes()
    assert "from jaxfix_helpers import cast_like\n" in Path("train.py").read_text()


def test_one_that_is_there_already_is_there_in_every_run(project: Path, tmp_path: Path) -> None:
    write("train.py", TELL.format(module="jaxfix_helpers") + PROGRAM + LOOP)
    Path("jaxfix_helpers.py").write_bytes(HELPERS.read_bytes())
    commit()
    done = jaxfix("apply", "train.py", "--run", f"{sys.executable} train.py")
    assert done.out.startswith("proven  tiny-cast"), done.out + done.err
    assert told(tmp_path) == {(False, True), (True, True)}


def test_a_package_of_the_project_is_proven_with_it(project: Path, tmp_path: Path) -> None:
    write("src/lib/__init__.py", "")
    write("src/lib/mod.py", TELL.format(module="lib.jaxfix_helpers") + PROGRAM)
    write("pyproject.toml", "")
    loop = LOOP.replace("right(", "mod.right(")
    write("run.py", f"import sys\nsys.path.insert(0, 'src')\nimport jax.numpy as jnp\nfrom lib import mod\n{loop}")
    commit()
    done = jaxfix("apply", "src", "--run", f"{sys.executable} run.py")
    assert done.out.startswith("proven  tiny-cast  src/lib/mod.py:"), done.out + done.err
    assert told(tmp_path) == {(False, False), (True, True)}
    assert Path("src/lib/jaxfix_helpers.py").exists()


def test_a_fix_that_cannot_import_it_is_refused(project: Path) -> None:
    """Run as a script, a module of a package finds none of its package."""
    write("lib/__init__.py", "from . import mod")
    write("lib/mod.py", PROGRAM + LOOP)
    commit()
    done = jaxfix("apply", "lib", "--run", f"{sys.executable} lib/mod.py")
    assert done.out.startswith("failed  tiny-cast  lib/mod.py:"), done.out + done.err
    assert "No module named 'lib'" in done.out
    assert not Path("lib/jaxfix_helpers.py").exists()


@pytest.mark.parametrize("files", [("opt/__init__.py", "opt/core.py"), ("opt.py",)], ids=["package", "module"])
@pytest.mark.parametrize(
    "place", [pytest.param(".", marks=pytest.mark.slow), "site-packages"], ids=["own", "installed"]
)
def test_optimizers_are_driven_with_it(project: Path, files: tuple[str, ...], place: str) -> None:
    source = f"{place}/{files[-1]}"
    write(source, OPTIMIZER)
    if len(files) > 1:
        write(f"{place}/{files[0]}", "from opt.core import doubling as doubling")
    commit()
    done = jaxfix("apply", f"{place}/{files[-1]}", "--prove")
    assert done.out.startswith("proven  tiny-cast  "), done.out + done.err
    assert "opt.doubling, eager, float32" in done.out.replace("opt.core.", "opt.")
    helper = Path(source).with_name("jaxfix_helpers.py")
    assert helper.exists() == (place == ".")


def test_it_may_stand_elsewhere_in_the_project_of_an_optimizer(project: Path) -> None:
    write("opt.py", OPTIMIZER)
    write("common/__init__.py", "")
    commit()
    done = jaxfix("apply", "opt.py", "--prove", "--helper", "common/fast.py")
    assert done.out.startswith("proven  tiny-cast  "), done.out + done.err
    assert "from common.fast import cast_like\n" in Path("opt.py").read_text()
    assert Path("common/fast.py").exists()


def test_what_it_compiles_is_told_of_the_line_that_calls_it(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "other_name.py").write_bytes(HELPERS.read_bytes())
    (project / "train.py").write_text(
        "import jax.numpy as jnp\nfrom other_name import cast_like\n\n"
        "cast_like(jnp.arange(2.0), jnp.zeros(2, 'bfloat16'))\n"
    )
    assert not is_user(str(project / "other_name.py"), [str(project)])
    assert is_user(str(project / "train.py"), [str(project)])
    measured = trace((sys.executable, "train.py"), project)
    assert {Path(entry.path).name for entry in measured.compiles} == {"train.py"}
