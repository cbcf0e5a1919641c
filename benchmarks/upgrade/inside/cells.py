"""Runs the cells of notebooks in order, in one process; needs the standard library alone.

`python cells.py NOTEBOOK ...` prints one JSON object: by cell, "" or its last error. Lines for the shell and for
IPython are left out; a cell that fails does not end its notebook, as nothing but what needs it fails then. Cells after
`REACHED_S` seconds, and the one that runs then, are not reached.
"""

import ast
import contextlib
import io
import json
import os
import re
import signal
import sys
import time
import warnings

NOT_REACHED = "not reached"
LEFT_OUT = re.compile(r"^\s*[%!?].*$", re.MULTILINE)


class Late(BaseException):
    """The time is over."""


def main() -> None:
    said = {}
    end = time.monotonic() + int(os.environ["REACHED_S"])
    start = os.getcwd()
    for path in sys.argv[1:]:
        os.chdir(os.path.dirname(os.path.join(start, path)))  # where Jupyter runs it
        said.update(_of(os.path.join(start, path), end))
    sys.__stdout__.write("\n" + json.dumps(said) + "\n")
    sys.__stdout__.flush()
    os._exit(0)


def _of(path: str, end: float) -> dict:
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names = {"__name__": "__main__", "display": print}
    warnings.simplefilter("ignore")
    said = {}
    for number, cell in enumerate(notebook["cells"], 1):
        text = LEFT_OUT.sub("pass", "".join(cell["source"])) if cell["cell_type"] == "code" else ""
        if text.strip():
            said[f"{os.path.basename(path)}: cell {number}"] = _error(text, names, end)
    return said


def _error(text: str, names: dict, end: float) -> str:
    left = end - time.monotonic()
    if left <= 0:
        return NOT_REACHED
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(ast.parse(text), "cell", "exec"), names)
    except Late:
        return NOT_REACHED
    except BaseException as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def _late(*_: object) -> None:
    raise Late


if __name__ == "__main__":
    main()
