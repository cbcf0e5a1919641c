"""What a function reaches in the user's own code, and what it does to the world, read in the sources."""

import ast
import dis
import re
import sys
from collections.abc import Iterable, Iterator, Set
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .files import is_user
from .originals import Definition, nested, text_of

MUTATORS = {
    "append",
    "extend",
    "insert",
    "add",
    "update",
    "setdefault",
    "pop",
    "popitem",
    "clear",
    "remove",
    "discard",
}
_WORLD = {
    *("open", "input", "breakpoint", "write", "writelines", "write_text", "write_bytes", "save", "savez", "savetxt"),
    *("savez_compressed", "dump", "tofile", "unlink", "rmtree", "makedirs", "mkdir", "system", "Popen", "subprocess"),
    *("socket", "urlopen", "requests", "wandb", "add_scalar", "host_callback", "exit", "_exit", "sleep"),
    *("savefig", "to_csv", "kill", "putenv"),
}
_MOST, _DEEPEST = 200, 3
_LOOPS = {"while_loop", "bisect", "root", "custom_root", "bounded_while_loop"}
_WORD = re.compile(r"[\w.+-]{1,40}")
_IMPLICIT = {"__init__", "__post_init__", "__call__", "__new__"}


class Reach:
    """The functions of the user's that a function may call, and the names that they mention."""

    def __init__(self, user: list[str]) -> None:
        self.user = user
        self.codes: list[tuple[CodeType, dict[str, Any]]] = []
        self.functions: list[FunctionType] = []
        self._seen: set[int] = set()
        self._classes: list[type] = []

    def settle(self) -> None:
        """Adds the methods that are mentioned, of all classes that were come across, until nothing new is mentioned."""
        known = -1
        while known != len(self.codes):
            known, names = len(self.codes), self.names | _IMPLICIT
            for kind in tuple(self._classes):
                for name in sorted(names & vars(kind).keys()):
                    self.add_value(vars(kind)[name], 1)

    def add(self, code: CodeType, globals_: Any) -> None:
        """Adds `code` and what it reaches through the names that it reads."""
        if id(code) in self._seen or len(self.codes) >= _MOST:
            return
        self._seen.add(id(code))
        self.codes.append((code, globals_))
        names = sorted({name for part in nested(code) for name in part.co_names})
        for name in names:
            if name in globals_ and not self._add_static(code, name, globals_[name]):
                self._add_read(globals_[name], names)
        for module in _imported(code, globals_):
            self._add_read(module, names)

    def _add_static(self, code: CodeType, name: str, value: Any) -> bool:
        """Adds the static methods of a class that is read for nothing else: none of its objects is made, or at hand."""
        if not isinstance(value, type):
            return False
        read = _attributes_of(code, name)
        held = [next((vars(base)[each] for base in value.__mro__ if each in vars(base)), None) for each in read]
        if not held or not all(isinstance(each, staticmethod) for each in held):
            return False
        for each in held:
            self.add_value(each.__func__ if isinstance(each, staticmethod) else each, 1)
        return True

    def _add_read(self, value: Any, names: list[str], depth: int = 0) -> None:
        """Adds a value that is read, or of a module of the user's what is mentioned of it."""
        if not isinstance(value, ModuleType):
            self.add_value(value)
        elif depth < _DEEPEST and self.is_mine(value.__name__):
            for name in names:
                if name in vars(value):
                    self._add_read(vars(value)[name], names, depth + 1)

    def add_value(self, value: Any, depth: int = 0) -> None:
        """Adds the functions behind a value: a function, what is wrapped or captured, the methods of a class."""
        if depth > 4 or len(self.codes) >= _MOST:
            return
        kind = value if isinstance(value, type) else type(value)
        self._classes += [base for base in kind.__mro__ if self.is_mine(base.__module__) and base not in self._classes]
        for function in unwrapped(value):
            self._add_function(function, depth)

    def _add_function(self, function: FunctionType, depth: int) -> None:
        if not is_user(function.__code__.co_filename, self.user):
            return
        if function not in self.functions:
            self.functions.append(function)
        self.add(function.__code__, function.__globals__)
        for cell in function.__closure__ or ():
            try:
                self.add_value(cell.cell_contents, depth + 1)
            except ValueError:
                continue

    def is_mine(self, module: str) -> bool:
        """Whether a module, by name, is the user's."""
        file = getattr(sys.modules.get(module), "__file__", None)
        # `__main__` has forgotten its file when the program has ended.
        return module == "__main__" or (bool(file) and is_user(str(file), self.user))

    @property
    def texts(self) -> list[str]:
        """All short texts that are mentioned, except documentation."""
        held = (text for code, _ in self.codes for part in nested(code) for text in _texts(part.co_consts))
        return [text for text in dict.fromkeys(held) if _WORD.fullmatch(text)]

    @property
    def names(self) -> set[str]:
        """All names and attributes that are mentioned."""
        return {name for code, _ in self.codes for part in nested(code) for name in part.co_names}


