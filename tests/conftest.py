"""Options of the test run, and the command line as tests call it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from jaxfix.drivers.cli.start import run
from jaxfix.testing import UPDATE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(UPDATE, action="store_true", help="write the golden results anew and print what changed")


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]
ROOT = Path(__file__).resolve().parents[1]


def apart(*arguments: str, packs: tuple[Path, ...] = ()) -> Outcome:
    """`jaxfix` in a process of its own, with the packs of codemods in these folders beside its own."""
    places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods", *packs)))
    env = os.environ | {"PYTHONPATH": places, "NO_COLOR": "1", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "jaxfix", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that a test finds is kept for the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def cli(capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    def called(*arguments: str) -> Outcome:
        capfdbinary.readouterr()
        code = run(list(arguments))
        out, err = capfdbinary.readouterr()
        return Outcome(code, out.decode(), err.decode())

    return called
