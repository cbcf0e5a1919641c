"""The plugin of pytest: a marker that limits what a test compiles, and a fixture that counts it.

Nothing of this is loaded or done in a test that uses neither; jax is never imported here.
"""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jaxfix.report.measurement import Compile
from jaxfix.report.trace.budget import Limits, counted, is_called

if TYPE_CHECKING:
    from pluggy import Result

    from jaxfix.evidence.counting import Seen
    from jaxfix.report.measurement import Compile
    from jaxfix.report.trace.budget import Sized

MARKER = "jaxfix_max_compiles"
_USAGE = f'write `@pytest.mark.{MARKER}(1)`, or `@pytest.mark.{MARKER}(1, function="step")`'


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(number, function=None): fail the test if it compiles a function, or this one, more often",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    mark = item.get_closest_marker(MARKER)
    if mark is not None:
        _meant(mark)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, "Result[None]", None]:
    mark = item.get_closest_marker(MARKER)
    if mark is None:
        yield
        return
    from jaxfix.evidence.counting import counting

    allowed, names = _meant(mark)
    with counting().counted() as seen:
        outcome = yield
    if outcome.excinfo is None:
        told = _excess(seen.compiles, allowed, names, item.config.invocation_params.dir)
        if told:
            outcome.force_exception(pytest.fail.Exception(told, pytrace=False))


@pytest.fixture(scope="session")
def jaxfix_compiles(request: pytest.FixtureRequest) -> Callable[..., AbstractContextManager["Seen"]]:
    """Counts compiles: `with jaxfix_compiles() as seen: ...`, then `seen.total`, `seen.by_function`.

    `jaxfix_compiles(at_most=1)` fails the test if the block compiles a function more often; with `function="step"`, if
    it compiles that one more often.
    """

    @contextmanager
    def compiles(*, at_most: int | None = None, function: str | Sequence[str] | None = None) -> Iterator["Seen"]:
        from jaxfix.evidence.counting import counting

        with counting().counted() as seen:
            yield seen
        told = _excess(seen.compiles, at_most, _names(function), request.config.invocation_params.dir)
        if told:
            pytest.fail(told, pytrace=False)

    return compiles


@pytest.fixture(scope="session")
def jaxfix_program() -> Callable[..., "Sized"]:
    """Runs a program within the test and measures a function of it, as `jaxfix gate --write` does.

    `jaxfix_program("python train.py", function="step", folder=FOLDER)` has `compiles`, `operations`, `temporary_bytes`.
    """

    def program(command: str, *, function: str, folder: Path) -> "Sized":
        from jaxfix.evidence import in_process
        from jaxfix.evidence.counting import counting
        from jaxfix.report.trace.budget import sized
        from jaxfix.source.errors import UserError

        if "jax" in sys.modules:
            sys.modules["jax"].clear_caches()  # what an earlier test has compiled would not be compiled again
        try:
            with counting().counted(sizes=True) as seen:
                in_process.run(command, folder)
        except UserError as error:
            pytest.fail(str(error), pytrace=False)
        found = sized(seen.compiles, function)
        if found is None:
            pytest.fail(f"`{command}` compiles no function `{function}`", pytrace=False)
        return found

    return program


def _meant(mark: pytest.Mark) -> tuple[int, tuple[str, ...]]:
    """What the marker says; fails the test if that is nothing."""
    match mark.args, mark.kwargs:
        case (int(number),), dict(named) if (
            not isinstance(number, bool) and number >= 0 and not named.keys() - {"function"}
        ):
            return number, _names(named.get("function"))
    said = ", ".join([*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())])
    pytest.fail(f"`{MARKER}({said})` says no number of compiles; {_USAGE}", pytrace=False)


def _names(function: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if function is None else (function,) if isinstance(function, str) else tuple(function)


def _excess(compiles: Sequence["Compile"], allowed: int | None, names: Sequence[str], folder: Path) -> str:
    """What was compiled too often, a line each; empty if nothing was."""
    from jaxfix.render.excess import Verdict, lines

    chosen = [entry for entry in compiles if not names or any(is_called(entry, name) for name in names)]
    if Verdict(counted(chosen), Limits(allowed)).passed:
        return ""
    with chdir(folder):
        from jaxfix.drivers.cli.blaming import blamed

        found, cures = blamed(chosen)
    return "\n".join(lines(Verdict(counted(found), Limits(allowed)), cures))
