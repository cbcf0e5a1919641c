"""Options of the test run, and what all tests share."""

import os
import signal
import sys
import threading
from collections.abc import Iterator

import pytest
from command_line import Cli, Outcome

from jaxfix.drivers.cli.start import run
from jaxfix.testing import UPDATE

# A process that cannot keep bytecode compiles all of jaxfix again: a second of each command that a test starts.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(UPDATE, action="store_true", help="write the golden results again and print what changed")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that a test finds is kept for the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """What a test starts hears that it is to end, whatever a command that ended in the tests' own process left ignored,
    and also where `nohup` has the tests themselves ignore it.
    """
    heard = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):
        heard[signal.SIGHUP] = signal.SIG_DFL
    if threading.current_thread() is threading.main_thread():
        for number, handler in heard.items():
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, handler)
    yield


@pytest.fixture
def cli(capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    def called(*arguments: str) -> Outcome:
        capfdbinary.readouterr()
        code = run(list(arguments))
        out, err = capfdbinary.readouterr()
        return Outcome(code, out.decode(), err.decode())

    return called
