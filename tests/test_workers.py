"""Processes that share work: the same answers, in the same order, whoever gives them."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from library_of import library
from test_survey import FILES, units

from jaxfix.drivers import processes
from jaxfix.drivers.workers import VARIABLE, Crew
from jaxfix.engine import project
from jaxfix.engine.survey import survey


def doubled(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def slow_first(number: int) -> int:
    time.sleep(0.2 if number == 0 else 0)
    return number


def dies_elsewhere(parent: int, number: int) -> int:
    if number == 3 and os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fails(number: int) -> int:
    raise ZeroDivisionError(number)


@pytest.fixture
def crew_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "2")


def test_answers_come_in_the_order_of_the_shards(crew_of_two: None) -> None:
    with Crew() as crew:
        assert list(crew(slow_first, range(6))) == list(range(6))


def test_one_process_does_what_is_not_worth_sharing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "2")
    with Crew() as crew:
        assert list(crew(doubled, [4])) == [(8, os.getpid())]
        assert {process for _, process in crew(doubled, range(9))} != {os.getpid()}
    monkeypatch.setenv(VARIABLE, "1")
    with Crew() as crew:
        assert {process for _, process in crew(doubled, range(9))} == {os.getpid()}


def test_a_process_that_dies_leaves_its_work_to_this_one(crew_of_two: None) -> None:
    with Crew() as crew:
        assert list(crew(partial(dies_elsewhere, os.getpid()), range(9))) == list(range(9))
        assert list(crew(slow_first, range(3))) == list(range(3))


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_where_no_other_process_can_be_had_one_does_all(crew_of_two: None) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Crew() as crew:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # what processes share has no room, as in some containers
        try:
            found = list(crew(doubled, range(9)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert found == [(2 * number, os.getpid()) for number in range(9)]
        assert list(crew(slow_first, range(3))) == list(range(3))


def test_what_is_raised_there_is_raised_here(crew_of_two: None) -> None:
    with Crew() as crew, pytest.raises(ZeroDivisionError):
        list(crew(fails, range(3)))


@pytest.mark.parametrize("size", [1, 300, 10_000])
def test_a_survey_does_not_depend_on_the_shards(crew_of_two: None, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    given = units(FILES)
    alone = survey(given, lambda path: None)
    monkeypatch.setattr(project, "_SHARD", (size, size))
    seen: list[str] = []
    with Crew() as crew:
        shared = survey(given, seen.append, crew)
    assert shared.looks == alone.looks
    assert seen == [unit.source.path for unit in given]
    assert any(look.diagnostics for look in shared.looks)


@pytest.mark.parametrize("processes", ["2", "7"])
def test_a_survey_does_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch, processes: str) -> None:
    given = units(library(3))
    monkeypatch.setattr(project, "_SHARD", (4_000, 4_000))
    found = []
    for number in ("1", processes):
        monkeypatch.setenv(VARIABLE, number)
        with Crew() as crew:
            found.append(survey(given, lambda path: None, crew).looks)
    alone, shared = found
    assert shared == alone and sum(len(look.diagnostics) for look in alone) > 25


def test_processes_import_nothing_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "multiprocessing.py").write_text("open('run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "2")
    monkeypatch.setattr(processes, "_method", lambda: "spawn")
    with Crew() as crew:
        assert {pid for _, pid in crew(doubled, [1, 2, 3])} != {os.getpid()}
    assert not (tmp_path / "run").exists()
