"""Functions as the original text of a patched file has them, made without running that text."""

import ast
import builtins
import functools
import sys
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from .cells import python_of
from .files import cell_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_STORED = ("__name__", "__package__", "__spec__", "__file__", "__path__", "__loader__")


class Unmade(Exception):
    """Why an original cannot be made, in words."""


class Text:
    """The functions that a source text defines, by qualified name."""

    def __init__(self, file: str) -> None:
        content = _content(file)
        self.file = file
        self.tree = ast.parse(content, file)
        self.code = compile(content, file, "exec", dont_inherit=True)
        self.codes: dict[str, list[CodeType]] = {}
        for code in nested(self.code):
            self.codes.setdefault(code.co_qualname, []).append(code)
        self.nodes: dict[str, list[Definition]] = {}
        self._index(self.tree, "")

    def _index(self, node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Definition):
                self.nodes.setdefault(prefix + child.name, []).append(child)
                self._index(child, f"{prefix}{child.name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                self._index(child, f"{prefix}{child.name}.")
            else:
                self._index(child, prefix)

    def code_of(self, qualname: str) -> CodeType:
        """The code of the one function of that name."""
        codes = self.codes.get(qualname, [])
        if len(codes) != 1:
            raise Unmade("its original is defined more than once" if codes else "the patch has renamed or added it")
        return codes[0]

    def dumped(self, qualname: str) -> list[str]:
        """The definitions of that name, wherever they stand."""
        return [ast.dump(node) for node in self.nodes.get(qualname, [])]

    def decorators(self, qualname: str) -> list[ast.expr]:
        nodes = self.nodes.get(qualname, [])
        return nodes[0].decorator_list if len(nodes) == 1 else []


@functools.cache
def text_of(file: str) -> Text:
    """The text of a source; of all cells of a notebook if `file` is one of them."""
    return Text(cell_of(file)[0])


def _content(file: str) -> bytes:
    if file.endswith(".ipynb"):
        return python_of(file).encode()
    with open(file, "rb") as source:
        return source.read()


def nested(code: CodeType) -> Iterator[CodeType]:
    """The code and all code within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


def same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same, wherever they stand."""
    return _essence(one) == _essence(other)


def _essence(code: CodeType) -> tuple[Any, ...]:
    constants = tuple(
        _essence(value) if isinstance(value, CodeType) else (type(value).__name__, repr(value))
        for value in code.co_consts
    )
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, constants, names, code.co_flags, code.co_argcount, code.co_kwonlyargcount


class Namespace(dict[str, Any]):
    """The live globals of a module in which some functions are still the original ones.

    Args:
      others: functions, by qualified name, that are compared with their own originals: as long as they are called in
        the same way, they stay unchanged, so that none is judged by what another one does.
    """

    def __init__(self, live: dict[str, Any], text: Text, patched: Text, others: frozenset[str] = frozenset()) -> None:
        kept = {name: live[name] for name in _STORED if name in live}
        super().__init__(kept, __builtins__=live.get("__builtins__", builtins))
        self.live, self.text, self.patched, self.others = live, text, patched, others
        self.made: dict[str, Any] = {}
        self.failed: dict[str, str] = {}

    def __getitem__(self, name: str) -> Any:
        return self.made[name] if name in self.made else self.live[name]

    def __contains__(self, name: object) -> bool:
        return name in self.made or name in self.live

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def prepare(self, code: CodeType) -> None:
        """Makes what `code` reads of the module and what the patch has changed or taken away.

        Raises:
          Unmade: something that it reads cannot be made.
        """
        for name in sorted({name for part in nested(code) for name in part.co_names}):
            if name in self.made or (name not in self.text.codes and name in self.live):
                continue
            if name in self.text.codes and "." not in name:
                self._prepare_function(name)
            elif name not in self.live and not hasattr(builtins, name):
                self._prepare_constant(name)

    def _prepare_function(self, name: str) -> None:
        codes, live = self.text.codes[name], plain(self.live.get(name))
        if live is not None and any(same_code(live.__code__, code) for code in codes):
            return
        if name in self.live and self.text.dumped(name) == self.patched.dumped(name):
            return
        if live is not None and name in self.others and self._is_called_alike(name):
            return
        if isinstance(self.live.get(name), type):
            return  # a class: its methods are looked up in the live one
        if len(codes) != 1 or name not in self.text.nodes:
            raise Unmade(f"the original of `{name}`, which it reads, is not one plain function")
        node = self.text.nodes[name][0]
        made = FunctionType(codes[0], self, name)
        self.made[name] = made
        made.__defaults__ = tuple(self._evaluated(value, name) for value in node.args.defaults) or None
        keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        made.__kwdefaults__ = {arg.arg: self._evaluated(value, name) for arg, value in keywords if value is not None}
        self.prepare(codes[0])
        self.made[name] = self.decorated(made, node.decorator_list, name)

    def _is_called_alike(self, name: str) -> bool:
        """Whether the patch has left the parameters and the decorators of a function as they were."""
        heads = [
            [(ast.dump(node.args), *map(ast.dump, node.decorator_list)) for node in text.nodes.get(name, [])]
            for text in (self.text, self.patched)
        ]
        return heads[0] == heads[1]

    def _prepare_constant(self, name: str) -> None:
        values = [
            node.value
            for node in self.text.tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        ]
        if values:
            self.made[name] = self._evaluated(values[-1], name)

    def decorated(self, function: Any, decorators: list[ast.expr], name: str) -> Any:
        """The function with its decorators, if they are those of jax that have no effects."""
        for decorator in reversed(decorators):
            if not is_jit(decorator):
                raise Unmade(f"`{name}` is decorated with `{ast.unparse(decorator)[:40]}`")
            expression = ast.fix_missing_locations(ast.Expression(decorator))
            made = eval(compile(expression, self.text.file, "eval"), self)
            function = made(function)
        return function

    def _evaluated(self, node: ast.expr, name: str) -> Any:
        try:
            return ast.literal_eval(node)
        except ValueError:
            raise Unmade(f"`{name}`, which it reads, is `{ast.unparse(node)[:40]}`") from None


def is_jit(decorator: ast.expr) -> bool:
    """Whether the decorator is `jit`, with arguments or without."""
    if isinstance(decorator, ast.Call):
        if decorator.args and ast.unparse(decorator.func).rpartition(".")[2] == "partial":
            return is_jit(decorator.args[0])
        return is_jit(decorator.func)
    return ast.unparse(decorator).rpartition(".")[2] in ("jit", "checkpoint", "remat")


def plain(value: Any) -> FunctionType | None:
    """The Python function under decorators, methods and jax's wrappers."""
    for _ in range(20):
        if isinstance(value, FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        inner = getattr(value, "__wrapped__", None) or getattr(value, "__func__", None) or getattr(value, "fget", None)
        if inner is None:
            return value if isinstance(value, FunctionType) else None
        value = inner
    return None


def live_object(globals_: dict[str, Any], qualname: str) -> Any:
    """What the module has under that name, as it is in its class; None if it is local or gone."""
    head, *rest = qualname.split(".")
    found = globals_.get(head)
    for name in rest:
        owner = found if isinstance(found, type) else None
        found = None if owner is None else vars(owner).get(name)
    return found


def cells_of(functions: list[FunctionType]) -> dict[str, CellType]:
    """The cells by name that these functions and those that they capture share, the nearest first."""
    cells: dict[str, CellType] = {}
    seen: set[int] = set()
    queue = list(functions)
    while queue:
        function = queue.pop(0)
        if id(function) in seen:
            continue
        seen.add(id(function))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            cells.setdefault(name, cell)
            try:
                inner = plain(cell.cell_contents)
            except ValueError:  # not bound yet
                continue
            if inner is not None and inner.__code__.co_filename == functions[0].__code__.co_filename:
                queue.append(inner)
    return cells


def stated_in(error: BaseException) -> str | None:
    """The file whose `raise` or `assert` has raised it; None where no text of Python has."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return None
    file = trace.tb_frame.f_code.co_filename
    try:
        tree = text_of(file).tree
    except (OSError, SyntaxError, ValueError):
        return None
    stated = (node for node in ast.walk(tree) if isinstance(node, ast.Raise | ast.Assert))
    is_there = any(node.lineno <= trace.tb_lineno <= (node.end_lineno or node.lineno) for node in stated)
    return file if is_there else None


def tells_a_length(error: BaseException) -> bool:
    """Whether a statement raised it whose targets tell how many items there have to be, as `mean, count = state`."""
    return isinstance(error, ValueError) and "values to unpack" in str(error)


def module_of(globals_: dict[str, Any]) -> Any:
    return sys.modules.get(str(globals_.get("__name__")))
