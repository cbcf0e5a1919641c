"""Runs the cells of notebooks in order, in one process; needs the standard library alone.

`python cells.py SECONDS NOTEBOOK ...` prints one JSON object: by cell, "" or its last error. Lines for the shell and
for IPython are left out; a cell that fails does not end its notebook, as nothing but what needs it fails then.
"""

import ast
import contextlib
import io
import json
import os
import re
import signal
import sys
import warnings

LEFT_OUT = re.compile(r"^\s*[%!?].*$", re.MULTILINE)


def main() -> None:
    limit, *paths = sys.argv[1:]
    said = {}
    start = os.getcwd()
    for path in paths:
        os.chdir(os.path.dirname(os.path.join(start, path)))  # where Jupyter runs it
        said.update(_of(os.path.join(start, path), int(limit)))
    sys.__stdout__.write("\n" + json.dumps(said) + "\n")
    sys.__stdout__.flush()
    os._exit(0)


def _of(path: str, limit: int) -> dict:
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names = {"__name__": "__main__", "display": print}
    warnings.simplefilter("ignore")
    said = {}
    for number, cell in enumerate(notebook["cells"], 1):
        text = LEFT_OUT.sub("pass", "".join(cell["source"])) if cell["cell_type"] == "code" else ""
        if text.strip():
            said[f"{os.path.basename(path)}: cell {number}"] = _error(text, names, limit)
    return said


def _error(text: str, names: dict, limit: int) -> str:
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(limit)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(ast.parse(text), "cell", "exec"), names)
    except BaseException as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:300]
    finally:
        signal.alarm(0)
    return ""


def _late(*_: object) -> None:
    raise TimeoutError("the cell is not done")


if __name__ == "__main__":
    main()
