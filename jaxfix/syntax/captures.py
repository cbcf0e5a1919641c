"""Which names a function takes from outside: `symtable`, joined to `ast`."""

import ast
import symtable
from collections.abc import Iterator, Sequence

from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import Function, walk


@frozen
class Captures:
    """The names that a function, with the functions inside it, takes from outside.

    Attributes:
      free: bound in an enclosing function.
      globals: bound in the module, or builtin.
      rebinds: declared `nonlocal`, or `global` and bound there: the function changes its surroundings.
    """

    free: frozenset[str]
    globals: frozenset[str]
    rebinds: frozenset[str]


class Scopes:
    """The captures of every function of a text: of a module, or of a statement of it in the lines where it is.

    `symtable` and `ast` meet at (name, line). Lambdas that share a line are distinguished by their order, and only
    if names and parameters agree: where they do not, there is no answer.
    """

    def __init__(self, text: str, path: str) -> None:
        self._tables: dict[tuple[str, int], list[symtable.Function]] = {}
        for table in _read(text, path):
            self._tables.setdefault((table.get_name(), table.get_lineno()), []).append(table)

    def captures(self, function: Function, neighbours: Sequence[Function] = ()) -> Captures | None:
        """What `function` takes from outside; None if `symtable` cannot tell it from another one.

        Args:
          neighbours: the functions of its kind and name that begin on its line, in the order of the text.
        """
        name = "lambda" if isinstance(function, ast.Lambda) else function.name
        tables = self._tables.get((name, function.lineno), [])
        neighbours = neighbours or (function,)
        if len(tables) != len(neighbours) or function not in neighbours:
            return None
        table = tables[list(neighbours).index(function)]
        if len(tables) > 1 and not _is_table_of(table, function):
            return None
        inside = list(_with_children(table))
        # Free in an inner scope and bound in this function: not taken from outside.
        free = {s.get_name() for s in table.get_symbols() if s.is_free()}
        global_ = {s.get_name() for t in inside for s in t.get_symbols() if s.is_global() and s.is_referenced()}
        rebinds = {
            s.get_name()
            for t in inside
            for s in t.get_symbols()
            if (s.is_assigned() and s.is_declared_global()) or (s.is_nonlocal() and s.get_name() in free)
        }
        return Captures(frozenset(free), frozenset(global_), frozenset(rebinds))


def _is_table_of(table: symtable.Function, function: Function) -> bool:
    parameters = [node.arg for node in walk(function.args) if isinstance(node, ast.arg)]
    parts = [function.body] if isinstance(function, ast.Lambda) else function.body
    inside = [node for part in parts for node in walk(part)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    inner = {node.arg for node in inside if isinstance(node, ast.arg)}
    known = {s.get_name() for t in _with_children(table) for s in t.get_symbols()}
    return (
        sorted(parameters) == sorted(table.get_parameters())
        and names <= known
        and known <= names | inner | {*parameters, ".0"}
    )


def _with_children(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _with_children(child)


def _read(text: str, path: str) -> Iterator[symtable.Function]:
    try:
        yield from _functions(symtable.symtable(text, path, "exec"))
    except SyntaxError:
        return  # what parses and does not compile: Python runs none of it


def _functions(table: symtable.SymbolTable) -> Iterator[symtable.Function]:
    # On 3.12 and later `def f[T]` gives two tables of one name: the type distinguishes them.
    return (t for t in _with_children(table) if isinstance(t, symtable.Function) and t.get_type() == "function")
