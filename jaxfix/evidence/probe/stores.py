"""What the sources of a program assign to again."""

import ast
import os
import sys
from collections.abc import Sequence

from .effects import MUTATORS
from .files import is_user, real
from .originals import text_of

_READERS = {"len", "print", "sorted", "sum", "min", "max", "any", "all", "float", "int", "bool", "str", "repr", "list"}
_BY_NAME = {"setattr", "__setattr__", "setitem", "patch", "object"}
_WRITERS = {"fill", "sort", "put", "itemset", "copyto", "place", "putmask", "shuffle"}
_MOST_FILES = 300
_DEFERRED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
"""What reads its variables later than it is made."""


class Stores(ast.NodeVisitor):
    """What the sources of a program assign to again, by name.

    Attributes:
      names: (file, variable) of modules that are assigned more than once, in a loop, or by `global`; not those whose
        assignments are all above the first function that mentions them.
      late: those of them that are assigned in a loop or by `global`: what is chosen once, by a condition, is not.
      local: (file, function, variable) that are assigned more than once, in a loop, or by `nonlocal`.
      attributes: attributes that are assigned outside of constructors.
      foreign: attributes of imported modules that are assigned, and what is assigned by a text that names it.
      changed: names of containers that are changed in place, or passed to something that might.
      written: names of arrays that are changed in place.
    """

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()
        self.local: set[tuple[str, str, str]] = set()
        self.attributes: set[str] = set()
        self.foreign: set[str] = set()
        self.changed: set[str] = set()
        self.written: set[str] = set()
        self.late: set[tuple[str, str]] = set()
        self._begin("")

    def _begin(self, file: str) -> None:
        self._file = file
        self._imported: set[str] = set()
        self._scopes: list[str] = []
        self._counts: list[dict[str, int]] = [{}]
        self._lines: dict[str, int] = {}
        self._loops = 0
        self._constructing = False

    def read(self, tree: ast.Module, file: str) -> None:
        self._begin(file)
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        self._imported = {(name.asname or name.name).partition(".")[0] for node in imports for name in node.names}
        self.visit(tree)
        again = {name for name, count in self._counts[0].items() if count > 1}
        self.names |= {(file, name) for name in again - self._settled(tree, again)}

    def _settled(self, tree: ast.Module, names: set[str]) -> set[str]:
        """Those of the names that the module assigns line by line before it makes a function that mentions them."""
        first: dict[str, int] = {}
        for function in (node for node in ast.walk(tree) if isinstance(node, _DEFERRED)):
            for node in ast.walk(function):
                if isinstance(node, ast.Name) and node.id in names:
                    first[node.id] = min(first.get(node.id, function.lineno), function.lineno)
        plain = {name for name in names & self._lines.keys() if (self._file, name) not in self.late}
        return {name for name in plain if name in first and self._lines[name] < first[name]}

    def may_rebind_local(self, function: str, file: str, name: str) -> bool:
        """Whether a variable that this function captures is assigned again around it."""
        parts = function.split(".<locals>.")
        return any((file, ".<locals>.".join(parts[:depth]), name) in self.local for depth in range(1, len(parts)))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._store(node.name)
        self._note(node.name, node.lineno)
        outer = self._loops, self._constructing
        self._loops, self._constructing = 0, node.name in ("__init__", "__post_init__", "setup", "__new__")
        self._counts.append({part.arg: 1 for part in ast.walk(node.args) if isinstance(part, ast.arg)})
        self._scopes.append(f"{node.name}.<locals>.")
        for part in node.body:
            self.visit(part)
        qualname = self._qualname()
        self._scopes.pop()
        self.local |= {(self._file, qualname, name) for name, count in self._counts.pop().items() if count > 1}
        self._loops, self._constructing = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._store(node.name)
        self._note(node.name, node.lineno)
        self._counts.append({})
        self._scopes.append(f"{node.name}.")
        self.generic_visit(node)
        self._scopes.pop()
        self._counts.pop()

    def visit_Global(self, node: ast.Global) -> None:
        self.names.update((self._file, name) for name in node.names)
        self.late.update((self._file, name) for name in node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        parts = self._qualname().split(".<locals>.")
        outer = [".<locals>.".join(parts[:depth]) for depth in range(1, len(parts))]
        self.local.update((self._file, function, name) for function in outer for name in node.names)

    def _qualname(self) -> str:
        return "".join(self._scopes).removesuffix(".<locals>.")

    def visit_For(self, node: ast.For | ast.While | ast.AsyncFor) -> None:
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1

    visit_While = visit_AsyncFor = visit_For

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._store(node.id)
            self._note(node.id, node.lineno)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._store(node.target.id, 2)
            self.written.add(node.target.id)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        own = self._constructing and isinstance(node.value, ast.Name)
        if not isinstance(node.ctx, ast.Load) and not own:
            self.attributes.add(node.attr)
            if isinstance(node.value, ast.Name) and node.value.id in self._imported:
                self.foreign.add(node.attr)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.changed |= _named(node.value)
            self.written |= _named(node.value)
            if _is_dictionary_of_names(node.value):
                self.foreign |= _texts([node.slice])
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in _BY_NAME:
            self.foreign |= _texts(node.args)
        if called == "update" and isinstance(node.func, ast.Attribute) and _is_dictionary_of_names(node.func.value):
            self.foreign |= {str(keyword.arg) for keyword in node.keywords}
            self.foreign |= _texts([part for part in ast.walk(node) if isinstance(part, ast.expr)])
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            self.changed |= _named(node.func.value)
        if called in _WRITERS:
            for target in (getattr(node.func, "value", node.func), *node.args[:1]):
                self.written |= _named(target)
        for keyword in node.keywords:
            self.written |= _named(keyword.value) if keyword.arg == "out" else set()
        if not (isinstance(node.func, ast.Name) and node.func.id in _READERS):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.changed |= {argument.id} if isinstance(argument, ast.Name) else set()
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Name):
            self.changed.add(node.value.id)
        self.generic_visit(node)

    def _note(self, name: str, line: int) -> None:
        if len(self._counts) == 1:
            self._lines[name] = max(self._lines.get(name, 0), line)

    def _store(self, name: str, count: int = 1) -> None:
        counts = self._counts[-1]
        counts[name] = counts.get(name, 0) + count + bool(self._loops)
        if self._loops and len(self._counts) == 1:
            self.late.add((self._file, name))


