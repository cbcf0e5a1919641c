"""Runs the code cells of a notebook in order, as one `__main__`: `python -m jaxfix_probe.notebook NOTEBOOK [ARGS...]`.

As in Jupyter, it runs in the folder of the notebook, shows the value of a cell's last expression and may await at
the top. The code of a cell names its file `NOTEBOOK:cell 3`, cells of code counted from 1, so that tracebacks show
its lines. Magics and shell lines run through IPython where it is installed and are skipped where it is not.
"""

import ast
import asyncio
import importlib
import importlib.util
import json
import linecache
import os
import re
import sys
import traceback
from types import CodeType, ModuleType
from typing import Any

from .files import cell_name

# what a cell magic does to the cell below it is of no consequence here
_TRANSPARENT = re.compile(r"%%(time|capture|prun|memit|jupyter)\b")
_MAGIC = re.compile(r"^(\s*)(?:(%[a-zA-Z_]|!|\?)|[\w.]+\s*=\s*(?:%[a-zA-Z_]|!)|[\w.]+\?\??\s*$)")
_AWAITS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
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
        tree = compile(text, name, "exec", ast.PyCF_ONLY_AST | _AWAITS)
        assert isinstance(tree, ast.Module)
        last = tree.body[-1] if tree.body else None
        shown = isinstance(last, ast.Expr) and not text.rstrip().endswith(";")
        if shown:
            tree.body.pop()
        self._execute(compile(tree, name, "exec", _AWAITS))
        if shown:
            assert isinstance(last, ast.Expr)
            self._execute(compile(ast.Interactive([last]), name, "single", _AWAITS))

    def _execute(self, code: CodeType) -> None:
        waiting = eval(code, self.main.__dict__)
        if code.co_flags & _CO_COROUTINE:
            self.runner.run(waiting)

    def _without_magics(self, number: int, source: str) -> str:
        """The cell as Python, line for line."""
        first, end, rest = source.partition("\n")
        if first.startswith("%%"):
            if _TRANSPARENT.match(first):
                return self._without_magics(number, f"#{end}{rest}")
            return self._foreign_cell(number, source)
        if not _has_magics(source):
            return source
        if self._ipython() is not None:
            return str(self.shell.transform_cell(source))
        return "\n".join(self._without_magic(number, line) for line in source.split("\n"))

    def _foreign_cell(self, number: int, source: str) -> str:
        if self._ipython() is not None:
            return str(self.shell.transform_cell(source))
        self.skipped.append(f"`{source.partition(chr(10))[0].strip()}` of cell {number}")
        return ""

    def _without_magic(self, number: int, line: str) -> str:
        found = _MAGIC.match(line)
        if found is None:
            return line
        self.skipped.append(f"`{line.strip()}` of cell {number}")
        return f"{found[1]}pass"

    def _ipython(self) -> Any:
        """The shell that runs magics, made when the first one is met; None without IPython."""
        if self.shell is None and importlib.util.find_spec("IPython") is not None:
            shell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell
            self.shell = shell.instance(user_module=self.main, user_ns=self.main.__dict__)
            self.main.__dict__["get_ipython"] = lambda: self.shell
            sys.modules["__main__"] = self.main
        return self.shell


def cells_of(path: str) -> list[str]:
    """The sources of the code cells.

    Raises:
      ValueError: the file is not a notebook.
    """
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    cells = document.get("cells") if isinstance(document, dict) else None
    if cells is None and isinstance(document, dict):  # format 3
        cells = [cell for sheet in document.get("worksheets", ()) for cell in sheet.get("cells", ())]
    if not cells:
        raise ValueError("it has no cells")
    sources = [cell.get("source", cell.get("input", "")) for cell in cells if cell.get("cell_type") == "code"]
    return ["".join(source) for source in sources]


def _has_magics(source: str) -> bool:
    """Whether the cell is more than Python: a line may begin with `%` or `!` inside of a string."""
    if not any(_MAGIC.match(line) for line in source.split("\n")):
        return False
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | _AWAITS)
    except SyntaxError:
        return True
    return False


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
