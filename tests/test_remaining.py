"""How long a proof goes on, by a clock that is still between the lines."""

import pytest

from jaxfix.drivers.workflow.remaining import Remaining


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nothing_is_known_before_a_run_has_ended(clock: Clock) -> None:
    found = Remaining(1, clock)
    found.begins()
    clock.now += 50
    found.hears("step 3")
    assert (found.words(), found.share()) == ("", None)


def test_a_program_is_run_three_times_at_least_and_then_at_most_once_for_each_fix(clock: Clock) -> None:
    found = Remaining(5, clock)
    said = []
    for _ in range(4):
        found.begins()
        clock.now += 4
        said.append(found.words())
        clock.now += 6
    assert said == ["", "at least 16 s left", "at least 6 s left", "at most 46 s left"]
    found.judged()
    found.begins()
    assert found.words() == "at most 40 s left"
    assert found.share() == pytest.approx(40 / 80)


def test_runs_that_were_made_before_say_nothing_of_the_time_of_one(clock: Clock) -> None:
    found = Remaining(1, clock)
    found.begins()
    found.begins()
    clock.now += 30
    assert found.words() == ""
    found.begins()
    assert found.words() == "at least 30 s left"


def test_cases_are_driven_as_they_are_and_with_all_fixes(clock: Clock) -> None:
    found = Remaining(2, clock)
    found.hears("looking for what reaches the fixes")
    clock.now += 100
    found.begins("running 5 of 20 cases unchanged")
    found.hears("case 1 of 5")
    assert found.words() == ""
    clock.now += 8
    found.hears("case 5 of 5")
    assert found.words() == "at least 70 s left"  # these five with all fixes, and twice fifteen
    found.begins("running it with 2 of 2 fixes")
    assert found.words() == "at least 60 s left"  # it says nothing of how many it runs yet
    found.hears("case 1 of 5")
    clock.now += 8
    found.hears("case 3 of 5")
    assert found.words() == "at least 85 s left"  # 16 s for six, and two and thirty to come
    assert found.share() == pytest.approx(116 / (116 + 16 / 6 * 32))
    found.begins("running 15 of 20 cases unchanged")
    found.hears("case 1 of 15")
    clock.now += 20
    found.hears("case 15 of 15")
    assert found.words() == "at least 27 s left"


def test_what_takes_long_is_said_in_minutes(clock: Clock) -> None:
    found = Remaining(1, clock)
    found.begins()
    clock.now += 100
    found.begins()
    assert found.words() == "at least 3 min left"
