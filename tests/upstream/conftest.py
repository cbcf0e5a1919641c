"""The five systems, laid out and measured as `python -m benchmarks.five_systems` does, each variant once."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is not installed

from benchmarks.ecosystem.downloads import Unreachable
from benchmarks.five_systems.systems import System, Variant
from benchmarks.five_systems.workshop import Run, Workshop, interpreter

Runs = Callable[[System, str, str], Run]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--upstream-python", help="an interpreter with the modern packages; by default one is made")


@pytest.fixture(scope="session")
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    kept = request.config.cache.mkdir("upstream")
    try:
        python = interpreter(kept, request.config.getoption("--upstream-python", None))
    except Unreachable as error:
        pytest.skip(str(error))
    return Workshop(tmp_path_factory.mktemp("systems"), python, kept / "wheels")


@pytest.fixture(scope="session")
def measured(shop: Workshop) -> Runs:
    """The run of a variant and a case, by their names."""

    @cache
    def laid_out(system: System, variant: Variant) -> Path:
        try:
            return shop.laid_out(system, variant)[0]
        except Unreachable as error:
            pytest.skip(str(error))

    @cache
    def run(system: System, variant: str, case: str) -> Run:
        chosen = system.variant(variant)
        return shop.run(laid_out(system, chosen), chosen, system.case(case))

    return run
