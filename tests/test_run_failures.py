"""How a run that failed is put in words."""

import subprocess
import sys

import pytest

from jaxfix.evidence.run import failure


@pytest.mark.parametrize(
    ("code", "is_alone"),
    [
        ("input('learning rate? ')", True),
        ("import os; os.get_terminal_size()", True),
        ("raise EOFError('the file ends here')", False),
        ("1 / 0", False),
    ],
)
def test_what_asks_a_person_is_said_to_have_no_terminal(code: str, is_alone: bool) -> None:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run([sys.executable, "-c", code], text=True, check=False, **streams)
    said = failure(done.returncode, done.stderr)
    assert said is not None and said.startswith("exit status 1: ")
    assert said.endswith(" (a rerun has no terminal)") == is_alone
