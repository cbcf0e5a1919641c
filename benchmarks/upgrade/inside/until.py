"""A plugin of pytest: takes tests of all files in turn, and skips what `REACHED_S` seconds from the first on leave.

Needs the standard library and pytest alone: it runs in environments of any period.
"""

import itertools
import os
import signal
import time

import pytest

NOT_REACHED = "not reached"
_ended = [0.0]


def pytest_collection_modifyitems(items: list) -> None:
    by_file: dict = {}
    for item in items:
        by_file.setdefault(item.location[0], []).append(item)
    in_turn = itertools.zip_longest(*by_file.values())
    items[:] = [item for turn in in_turn for item in turn if item is not None]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: object) -> None:
    _ended[0] = _ended[0] or time.monotonic() + int(os.environ["REACHED_S"])
    left = _ended[0] - time.monotonic()
    if left <= 0:
        pytest.skip(NOT_REACHED)
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, left)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: object) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: object) -> None:
    pytest.skip(NOT_REACHED)
