"""The least time of a queue of cases, computed from what each took."""

import json
from pathlib import Path

import pytest

from benchmarks import proof_cost
from benchmarks.proof_queue import HEAD, Queue, read, row, table


def test_a_worker_takes_the_next_case_when_it_is_free() -> None:
    queue = Queue(((3.0, 1.0, 1.0, 1.0), (2.0, 2.0)), 4.0)
    assert [queue.least(workers) for workers in (1, 2, 7)] == [14.0, 9.0, 9.0]
    assert "| 14 s | 9 s | 9 s | 9 s | 1.6 x | today |" in row("optax", queue, "today")
    assert row("optax", queue, "today").count("|") == HEAD.count("|")


def test_cases_belong_to_the_process_that_drove_them(tmp_path: Path) -> None:
    record = tmp_path / "queue"
    assert read(record, 9.0) is None
    record.write_text("".join(json.dumps(entry) + "\n" for entry in (["a", 1.0], ["a", 2.0], ["b", 3.0])))
    assert read(record, 9.0) == Queue(((1.0, 2.0), (3.0,)), 3.0)
    assert table([]) == []


def test_a_package_that_is_missing_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["proof_cost", "both", "jaxopt"])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        proof_cost.main()
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (2, 1) and said.startswith("`jaxopt` is not installed: ")
