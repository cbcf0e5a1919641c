"""What calls of jaxfix's own write to standard error while a program runs."""

import os

import pytest

from jaxfix.evidence.probe.muted import muted


def test_only_what_is_written_meanwhile_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(2, b"before ")
    with muted():
        os.write(2, b"of a library ")
    os.write(2, b"after")
    assert capfd.readouterr().err == "before after"


def test_a_program_that_has_closed_it_goes_on() -> None:
    kept = os.dup(2)
    os.close(2)
    try:
        with muted():
            pass
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(2)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
