"""Options of the test run."""

import pytest

from jaxfix.testing import UPDATE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(UPDATE, action="store_true", help="write the golden results anew and print what changed")
