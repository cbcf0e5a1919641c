"""What a suspended generator still needs."""

from collections.abc import Iterator
from types import GeneratorType

import pytest

from jaxfix.evidence.probe.suspended import shown


def pairs() -> Iterator[tuple[int, int]]:
    state = 0
    while True:
        state, left, right = state + 1, state + 2, state + 3
        total = left + right
        yield state, total


def step(state: int) -> tuple[int, int]:
    return state + 1, 2 * state + 5


def as_a_step() -> Iterator[tuple[int, int]]:
    state = 0
    while True:
        state, total = step(state)
        yield state, total


def guarded(count: int) -> Iterator[object]:
    seen: list[int] = []
    try:
        for number in range(count):
            twice = 2 * number
            yield twice
            seen.append(number)
            yield seen
    except ValueError:
        print(count)


def after(generator: Iterator[object], steps: int) -> dict[str, object]:
    assert isinstance(generator, GeneratorType)
    for _ in range(steps):
        next(generator)
    return shown(generator.gi_frame)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_two_that_compute_the_same_in_other_variables_need_the_same(steps: int) -> None:
    assert after(pairs(), steps) == after(as_a_step(), steps)
    assert after(pairs(), 4) == {"at": 1, "holds": {"state": 4}}


def test_what_is_read_later_and_in_handlers_is_needed() -> None:
    assert after(guarded(5), 0) == {"at": 0, "holds": {"count": 5}}
    assert after(guarded(5), 3) == {"at": 1, "holds": {"count": 5, "number": 1, "seen": [0]}}
    assert after(guarded(5), 4) == {"at": 2, "holds": {"count": 5, "seen": [0, 1]}}
