"""What the sources of a program assign to again."""

import ast
import math
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from .effects import MUTATORS
from .files import is_user, real
from .originals import text_of

_READERS = {"len", "print", "sorted", "sum", "min", "max", "any", "all", "float", "int", "bool", "str", "repr", "list"}
_BY_NAME = {"setattr", "__setattr__", "setitem", "patch", "object"}
_NAMES, _DICTIONARIES = ("globals", "vars", "locals"), ("__dict__", "__globals__")
_MODULES = ("import_module", "__import__", "getmodule")
_WRITERS = {"fill", "sort", "put", "itemset", "copyto", "place", "putmask", "shuffle"}
_MOST_FILES = 300
_DEFERRED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
"""What reads its variables later than it is made."""
_HERE = ast.parse("globals()", mode="eval").body
_AFTER_ALL = math.inf
"""The line of what may be executed at any time."""


class Stores(ast.NodeVisitor):
    """What the sources of a program assign to again, by name.

    Attributes:
      names: (file, variable) of modules that are assigned more than once, in a loop, or by `global`; not those whose
        assignments are all above the first function that mentions them.
      late: those of them that are assigned in a loop or by `global`: what is chosen once, by a condition, is not.
      local: (file, function, variable) that are assigned more than once, in a loop, or by `nonlocal`.
      attributes: attributes that are assigned outside of constructors.
      foreign: attributes of imported modules that are assigned, and what is assigned by a text that names it.
      anywhere: whether something is assigned in a module under a name that no text tells.
      open: names of objects of which any attribute may be assigned.
      by_name: whether a function assigns attributes of what it is given under names that no text tells.
      passed: imported names that are values, such as a module in an argument: other names may be of that, too.
      by_alias: attributes that are assigned of what is no module by its name.
      changed: names of containers that are changed in place, or passed to something that might.
      written: names of arrays that are changed in place.
    """

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()
        self.local: set[tuple[str, str, str]] = set()
        self.attributes: set[str] = set()
        self.foreign: set[str] = set()
        self.anywhere = False
        self.open: set[str] = set()
        self.by_name = False
        self.passed: set[str] = set()
        self.by_alias: set[str] = set()
        self.changed: set[str] = set()
        self.written: set[str] = set()
        self.late: set[tuple[str, str]] = set()
        self._begin("")

    def _begin(self, file: str) -> None:
        self._file = file
        self._imported: dict[str, str] = {}
        self._scopes: list[str] = []
        self._counts: list[dict[str, int]] = [{}]
        self._lines: dict[str, int] = {}
        self._end = 0
        self._unread: float = 0
        self._loops = self._comprehensions = 0
        self._constructing = False

    def read(self, tree: ast.Module, file: str) -> None:
        self._begin(file)
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        for alias in (alias for node in imports for alias in node.names):
            self._imported[(alias.asname or alias.name).partition(".")[0]] = alias.name.rpartition(".")[2]
        for statement in tree.body:
            self._end = statement.end_lineno or statement.lineno
            self.visit(statement)
        again = {name for name, count in self._counts[0].items() if count > 1}
        asked = again if not self._unread else {*self._counts[0]}
        first = _first_readers(tree, asked)
        self.names |= {(file, name) for name in again if not self._is_settled(name, first)}
        self.names |= {(file, name) for name in asked if first.get(name, _AFTER_ALL) <= self._unread}

    def _is_settled(self, name: str, first: dict[str, int]) -> bool:
        """Whether the module assigns it statement by statement before it makes a function that mentions it."""
        is_plain = name in self._lines and (self._file, name) not in self.late
        return is_plain and name in first and self._lines[name] < first[name]

    def may_rebind_local(self, function: str, file: str, name: str) -> bool:
        """Whether a variable that this function captures is assigned again around it."""
        parts = function.split(".<locals>.")
        return any((file, ".<locals>.".join(parts[:depth]), name) in self.local for depth in range(1, len(parts)))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._store(node.name)
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

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self._comprehensions += 1
        self.generic_visit(node)
        self._comprehensions -= 1

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._loops += self._comprehensions
        self.generic_visit(node)
        self._loops -= self._comprehensions

    def visit_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self._store(node.name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._store(node.rest)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self._store((alias.asname or alias.name).partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._store(node.id)
        elif node.id in self._imported:
            self.passed.add(self._imported[node.id])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._store(node.target.id, 2)
            self.written.add(node.target.id)
        self.generic_visit(node)

    def may_assign_any(self, name: str) -> bool:
        """Whether any attribute of what has that name may be assigned."""
        return name in self.open or (self.by_name and name in self.changed)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        own = self._constructing and isinstance(node.value, ast.Name)
        if not isinstance(node.ctx, ast.Load) and not own:
            self.attributes.add(node.attr)
            if self._is_module(node.value):
                self.foreign.add(node.attr)
            elif isinstance(node.value, ast.Name):
                self.by_alias.add(node.attr)
        if not isinstance(node.value, ast.Name):
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.changed |= _named(node.value)
            self.written |= _named(node.value)
            if _is_dictionary_of_names(node.value):
                self._assigned_by(node.slice, self._owner(node.value))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in _BY_NAME:
            self.foreign |= _texts(node.args)
            self._named_by(node)
        if called == "multiple":
            self.foreign |= {str(keyword.arg) for keyword in node.keywords}
        if called == "exec" and isinstance(node.func, ast.Name):
            self._executed(*node.args[:2])
        if called == "update" and isinstance(node.func, ast.Attribute) and _is_dictionary_of_names(node.func.value):
            self._updated(node, self._owner(node.func.value))
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            self.changed |= _named(node.func.value)
        if called in _WRITERS:
            for target in (getattr(node.func, "value", node.func), *node.args[:1]):
                self.written |= _named(target)
        for keyword in node.keywords:
            self.written |= _named(keyword.value) if keyword.arg == "out" else set()
        if any(isinstance(argument, ast.Name) and argument.id == "setattr" for argument in node.args):
            self.anywhere = True
        if not (isinstance(node.func, ast.Name) and node.func.id in _READERS):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.changed |= {argument.id} if isinstance(argument, ast.Name) else set()
        for part in (*([] if isinstance(node.func, ast.Name) else [node.func]), *node.args, *node.keywords):
            self.visit(part)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Name):
            self.changed.add(node.value.id)
        self.generic_visit(node)

    def _updated(self, node: ast.Call, owner: ast.expr) -> None:
        """Notes the names that an update of a dictionary of names assigns."""
        self.foreign |= {str(keyword.arg) for keyword in node.keywords if keyword.arg is not None}
        self.foreign |= _texts([part for part in ast.walk(node) if isinstance(part, ast.expr)])
        given = (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is None))
        for part in given:
            if not isinstance(part, ast.Dict) or not all(isinstance(key, ast.Constant) for key in part.keys):
                self._assigned_by(part, owner)

    def _assigned_by(self, name: ast.expr, owner: ast.expr) -> None:
        """Notes an assignment to the attribute or variable of that name, which may be computed."""
        if isinstance(name, ast.Constant):
            self.foreign |= _texts([name])
        elif _is_own_module(owner):
            self._assigns_any()
        elif isinstance(owner, ast.Name) and len(self._counts) > 1 and owner.id in self._counts[-1]:
            self.by_name = self.by_name or not self._constructing
        else:
            self.anywhere = self.anywhere or self._is_module(owner)
            self.open |= _named(owner)

    def _named_by(self, node: ast.Call) -> None:
        """Notes an assignment by a function that takes the owner, a name and a value."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="__setattr__"), args=[name, _]):
                self._assigned_by(name, owner)
            case ast.Call(args=[owner, name, *_]) if not _texts([owner]):
                self._assigned_by(name, self._owner(owner) if _is_dictionary_of_names(owner) else owner)

    def _executed(self, text: ast.expr, owner: ast.expr | None = None) -> None:
        """Notes what a text assigns that is executed in the dictionary of an owner, or right here."""
        if not isinstance(text, ast.Constant):
            self._assigned_by(text, _HERE if owner is None else self._owner(owner))
            return
        try:
            tree = ast.parse(str(text.value))
        except (SyntaxError, ValueError):
            return
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    self.foreign.add(name)

    def _assigns_any(self) -> None:
        """Notes that any variable of this module may be assigned here."""
        self._unread = max(self._unread, _AFTER_ALL if len(self._counts) > 1 else self._end)

    def _owner(self, names: ast.expr) -> ast.expr:
        """The object whose attributes a dictionary of names holds, or what makes the dictionary."""
        if isinstance(names, ast.Call):
            return names.args[0] if names.args else names
        return names.value if isinstance(names, ast.Attribute) else names

    def _is_module(self, node: ast.expr) -> bool:
        """Whether it is a name that is imported, or something that modules are kept in or found by."""
        match node:
            case ast.Name(id=name):
                return name in self._imported
            case ast.Subscript(value=ast.Attribute(attr="modules") | ast.Name(id="modules")):
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return name in _MODULES
        return False

    def _store(self, name: str, count: int = 1) -> None:
        counts = self._counts[-1]
        counts[name] = counts.get(name, 0) + count + bool(self._loops)
        if len(self._counts) == 1:
            self._lines[name] = max(self._lines.get(name, 0), self._end)
            if self._loops:
                self.late.add((self._file, name))

    def close(self, modules: Sequence[str]) -> None:
        """Takes what is assigned under another name of a module, where one of these modules is passed on."""
        if self.passed.intersection(modules):
            self.foreign |= self.by_alias


def _first_readers(tree: ast.Module, names: set[str]) -> dict[str, int]:
    """The line of the first function that mentions each of the names."""
    first: dict[str, int] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, _DEFERRED)):
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in names:
                first[node.id] = min(first.get(node.id, function.lineno), function.lineno)
    return first


def _is_own_module(node: ast.expr) -> bool:
    """Whether it is `globals()`, or the module of `__name__`."""
    match node:
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals"), args=[]):
            return True
        case ast.Subscript(slice=ast.Name(id="__name__")) | ast.Call(args=[ast.Name(id="__name__")]):
            return True
    return False


def _is_dictionary_of_names(node: ast.expr) -> bool:
    """Whether this is `globals()`, `vars(...)` or a `__dict__`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _NAMES
    return isinstance(node, ast.Attribute) and node.attr in _DICTIONARIES


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
    stores.close([name.rpartition(".")[2] for name, module in list(sys.modules.items()) if _is_of(module, user)])
    return stores


def _is_of(module: ModuleType | None, user: list[str]) -> bool:
    """Whether it is a module of the user's."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and is_user(file, user)
