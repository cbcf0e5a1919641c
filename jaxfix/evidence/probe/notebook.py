"""Runs the code cells of a notebook in order, as one `__main__`: `python -m jaxfix_probe.notebook NOTEBOOK [ARGS...]`.

As in Jupyter, it runs in the folder of the notebook, shows the value of a cell's last expression and may await at
the top. The code of a cell names its file `NOTEBOOK:cell 3`, cells of code counted from 1, so that tracebacks show
its lines. Magics and shell lines run through IPython where it is installed and are skipped where it is not.
"""

import ast
import asyncio
import importlib
import importlib.util
import linecache
import os
import sys
import traceback
from types import CodeType, ModuleType
from typing import Any

from .cells import AWAITS, TRANSPARENT, cells_of, has_magics, magics, without_magics
from .files import cell_name

_CO_COROUTINE = 0x80


class Notebook:
    """A notebook under way, in a module `__main__` of its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.main = ModuleType("__main__")
        self.main.__dict__["__builtins__"] = __builtins__
        self.skipped: list[str] = []
        self.runner = asyncio.Runner()
        self.shell: Any = None

    def run(self, cells: list[str]) -> int:
        """Runs the cells up to the first that fails; the exit status."""
        sys.modules["__main__"] = self.main
        for number, source in enumerate(cells, 1):
            try:
                self._cell(number, source)
            except Exception as error:
                _print(error)
                return 1
        return 0

    def _cell(self, number: int, source: str) -> None:
        name = cell_name(self.path, number)
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        text = self._without_magics(number, source)
        tree = compile(text, name, "exec", ast.PyCF_ONLY_AST | AWAITS)
        assert isinstance(tree, ast.Module)
        last = tree.body[-1] if tree.body else None
        shown = isinstance(last, ast.Expr) and not text.rstrip().endswith(";")
        if shown:
            tree.body.pop()
        self._execute(compile(tree, name, "exec", AWAITS))
        if shown:
            assert isinstance(last, ast.Expr)
            self._execute(compile(ast.Interactive([last]), name, "single", AWAITS))

    def _execute(self, code: CodeType) -> None:
        waiting = eval(code, self.main.__dict__)
        if code.co_flags & _CO_COROUTINE:
            self.runner.run(waiting)

    def _without_magics(self, number: int, source: str) -> str:
        """The cell as Python, line for line."""
        first, end, rest = source.partition("\n")
        if first.startswith("%%"):
            if TRANSPARENT.match(first):
                return self._without_magics(number, f"#{end}{rest}")
            return self._foreign_cell(number, source)
        if not has_magics(source):
            return source
        if self._ipython() is not None:
            return str(self.shell.transform_cell(source))
        self.skipped += (f"`{line}` of cell {number}" for line in magics(source))
        return without_magics(source)

    def _foreign_cell(self, number: int, source: str) -> str:
        if self._ipython() is not None:
            return str(self.shell.transform_cell(source))
        self.skipped.append(f"`{source.partition(chr(10))[0].strip()}` of cell {number}")
        return ""

    def _ipython(self) -> Any:
        """The shell that runs magics, made when the first one is met; None without IPython."""
        if self.shell is None and importlib.util.find_spec("IPython") is not None:
            shell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell
            self.shell = shell.instance(user_module=self.main, user_ns=self.main.__dict__)
            self.main.__dict__["get_ipython"] = lambda: self.shell
            sys.modules["__main__"] = self.main
        return self.shell


def _print(error: BaseException) -> None:
    """The traceback, from the cell on."""
    frames = error.__traceback__
    while frames is not None and os.path.dirname(frames.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def main(arguments: list[str]) -> int:
    """Runs the notebook that the first argument names; `sys.argv` of the cells are the arguments."""
    if not arguments:
        print("which notebook? say `python -m jaxfix_probe.notebook NOTEBOOK`", file=sys.stderr)
        return 2
    path = os.path.abspath(arguments[0])
    try:
        cells = cells_of(path)
    except (OSError, ValueError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        print(f"{arguments[0]}: cannot be read as a notebook: {reason}", file=sys.stderr)
        return 2
    sys.argv = [path, *arguments[1:]]
    sys.path[0] = os.path.dirname(path)
    os.chdir(os.path.dirname(path))
    notebook = Notebook(path)
    try:
        return notebook.run(cells)
    finally:
        if notebook.skipped:
            print(f"{arguments[0]}: IPython is not installed, skipped: {', '.join(notebook.skipped)}", file=sys.stderr)
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
