"""Counts the collections of library names outside of the library table: `python -m benchmarks.tables [ROOT]`."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxfix.library.table import ROWS

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = frozenset(row.name.partition(".")[0] for row in ROWS)
NAMES = frozenset(row.name.rpartition(".")[2] for row in ROWS)
APART = ("jaxfix/evidence/probe/", "jaxfix/rewrite/helpers/")
"""What travels without jaxfix."""
LIBRARY = "jaxfix/library/"
_DISPLAYS = (ast.Set, ast.Tuple, ast.List, ast.Dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A collection of names.

    Attributes:
      path: the file, relative to the root.
      name: the variable; that of the function, for a collection inside of one.
      names: those that are names of a library, as they are spelled.
    """

    path: str
    line: int
    name: str
    names: tuple[str, ...]


def tables(root: Path) -> Iterator[Table]:
    """The module-level collections of two or more names of libraries, where these are half of their strings."""
    for path, tree in _files(root):
        for node in tree.body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if found := _names(node.value):
                yield Table(path, node.lineno, ast.unparse(target), found)


def inline(root: Path) -> Iterator[Table]:
    """The same for the collections in functions that something is looked up in."""
    for path, tree in _files(root):
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                is_looked_up = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
                if is_looked_up and (found := _names(node.comparators[0])):
                    yield Table(path, node.lineno, function.name, found)


def _files(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted([*root.glob("jaxfix/**/*.py"), *root.glob("codemods/**/*.py")]):
        name = path.relative_to(root).as_posix()
        if not name.startswith((*APART, LIBRARY)) or (name.startswith(LIBRARY) and root != ROOT):
            yield name, ast.parse(path.read_bytes())


def _names(value: ast.expr) -> tuple[str, ...]:
    if not any(isinstance(node, _DISPLAYS) for node in ast.walk(value)) or _is_declaration(value):
        return ()
    strings = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    found = tuple(text for text in strings if _is_name(text))
    return found if len(found) > 1 and 2 * len(found) >= len(strings) else ()


def _is_declaration(value: ast.expr) -> bool:
    """Whether it declares a codemod or a command, whose triggers and options are its own."""
    return isinstance(value, ast.Call) and ast.unparse(value.func) != "frozenset"


def _is_name(text: str) -> bool:
    is_dotted = "." in text and text.partition(".")[0] in PACKAGES and " " not in text
    return is_dotted or text in NAMES


def main(root: Path) -> None:
    """Prints each table, and the sums."""
    for title, found in (("module level", list(tables(root))), ("inline", list(inline(root)))):
        for table in found:
            print(f"{table.path}:{table.line}: {table.name}: {len(table.names)}")
        strings = sum(len(table.names) for table in found)
        print(f"{title}: {len(found)} tables, {strings} names, {len({table.path for table in found})} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
