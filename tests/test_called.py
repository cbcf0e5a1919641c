"""What is watched on Python 3.11, where each call that a profiler in Python sees costs more than the call."""

import cProfile
import gc
import sys
from types import FunctionType

import pytest

from jaxfix.evidence.probe.arrival import unprofiled
from jaxfix.evidence.probe.called import Called

old = pytest.mark.skipif(sys.version_info >= (3, 12), reason="`sys.monitoring` tells it")


def outer() -> int:
    def inner() -> int:
        return 1

    return inner()


def raising() -> None:
    raise ValueError


def items() -> list[int]:
    return list(number for number in range(3))  # noqa: C400


def names(called: Called) -> set[str]:
    return {code.co_qualname for code in called.codes()}


@pytest.fixture
def called() -> Called:
    if sys.getprofile() is not None or sys.gettrace() is not None:
        pytest.skip("something watches this process")
    return Called()


@old
def test_what_is_called_is_told_however_it_ends(called: Called) -> None:
    assert called.start()
    outer()
    with pytest.raises(ValueError):
        raising()
    items()
    sys.setprofile(None)
    assert {"outer", "outer.<locals>.inner", "raising", "items.<locals>.<genexpr>"} <= names(called)


@old
def test_what_is_called_meanwhile_or_before_is_not_told(called: Called) -> None:
    assert called.start()
    try:
        items()
        called.forget()
        with called.suspended():
            assert sys.getprofile() is None
            outer()
        with pytest.raises(ValueError):
            raising()
    finally:
        sys.setprofile(None)
    assert {"raising"} == names(called) & {"outer", "raising", "items"}


@old
def test_nothing_is_lost_over_what_the_collector_calls(called: Called) -> None:
    """The profiler keeps its calls in a tree that turns with each call, also while it is read."""
    many = {f"f{number}": FunctionType(compile(f"{number}", "f", "eval"), {}, f"f{number}") for number in range(100)}
    calls = [FunctionType(f.__code__.replace(co_qualname=name), {}, name) for name, f in many.items()]

    def busy(phase: str, info: object) -> None:
        for call in calls:
            call()

    assert called.start()
    try:
        for call in calls:
            call()
        gc.callbacks.append(busy)
        threshold = gc.get_threshold()
        gc.set_threshold(1)
        try:
            found = names(called)
        finally:
            gc.set_threshold(*threshold)
            gc.callbacks.remove(busy)
    finally:
        sys.setprofile(None)
    assert many.keys() <= found


@old
def test_another_profiler_of_this_thread_stays(called: Called) -> None:
    with cProfile.Profile() as other:
        assert not called.start()
        with called.suspended():
            outer()
        called.forget()
        assert sys.getprofile() is other


def test_one_in_python_is_set_aside_and_one_in_c_is_not(called: Called) -> None:
    def profile(frame: object, event: str, value: object) -> None:
        return None

    sys.setprofile(profile)
    try:
        with unprofiled():
            assert sys.getprofile() is None
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    if sys.version_info < (3, 12):
        with cProfile.Profile() as other:
            with unprofiled():
                outer()
            assert sys.getprofile() is other
