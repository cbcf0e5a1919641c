"""Variables of a program that other files read: a step that takes them in has to give them back."""

from pathlib import Path

import pytest
from command_line import Cli

MAIN = """import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean(jnp.tanh(x * w) ** 2)


w = jnp.ones(3)
average = jnp.zeros(())
for count in range(12):
    x = jnp.sin(jnp.arange(3.0) + count)
    slopes = jax.grad(loss_of)(w, x)
    w = w - 0.1 * slopes
    average = 0.9 * average + 0.1 * jnp.abs(slopes).max()
print(w, average)
"""
READS = (
    "import main\n\nprint(main.slopes)\n",
    "import main as m\n\nprint(m.slopes.sum().round(3))\n",
    "from main import slopes\n\nprint(slopes)\n",
    "from main import *\n\nprint(slopes)\n",
    "import main\n\nprint(vars(main))\n",
    "import main\n\nprint(getattr(main, name))\n",
    "import __main__\n\n\ndef show():\n    print(__main__.slopes)\n",
    "from __main__ import slopes as mine\n\nprint(mine)\n",
    "import runpy\n\nprint(runpy.run_path('main.py')['slopes'])\n",
    "exec(open('main.py').read())\nprint(slopes)\n",
)
OTHERS = (
    "import main\n\nprint(main.w)\n",
    "slopes = 3\nprint(slopes)\n",
    "import numpy\n\nprint(numpy.slopes)\n",
)


def applied(cli: Cli, folder: Path, other: str, *names: str) -> str:
    """The program with its step under `jit`, where that is another file."""
    (folder / "pyproject.toml").write_text("")
    (folder / "main.py").write_text(MAIN)
    (folder / "other.py").write_text(other)
    paths = [str(folder / name) for name in names]
    found = cli("apply", *paths, "--unproven", "--allow-no-vcs", "--select", "unjitted-update")
    assert found.code in (0, 1), found.err
    return (folder / "main.py").read_text()


@pytest.mark.parametrize("names", [("main.py", "other.py"), ("main.py",)], ids=["named", "not named"])
@pytest.mark.parametrize("other", READS)
def test_a_variable_that_another_file_reads_is_given_back(
    cli: Cli, tmp_path: Path, other: str, names: tuple[str, ...]
) -> None:
    text = applied(cli, tmp_path, other, *names)
    assert "slopes" in text.rpartition("for count")[2]


@pytest.mark.parametrize("project", [True, False], ids=["project", "file"])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("__main__", "__main__.slopes"),
        ("sys", "sys.modules[__name__].slopes"),
        ("sys", "getattr(sys.modules['__main__'], 'slo' + 'pes')"),
        ("importlib", "vars(importlib.import_module('__main__'))"),
    ],
)
def test_one_that_its_own_file_reads_as_one_of_a_module_is(
    cli: Cli, tmp_path: Path, name: str, read: str, project: bool
) -> None:
    if project:
        (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "main.py").write_text(f"import {name}\n{MAIN}print({read})\n")
    found = cli("apply", str(tmp_path), "--unproven", "--allow-no-vcs", "--select", "unjitted-update")
    assert found.code in (0, 1), found.err
    assert "slopes" in (tmp_path / "main.py").read_text().rpartition("for count")[2].rpartition("print(w")[0]


@pytest.mark.parametrize("names", [("main.py", "other.py"), ("main.py",)], ids=["named", "not named"])
@pytest.mark.parametrize("other", OTHERS)
def test_one_that_no_other_file_reads_is_not(cli: Cli, tmp_path: Path, other: str, names: tuple[str, ...]) -> None:
    text = applied(cli, tmp_path, other, *names)
    assert "@jax.jit" in text
    assert "slopes" not in text.rpartition("for count")[2]