def _is_dictionary_of_names(node: ast.expr) -> bool:
    """Whether this is `globals()`, `vars(...)` or a `__dict__`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("globals", "vars", "locals")
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def _texts(nodes: Sequence[ast.expr]) -> set[str]:
    """The last names in literal texts, such as `rate` in `"model.rate"`."""
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text.rpartition(".")[2] for text in texts}


def _named(node: ast.expr) -> set[str]:
    """The names that an expression goes through: `a.b["c"]` are `a` and `b`."""
    found: set[str] = set()
    while isinstance(node, ast.Subscript | ast.Attribute):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        node = node.value
    return found | ({node.id} if isinstance(node, ast.Name) else set())


def stores_of(user: list[str], originals: dict[str, str], main: str | None) -> Stores:
    """What the modules of the user's that this process has imported assign to again, in their original texts.

    Args:
      main: the file of `__main__`, which has forgotten it when the program has ended.
    """
    stores = Stores()
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    mine = [file for file in [*files, main] if isinstance(file, str) and is_user(file, user)]
    mine = [file for file in mine if file.endswith(".py")]
    for file in sorted({*originals, *(real(os.path.abspath(file)) for file in mine)})[:_MOST_FILES]:
        try:
            stores.read(text_of(originals.get(file, file)).tree, file)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
    return stores
