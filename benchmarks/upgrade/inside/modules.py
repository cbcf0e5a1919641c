"""Imports modules in order, in one process; needs the standard library alone.

`python modules.py NAME ...` prints one JSON object: by module, "" or its error. Modules after `REACHED_S` seconds, and
the one that is imported then, are not reached.
"""

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import time

NOT_REACHED = "not reached"


class Late(BaseException):
    """The time is over."""


def main() -> None:
    end = time.monotonic() + int(os.environ["REACHED_S"])
    sys.path.insert(0, os.getcwd())
    names, sys.argv = sys.argv[1:], sys.argv[:1]
    sys.__stdout__.write("\n" + json.dumps({name: _error(name, end) for name in names}) + "\n")
    sys.__stdout__.flush()
    os._exit(0)


def _error(name: str, end: float) -> str:
    left = end - time.monotonic()
    if left <= 0:
        return NOT_REACHED
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, left)
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
