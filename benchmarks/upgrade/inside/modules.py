"""Imports modules in order, in one process; needs the standard library alone.

`python modules.py NAME ...` prints a JSON object for each: by module, "" or its error. A module that takes `MODULE_S`
seconds, and what comes after `REACHED_S`, is not reached; so is what comes after one that no signal ends.
"""

import contextlib
import faulthandler
import importlib
import io
import json
import os
import signal
import sys
import time

NOT_REACHED = "not reached"
MODULE_S = 20


class Late(BaseException):
    """The time is over."""


def main() -> None:
    reached_s = int(os.environ["REACHED_S"])
    end = time.monotonic() + reached_s
    sys.path.insert(0, os.getcwd())
    names, sys.argv = sys.argv[1:], sys.argv[:1]
    faulthandler.dump_traceback_later(reached_s + MODULE_S, exit=True)
    for name in names:
        sys.__stdout__.write("\n" + json.dumps({name: _error(name, end)}) + "\n")
        sys.__stdout__.flush()
    os._exit(0)


def _error(name: str, end: float) -> str:
    left = end - time.monotonic()
    if left <= 0:
        return NOT_REACHED
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, min(left, MODULE_S))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            importlib.import_module(name)
    except Late:
        return NOT_REACHED
    except BaseException as error:
        return (f"{type(error).__name__}: {error}".splitlines() or [type(error).__name__])[0][:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def _late(*_: object) -> None:
    raise Late


if __name__ == "__main__":
    main()
