"""What is shown on a terminal, in a process whose stderr is one."""

import os
import subprocess
import sys
import time

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


GIVING = """\
import os, signal
from jaxfix.drivers.cli import terminal

signal.signal(signal.SIGALRM, lambda number, frame: None)
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
os.set_blocking(1, {blocks})
terminal.give(b"x" * 1_000_000)
signal.setitimer(signal.ITIMER_REAL, 0)
"""


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize("option", [(), ("-u",)], ids=["buffered", "unbuffered"])
def test_nothing_is_lost_in_a_pipe_that_is_read_late(option: tuple[str, ...], blocks: bool) -> None:
    code = GIVING.format(blocks=blocks)
    giver = subprocess.Popen([sys.executable, *option, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    out, err = giver.communicate()
    assert (giver.returncode, len(out), err) == (0, 1_000_000, b"")
