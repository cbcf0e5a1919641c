"""What is shown on a terminal, in a process whose stderr is one."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

CODE = """\
import sys, time
from jaxfix.drivers.cli import terminal

terminal._PATIENCE_S = {patience}
with terminal.progress("looking", {total}) as advance:
    for step in ("one.py", "two.py"):
        advance(step)
print("rich" in sys.modules)
"""


def shown(total: int | None, patience: float) -> tuple[str, str]:
    """What appears on the terminal, and what goes to stdout."""
    reading, writing = pty.openpty()
    code = CODE.format(total=total, patience=patience)
    env = os.environ | {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "80"}
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=writing, text=True, env=env)
    os.close(writing)
    said = b""
    try:
        while chunk := os.read(reading, 65536):
            said += chunk
    except OSError:  # how Linux says that nobody writes any more
        pass
    os.close(reading)
    return said.decode(), done.stdout.strip()


def test_steps_that_take_no_time_are_not_shown() -> None:
    assert shown(total=2, patience=1000) == ("", "False")


@pytest.mark.parametrize("total", [None, 2])
def test_steps_that_take_long_are_shown(total: int | None) -> None:
    said, is_loaded = shown(total, patience=-1)
    assert "looking" in said and "two.py" in said and is_loaded == "True"
