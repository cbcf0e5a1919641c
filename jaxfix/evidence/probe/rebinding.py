"""What a function reads and its program may bind anew between two calls, and how to bind it to something else."""

import ast
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, FunctionType, ModuleType
from typing import Any

from .alter import Alter, fields, in_place
from .effects import Reach
from .files import is_user, real
from .originals import nested, text_of
from .perturb import is_plain

_MUTATORS = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear", "remove"}
_READERS = {"len", "print", "sorted", "sum", "min", "max", "any", "all", "float", "int", "bool", "str", "repr", "list"}
_BY_NAME = {"setattr", "__setattr__", "setitem", "patch", "object"}
_WRITERS = {"fill", "sort", "put", "itemset", "copyto", "place", "putmask", "shuffle"}
_MOST_FILES, _MOST_ENTRIES, _DEEPEST = 300, 8, 3
_ABSENT = object()


class Slot:
    """A place that may hold something else, such as a global, an attribute or an entry of a dictionary."""

    def __init__(self, label: str, other: Any, write: Callable[[Any], object], restore: Callable[[], object]) -> None:
        self.label, self._other, self._write, self._restore = label, other, write, restore

    @contextmanager
    def rebound(self) -> Iterator[None]:
        """Holds something else meanwhile."""
        self._write(self._other)
        try:
            yield
        finally:
            self._restore()


