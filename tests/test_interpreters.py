"""Which Python runs a program: the one that the user or the command names, and the receipt says which."""

import importlib.metadata
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Outcome, apart

from jaxfix.drivers import versions
from jaxfix.evidence.target import runnable, with_interpreter

TESTS = Path(__file__).resolve().parent
PROGRAM = """\
import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def right(x):
    return jax.jit(lambda v: v * 2)(x)


if __name__ == "__main__":
    for step in range(3):
        print(right(jnp.arange(3.0) + step))
"""

PLACES = [entry for entry in sys.path if entry.endswith("-packages")]

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax"),
]


def interpreter(folder: Path, *packages: str) -> str:
    """An environment with what `packages` hold."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    inside = subprocess.check_output(
        [folder / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    Path(inside.strip(), "more.pth").write_text("".join(f"{package}\n" for package in packages))
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Has the jax of the Python that runs the tests, and is another."""
    return interpreter(tmp_path_factory.mktemp("other") / "env", *PLACES)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Has no jax."""
    return interpreter(tmp_path_factory.mktemp("bare") / "env")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def proof(*arguments: str) -> Outcome:
    options = ("--allow-dirty", "--select", "tiny-ready", "--output-format", "json")
    return apart("apply", *options, *arguments, "train.py", packs=(TESTS / "pack",))


def judged(done: Outcome) -> tuple[str, str | None]:
    """The verdict of the one fix, and which interpreter answered."""
    (receipt,) = json.loads(done.out)["evidence"]
    machine = receipt["environment"]
    return receipt["verdict"], machine and machine["interpreter"]


def test_a_bare_python_is_the_one_that_is_named(project: Path, other: str) -> None:
    done = proof("--run", "python train.py", "--python", os.path.relpath(other))
    assert judged(done) == ("proven", other)
    assert f", with `{os.path.relpath(other)}`;" in done.err and "was run by" not in done.err
    assert ", holds\n" in apart("receipts").out


def test_a_python_without_jax_proves_nothing(project: Path, bare: str) -> None:
    done = proof("--run", "python train.py", "--python", bare)
    assert done.code and "No module named 'jax'" in done.err + done.out
    assert not any(entry["verdict"] == "proven" for entry in json.loads(done.out)["evidence"])
    assert (project / "train.py").read_text() == PROGRAM


def test_a_launcher_keeps_its_own(project: Path, other: str, bare: str) -> None:
    script(project / "launch", f'#!/bin/sh\nexec {other} "$@"\n')
    done = proof("--run", "./launch train.py", "--python", bare)
    assert judged(done) == ("proven", other)
    assert f"`./launch train.py` was run by `{other}`, not by `{bare}` (`--python`)" in done.err


@pytest.mark.slow
def test_a_script_runs_by_its_first_line_and_the_project_by_its_environment(project: Path) -> None:
    own = interpreter(project / ".venv", *PLACES)
    script(project / "train.py", f"#!{own}\n{PROGRAM}")
    done = proof("--run", "./train.py")
    assert judged(done) == ("proven", own) and f"`./train.py` was run by `{own}`" in done.err


@pytest.mark.parametrize(
    ("command", "python", "words"),
    [
        (("python", "a.py"), None, ("OWN", "a.py")),
        (("python3", "a.py"), "/x/python", ("/x/python", "a.py")),
        (("a.py",), "/x/python", ("/x/python", "a.py")),
        (("-m", "a"), "/x/python", ("/x/python", "-m", "a")),
        (("./a.py",), "/x/python", ("/x/python", "./a.py")),
        (("./own.py",), "/x/python", ("./own.py",)),
        (("own.py",), None, ("OWN", "own.py")),
        (("python3.12", "a.py"), "/x/python", ("python3.12", "a.py")),
        (("/y/python", "a.py"), "/x/python", ("/y/python", "a.py")),
        (("uv", "run", "a.py"), "/x/python", ("uv", "run", "a.py")),
        (("python", "a.py"), "pypy3", ("pypy3", "a.py")),
    ],
)
def test_words(project: Path, command: tuple[str, ...], python: str | None, words: tuple[str, ...]) -> None:
    script(project / "own.py", "#!/usr/bin/env python3\n")
    (project / "a.py").write_text("#!/usr/bin/env python3\n")
    expected = tuple(sys.executable if word == "OWN" else word for word in words)
    assert with_interpreter(runnable(command, project), project, python) == expected


def test_versions_are_read_from_what_an_environment_adds(other: str, bare: str) -> None:
    there, nothing = versions.of(Path(other)), versions.of(Path(bare))
    assert there is not None and there.jax == importlib.metadata.version("jax")
    assert nothing is None or nothing.jax is None
