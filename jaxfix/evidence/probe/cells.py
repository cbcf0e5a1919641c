"""The Python in the cells of a notebook, as far as it is read without IPython."""

import ast
import json
import re

# what a cell magic does to the cell below it is of no consequence here
TRANSPARENT = re.compile(r"%%(time|capture|prun|memit|jupyter)\b")
_MAGIC = re.compile(r"^(\s*)(?:(%[a-zA-Z_]|!|\?)|[\w.]+\s*=\s*(?:%[a-zA-Z_]|!)|[\w.]+\?\??\s*$)")
AWAITS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


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


def python_of(path: str) -> str:
    """The Python of all cells, in order; magics are skipped.

    Raises:
      OSError, ValueError: the file cannot be read, or is not a notebook.
    """
    return "\n".join(_python(source) for source in cells_of(path)) + "\n"


def _python(source: str) -> str:
    first, end, rest = source.partition("\n")
    if first.startswith("%%"):
        return _python(f"#{end}{rest}") if TRANSPARENT.match(first) else ""
    return without_magics(source) if has_magics(source) else source


def without_magics(source: str) -> str:
    return "\n".join(_MAGIC.sub(r"\1pass #", line) if _MAGIC.match(line) else line for line in source.split("\n"))


def magics(source: str) -> list[str]:
    return [line.strip() for line in source.split("\n") if _MAGIC.match(line)]


def has_magics(source: str) -> bool:
    """Whether the cell is more than Python: a line may begin with `%` or `!` inside of a string."""
    if not any(_MAGIC.match(line) for line in source.split("\n")):
        return False
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | AWAITS)
    except SyntaxError:
        return True
    return False
