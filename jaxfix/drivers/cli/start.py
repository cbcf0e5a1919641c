"""One command line, from its words to its exit code. Nothing is imported before it is known to be needed."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial

from jaxfix.drivers import overtime
from jaxfix.drivers.cli import outcome, quick, terminal
from jaxfix.drivers.cli.options.check import Check
from jaxfix.source.errors import UserError
from jaxfix.source.timeouts import Ended

_FULL = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What a disk says, wherever that comes up: no bug."""


def run(argv: Sequence[str]) -> int:
    """Runs one command line; returns the exit code. Everything that escapes a command is caught here.

    0 clean or all fixed, 1 findings remain or fixes are held, 2 an error of the user's, 3 a bug in jaxfix,
    130 interrupted, 143 ended from outside, 129 by a terminal that closed.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *terminal.ENDINGS)}
    is_main = threading.current_thread() is threading.main_thread()
    for number in before if is_main else ():
        if before[number] is not signal.SIG_IGN:  # `nohup` wants it to go on
            signal.signal(number, _interrupt if number == signal.SIGINT else _end)
    terminal.open_closed()
    end_of_clock = overtime.begin()
    try:
        return _command(argv)()
    except UserError as error:
        outcome.tell_errors([str(error)])
        return outcome.USER_ERROR
    except SystemExit:
        before.clear()
        raise
    except KeyboardInterrupt as error:
        before.clear()  # the process is about to end: no later signal shall change how
        where = "".join(f" in {note}" for note in getattr(error, "__notes__", ()))
        outcome.tell_errors([f"interrupted{where}; nothing was written"])
        return outcome.INTERRUPTED
    except BrokenPipeError:
        # who read stdout has seen enough; nothing more is to be flushed to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return outcome.FINDINGS
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            outcome.tell_errors([f"stopped: {(error.strerror or str(error)).lower()}"])
            return outcome.USER_ERROR
        if os.environ.get("JAXFIX_TRACEBACK"):
            import traceback

            traceback.print_exc()
        outcome.tell_errors(
            [f"a bug in jaxfix: {type(error).__name__}: {error}; set `JAXFIX_TRACEBACK=1` for the traceback"]
        )
        return outcome.BUG
    finally:
        end_of_clock()
        for number, handler in before.items() if is_main else ():
            signal.signal(number, handler)


def _command(argv: Sequence[str]) -> Callable[[], int]:
    """What the words ask for: a plain `check` is read without Typer."""
    if argv and argv[0] == "check":
        options = quick.read(Check, argv[1:])
        if options is not None:
            from jaxfix.drivers.cli.check import check

            return partial(check, options)
    from jaxfix.drivers.cli import app

    return app.read(argv)


def _interrupt(number: int, frame: object) -> None:
    """Once: who presses Ctrl-C again does not stop jaxfix from ending its rerun and clearing away its copies."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end(number: int, frame: object) -> None:
    """As with Ctrl-C; left to itself, Python would die at once, and the rerun live on."""
    for other in (signal.SIGINT, *terminal.ENDINGS):
        signal.signal(other, signal.SIG_IGN)
    raise Ended(128 + number)
