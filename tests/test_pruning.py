"""`.jaxfix/` grows no further than what can still be undone."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from test_receipts import RECEIPT

from jaxfix.drivers import journal, pruning, receipts
from jaxfix.drivers.files import Replacement
from jaxfix.source.errors import WriteError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_bytes(b"0")
    return tmp_path


def write(project: Path, *numbers: int) -> None:
    """Applies, each of which makes the number in the file the next one."""
    for number in numbers:
        before, after = str(number - 1).encode(), str(number).encode()
        journal.write(project, f"apply {number}", [Replacement(project / "a.py", before, after)])


def kept(project: Path, part: str) -> list[str]:
    folder = project / ".jaxfix" / part
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_what_is_undone_needs_its_originals_no_more_and_what_is_not_does(project: Path) -> None:
    write(project, 1, 2)
    assert len(kept(project, "objects")) == 2
    journal.undo(project)
    assert len(kept(project, "objects")) == 1
    journal.undo(project)
    assert (project / "a.py").read_bytes() == b"0"
    assert kept(project, "objects") == []
    assert [entry.command for entry, undone in journal.entries(project) if undone] == ["apply 2", "apply 1"]


def test_an_original_that_two_applies_need_stays_for_the_other(project: Path) -> None:
    write(project, 1)
    journal.write(project, "back", [Replacement(project / "a.py", b"1", b"0")])
    write(project, 1)
    for _ in range(3):
        journal.undo(project)
    assert (project / "a.py").read_bytes() == b"0"


def test_the_oldest_applies_make_room_and_the_others_are_undone(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MOST_APPLIES", 3)
    write(project, *range(1, 13))
    assert kept(project, "journal") == ["0010.json", "0011.json", "0012.json"]
    assert len(kept(project, "objects")) == 3
    for number in (11, 10, 9):
        journal.undo(project)
        assert (project / "a.py").read_bytes() == str(number).encode()
    with pytest.raises(WriteError, match="nothing to undo"):
        journal.undo(project)
    write(project, 10)
    journal.undo(project)
    assert kept(project, "undone") == ["0011.json", "0012.json", "0013.json"]


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"lines": [{}]}'])
def test_beside_an_entry_that_cannot_be_read_every_original_stays(project: Path, raw: bytes) -> None:
    write(project, 1)
    (project / ".jaxfix" / "journal" / "0001.json").write_bytes(raw)
    write(project, 2)
    assert len(kept(project, "objects")) == 2


def test_the_oldest_receipts_make_room(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MOST_RECEIPTS", 2)
    (journal.folder(project, "receipts") / "other.json").write_bytes(b"[")
    for name in ("one", "two", "three"):
        receipts.record(project, name, (replace(RECEIPT, configured=name),))
    batches, problems = receipts.batches(project)
    assert ([batch.command for batch in batches], len(problems)) == (["three", "two"], 1)
