"""Environments of a period: what is asked of a registry, what its errors say, and one that is made for real."""

import sys
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers.periods import Period, why
from jaxfix.drivers.requirements import required
from jaxfix.library.changes.periods import DISTRIBUTIONS, WHEELS, alike, held, pythons
from jaxfix.library.changes.row import version


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            "ERROR: Could not find a version that satisfies the requirement jax[cpu]==0.4.99 (from versions: 0.4.37, "
            "0.4.38, 0.5.0, 0.5.1rc1)\nERROR: No matching distribution found for jax[cpu]==0.4.99",
            "the registry of pip has no `jax==0.4.99` for this Python; it has 0.5.0, 0.4.38, 0.4.37",
        ),
        (
            "ERROR: No matching distribution found for flax==9.9; extra == 'all'",
            "the registry of pip has no `flax==9.9` for this Python; `--oracle-python PATH` uses an environment "
            "of your own",
        ),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: "
            "Could not find a version that satisfies the requirement jax==0.4.30 (from versions: none)",
            "the registry of pip is not reached: ERROR: Could not find a version that satisfies the requirement "
            "jax==0.4.30 (from versions: none); try it with a network; `--oracle-python PATH` uses an environment"
            " of your own",
        ),
        (
            "ERROR: Cannot install flax==0.12.0 and jax==0.4.30 because these package versions have conflicting "
            "dependencies.\nERROR: ResolutionImpossible: for help visit",
            "the project's requirements conflict with jax 0.4.99: ERROR: Cannot install flax==0.12.0 and jax==0.4.30 "
            "because these package versions have conflicting dependencies.; pin versions of that time in its "
            "requirements; `--oracle-python PATH` uses an environment of your own",
        ),
        (
            "error: subprocess-exited-with-error\n\nERROR: Failed to build numpy",
            "an environment with jax 0.4.99 cannot be created: ERROR: Failed to build numpy; `--oracle-python "
            "PATH` uses an environment of your own",
        ),
    ],
)
def test_an_error_is_a_line_with_the_next_step(said: str, sentence: str) -> None:
    assert str(why(said, Period((0, 4, 99)))) == sentence


def test_a_project_says_what_it_requires(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[options]\ninstall_requires =\n    jax>=0.4\n    flax==0.8.1\n")
    assert required(tmp_path, []) == ("flax==0.8.1",)
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['optax==0.2.2', 'jaxlib', 'a @ file:///a']\n")
    assert required(tmp_path, []) == ("optax==0.2.2",)
    lines = ("-r other.txt", "chex==0.1.86  # as then", "jax[cuda12]==0.4.30", f"{tmp_path.name}", "numpy<2")
    (tmp_path / "requirements.txt").write_text("\n".join(lines))
    assert required(tmp_path, []) == ("chex==0.1.86", "numpy<2")


def test_a_script_requires_what_it_imports(tmp_path: Path) -> None:
    assert required(tmp_path, [b"import jax, optax\nimport haiku as hk\nfrom flax import linen\nimport os\n"]) == (
        *("dm-haiku", "flax"),
    )
    assert all(name.islower() for name in DISTRIBUTIONS.values())


def test_a_version_needs_a_python() -> None:
    assert pythons((0, 4, 30)) == ("3.12", "3.11", "3.10", "3.9")
    assert pythons((0, 4, 13)) == ("3.11", "3.10", "3.9", "3.8")
    assert pythons((0, 2, 1)) == () and pythons((0, 12)) == ("3.14", "3.13", "3.12")
    assert all(version(wheels.first) <= version(wheels.last or "9") for wheels in WHEELS)
    assert held((0, 4, 30)) == ("ml-dtypes<0.5",) and "numpy<2" in held((0, 4, 13))


def test_switches_are_set_alike_for_what_is_older() -> None:
    assert "JAX_THREEFRY_PARTITIONABLE" in alike((0, 4, 30)) and "JAX_THREEFRY_PARTITIONABLE" not in alike((0, 5))
    assert not alike((0, 12))


def test_options_that_exclude_one_another(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("upgrade", "--oracle", "0.4.30").code == 2
    both = cli("upgrade", "--oracle", "0.4.30", "--oracle-python", sys.executable, "--run", "python a.py")
    assert both.code == 2 and "leave one out" in both.err


PROGRAM = """\
import jax
import numpy as np

draws = jax.random.normal(jax.random.PRNGKey(0), (4,))
print(jax.tree_map(lambda x: 2 * x, [1.0, 2.0]))
np.save("draws.npy", draws)
"""


@pytest.mark.slow
@pytest.mark.evidence
def test_an_environment_is_made_once(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the registry that pip has here, in half a minute."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("a.py").write_text(PROGRAM)
    ask_it = ("upgrade", "a.py", "--run", "python a.py", "--oracle", "jax==0.4.30")
    done = cli(*ask_it)
    assert done.code == 0, done.err
    assert "creating an environment for it, once" in done.err
    assert done.out.startswith("oracle  equal") and "1 printed line and 1 written file" in done.out
    again = cli(*ask_it)
    assert again.out == done.out and "making" not in again.err
    wrong = cli(*ask_it[:-1], "jax==0.4.99")
    assert wrong.code == 2 and "the registry of pip has no `jax==0.4.99`" in wrong.err
    assert [path.name for path in (tmp_path / "cache/jaxfix/periods").iterdir() if path.is_dir()] != []