class Stores(ast.NodeVisitor):
    """What the sources of a program assign to again, by name.

    Attributes:
      names: (file, variable) of modules that are assigned more than once, in a loop, or by `global`.
      late: those of them that are assigned in a loop or by `global`: what is chosen once, by a condition, is not.
      local: (file, function, variable) that are assigned more than once, in a loop, or by `nonlocal`.
      attributes: attributes that are assigned outside of constructors.
      foreign: attributes of imported modules that are assigned, and what is assigned by a text that names it.
      changed: names of containers that are changed in place, or handed to something that might.
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
        self._loops = 0
        self._constructing = False

    def read(self, tree: ast.Module, file: str) -> None:
        self._begin(file)
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        self._imported = {(name.asname or name.name).partition(".")[0] for node in imports for name in node.names}
        self.visit(tree)
        self.names |= {(file, name) for name, count in self._counts[0].items() if count > 1}

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

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._store(node.id)

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
        if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
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


class Slots:
    """Finds what some functions read and what may be bound anew.

    Args:
      given: functions that came as arguments: what they capture is the caller's to change at any time.
    """

    def __init__(self, reach: Reach, stores: Stores, given: list[FunctionType]) -> None:
        self.reach, self.stores, self.given = reach, stores, given
        self.mentioned = reach.names
        self.alter = Alter(reach.is_mine, reach.texts)
        self._containers = stores.changed | stores.foreign | {bound for _, bound in stores.names}
        self._seen: set[Any] = set()
        self.files: dict[int, set[str]] = {}
        for code, globals_ in reach.codes:
            self.files.setdefault(id(getattr(globals_, "live", globals_)), set()).add(real(code.co_filename))

    def of(self, arguments: dict[str, Any], cells: dict[str, CellType]) -> Iterator[Slot]:
        for function in self.given:
            yield from self._cells(function, always=True)
        for name, cell in cells.items():
            owners = ((code.co_qualname, real(code.co_filename)) for code, _ in self.reach.codes)
            may = any(self.stores.may_rebind_local(qualname, file, name) for qualname, file in owners)
            yield from self._cell(name, cell, may)
        for code, globals_ in self.reach.codes:
            for name in sorted({name for part in nested(code) for name in part.co_names}):
                if name in globals_:
                    yield from self._global(name, globals_)
        for function in self.reach.functions:
            if function not in self.given:
                yield from self._cells(function, always=False)
        for name, value in arguments.items():
            yield from self._inside(name, name, value)
        yield from self._environment()

    def _cells(self, function: FunctionType, always: bool) -> Iterator[Slot]:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield from self._cell(name, cell, always or self._may_rebind(function, name))

    def _may_rebind(self, function: FunctionType, name: str) -> bool:
        code = function.__code__
        return self.stores.may_rebind_local(code.co_qualname, real(code.co_filename), name)

    def _cell(self, name: str, cell: CellType, may: bool) -> Iterator[Slot]:
        try:
            value = cell.cell_contents
        except ValueError:
            return
        if may:
            yield from self._slot(("cell", id(cell)), name, value, lambda new: _put(cell, new))
        yield from self._inside(name, name, value)

    def _global(self, name: str, globals_: dict[str, Any]) -> Iterator[Slot]:
        value = globals_[name]
        globals_ = getattr(globals_, "live", globals_)
        files = self.files.get(id(globals_), ())
        bound = self.stores.names if is_plain(value) else self.stores.late
        if name in self.stores.foreign or any((file, name) in bound for file in files):
            yield from self._entry(name, globals_, name, value)
        yield from self._inside(name, name, value)

    def _environment(self) -> Iterator[Slot]:
        if "environ" in self.stores.changed and self.mentioned & {"environ", "getenv"}:
            for name in self.reach.texts:
                if name in os.environ:
                    yield from self._entry(f"environ[{name!r}]", os.environ, name, os.environ[name])

    def _inside(self, label: str, name: str, value: Any, depth: int = 0) -> Iterator[Slot]:
        """What a value holds that may be something else: entries, attributes, the values of an array.

        Args:
          name: the last one on the way to it, by which the sources change it.
        """
        if in_place(value):
            if name in self.stores.written:
                yield from self._array(label, value)
        elif isinstance(value, ContextVar):
            yield from self._context(label, value)
        elif isinstance(value, dict | list):
            keys = list(value)[:_MOST_ENTRIES] if isinstance(value, dict) else range(min(len(value), _MOST_ENTRIES))
            for key in keys:
                if name in self._containers:
                    yield from self._entry(f"{label}[{key!r}]", value, key, value[key])
                if depth < _DEEPEST:
                    yield from self._inside(f"{label}[{key!r}]", name, value[key], depth + 1)
        elif isinstance(value, ModuleType | type) or self._has_attributes(value):
            yield from self._attributes(label, value, depth)

    def _array(self, label: str, value: Any) -> Iterator[Slot]:
        held = value.copy()
        yield from self._slot(("array", id(value)), label, held, lambda new: _fill(value, new))

    def _context(self, label: str, variable: ContextVar[Any]) -> Iterator[Slot]:
        try:
            value = variable.get()
        except LookupError:
            return
        yield from self._slot(("context", id(variable)), label, value, variable.set)

    def _attributes(self, label: str, owner: Any, depth: int) -> Iterator[Slot]:
        file = getattr(owner, "__file__", None) if isinstance(owner, ModuleType) else None
        if isinstance(owner, ModuleType) and not is_user(str(file or "<"), self.reach.user):
            return
        own = {name for path, name in self.stores.names if file and path == real(file)}
        for attribute in sorted(self.mentioned & (self.stores.attributes | self.stores.foreign | own)):
            try:
                value = getattr(owner, attribute, _ABSENT)
            except Exception:  # a property of the user's
                continue
            if value is not _ABSENT and (is_plain(value) or not isinstance(owner, type)):
                yield from self._attribute(f"{label}.{attribute}", owner, attribute, value)
        if depth < _DEEPEST and not isinstance(owner, ModuleType):
            for attribute in sorted(self.mentioned.intersection([*fields(owner), *_shared(owner)])):
                value = getattr(owner, attribute)
                yield from self._inside(f"{label}.{attribute}", attribute, value, depth + 1)

    def _attribute(self, label: str, owner: Any, attribute: str, value: Any) -> Iterator[Slot]:
        other = self._other((id(owner), attribute), value)
        slot = None if other is _ABSENT else _attribute_slot(label, owner, attribute, value, other)
        if slot is not None:
            yield slot

    def _entry(self, label: str, container: Any, key: Any, value: Any) -> Iterator[Slot]:
        def write(new: Any) -> None:
            container[key] = new

        yield from self._slot((id(container), key), label, value, write)

    def _slot(self, key: Any, label: str, value: Any, write: Callable[[Any], object]) -> Iterator[Slot]:
        other = self._other(key, value)
        if other is not _ABSENT:
            yield Slot(label, other, write, lambda: write(value))

    def _other(self, key: Any, value: Any) -> Any:
        """What else the place may hold; `_ABSENT` if nothing is known, or the place is known already."""
        if key in self._seen:
            return _ABSENT
        other = self.alter(value)
        if other is value:
            return _ABSENT
        self._seen.add(key)
        return other

    def _has_attributes(self, value: Any) -> bool:
        module = type(value).__module__.partition(".")[0]
        held = hasattr(value, "__dict__") and module not in ("jax", "jaxlib", "numpy", "builtins", "functools")
        return held or self.alter.is_object(value)


def _attribute_slot(label: str, owner: Any, attribute: str, value: Any, other: Any) -> Slot | None:
    own = isinstance(owner, type | ModuleType) or attribute in fields(owner)
    own = own and (not isinstance(owner, type) or attribute in vars(owner))

    def restore() -> None:
        if own:
            setattr(owner, attribute, value)
        else:
            delattr(owner, attribute)

    try:
        setattr(owner, attribute, value)
        restore()
    except Exception:  # frozen, read-only, or a property of the user's
        return None
    return Slot(label, other, lambda new: setattr(owner, attribute, new), restore)


def _shared(owner: Any) -> list[str]:
    """The containers and arrays among the attributes of the class of an instance."""
    kinds = type(owner).__mro__ if not isinstance(owner, type) else ()
    held = (item for kind in kinds for item in vars(kind).items() if not item[0].startswith("__"))
    return [name for name, value in held if isinstance(value, dict | list) or in_place(value)]


def _put(cell: CellType, value: Any) -> None:
    cell.cell_contents = value


def _fill(array: Any, values: Any) -> None:
    array[...] = values