def _imported(code: CodeType, globals_: Any) -> Iterator[ModuleType]:
    """The modules that a function may import by itself: what is relative, of its package and those around it."""
    around = str(globals_.get("__package__") or "").split(".")
    for step in (step for part in nested(code) for step in dis.get_instructions(part)):
        if step.opname == "IMPORT_NAME":
            names = (".".join((*around[:end], step.argval)).strip(".") for end in range(len(around), -1, -1))
            yield from (found for name in names if isinstance(found := sys.modules.get(name), ModuleType))


def _attributes_of(code: CodeType, name: str) -> list[str]:
    """The attributes that a function reads of a variable of its module; none where it reads that for more."""
    found: list[str] = []
    for part in nested(code):
        steps = list(dis.get_instructions(part))
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval == name:
                if following is None or following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    return []
                found.append(following.argval)
            elif step.argval == name and step.opname.startswith(("STORE_", "DELETE_", "LOAD_DEREF")):
                return []
    return found


def unwrapped(value: Any) -> Iterator[FunctionType]:
    """The functions in a chain of wrappers, the outermost first."""
    for _ in range(20):
        if isinstance(value, FunctionType):
            yield value
        wrapper = type(value).__name__ in ("partial", "cached_property")
        inner = getattr(value, "func", None) if wrapper else None
        inner = inner or getattr(value, "__wrapped__", None) or getattr(value, "__func__", None)
        inner = inner or (value.fget if isinstance(value, property) else None)
        if inner is None:
            return
        value = inner


def _texts(constants: Iterable[Any]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from _texts(sorted(constant, key=repr))


def effect(codes: list[tuple[CodeType, dict[str, Any]]], but: Set[str] = frozenset()) -> str | None:
    """The first thing in these functions that a call too many would show, in words; None if there is none.

    Args:
      but: what may be called.
    """
    for code, _ in codes:
        names = {name for part in nested(code) for name in part.co_names}
        if world := sorted(names & _WORLD - but):
            return f"it calls `{world[0]}`"
    return None


def calls_back(names: Set[str]) -> bool:
    """Whether functions that mention these names have jax call Python functions, which may come in any order."""
    return bool(names & {"debug", "io_callback", "pure_callback"})


def loops(codes: list[tuple[CodeType, dict[str, Any]]]) -> bool:
    """Whether a value may decide how long one of these functions runs."""
    names = {name for code, _ in codes for part in nested(code) for name in part.co_names}
    return bool(names & _LOOPS) or any(
        isinstance(p, ast.While) for c, _ in codes for n in definitions(c) for p in ast.walk(n)
    )


def containers(codes: list[tuple[CodeType, dict[str, Any]]], captured: dict[str, Any]) -> dict[str, Any]:
    """Lists, dictionaries and sets of the modules, or captured, that these functions add to or take from."""
    found: dict[str, Any] = {}
    for code, globals_ in codes:
        for node in definitions(code):
            bound = _bound(node)
            for name in _mutated(node) - bound:
                value = captured[name] if name in captured else globals_.get(name)
                if isinstance(value, list | dict | set):
                    found[name] = value
    return found


def definitions(code: CodeType) -> list[Definition]:
    """Where the text that the code was made of defines it."""
    try:
        return text_of(code.co_filename).nodes.get(code.co_qualname, [])
    except (OSError, SyntaxError, ValueError):
        return []


def _mutated(node: Definition) -> set[str]:
    """The names of mutated objects."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            found.add(_root(part.value))
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in MUTATORS:
            found.add(part.func.value.id if isinstance(part.func.value, ast.Name) else "")
    return found - {""}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(node: Definition) -> set[str]:
    """All names that the function or one within it binds."""
    names = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    declared = {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}
    inner = {part.name for part in ast.walk(node) if isinstance(part, Definition | ast.ClassDef) and part is not node}
    aliases = (
        alias for part in ast.walk(node) if isinstance(part, ast.Import | ast.ImportFrom) for alias in part.names
    )
    return (names | inner | {(alias.asname or alias.name).partition(".")[0] for alias in aliases}) - declared
