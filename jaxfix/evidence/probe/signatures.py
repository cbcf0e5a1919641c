"""What a program is compiled for: arguments by name, static values, functions and what they captured, configuration.

A signature holds words and weak references alone: nothing of the user's stays alive for it.
"""

import dataclasses
import enum
import functools
import inspect
import re
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MappingProxyType, MethodType
from typing import Any, NamedTuple

from .apart import Apart, apart
from .files import is_user

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
_SCALARS = {bool: ("bool", False), int: ("int64", True), float: ("float64", True), complex: ("complex128", True)}
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
# of no consequence to what is compiled
_ASIDE = re.compile(r"jax_(log|explain|traceback|compilation_cache|persistent|raise_persistent|debug_log|pprint|pgle)")
_LONGEST = 60
_MOST_FIELDS = 32


class Leaf(NamedTuple):
    """The type of one array; `placed` is its sharding where it is committed to one."""

    dtype: str
    shape: tuple[Any, ...]
    weak: bool
    placed: str | None = None

    @property
    def type(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


class Function(NamedTuple):
    """A function of the user's, held weakly; `captured` are the plain values of its closure, defaults and partials."""

    name: str
    object: "weakref.ref[Any] | None"
    captured: dict[str, str]

    def is_same(self, other: "Function") -> bool:
        """Whether both are one object that is still alive."""
        mine = self.object() if self.object is not None else None
        return mine is not None and other.object is not None and mine is other.object()


class Signature(NamedTuple):
    """All that jax looks a program up by, as far as it can be seen.

    Attributes:
      passed: how each argument was passed.
      trees: a token of the structure of each argument, the static parts of its nodes included.
      configuration: of jax, by name.
      context: a token of the meshes and settings that jax keys its caches by.
      nodes: the static fields of the nodes that users register, by path.
    """

    paths: tuple[str, ...]
    leaves: tuple[Leaf, ...]
    passed: dict[str, str]
    trees: dict[str, int]
    static: dict[str, str]
    functions: tuple[Function, ...]
    parameters: dict[str, str]
    configuration: dict[str, Any]
    context: int
    nodes: Mapping[str, str] = MappingProxyType({})


class Call(NamedTuple):
    """A call of a jitted function that jax has to compile for; `info` holds the arguments of `jax.jit`."""

    function: Any
    info: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def code(self) -> CodeType | None:
        return code_of(self.function)


class Objects:
    """Numbers for objects, which they keep as long as they live; holds none of them."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self.last = 0

    def name(self, function: Any) -> str:
        """The same for the same object, and for one method of the same object."""
        if isinstance(function, MethodType):
            return f"{self.number(function.__self__)}.{self.number(function.__func__)}"
        return str(self.number(function))

    def number(self, value: Any) -> int:
        held, number = self.known.get(id(value), (None, 0))
        if held is not None and held() is value:
            return number
        self.last += 1
        try:
            self.known[id(value)] = weakref.ref(value), self.last
        except TypeError:  # whether it is still the same is unknown
            return self.last
        return self.last


class Eager(NamedTuple):
    """A primitive that is run by itself, and the user's functions that were given to its caller."""

    name: str
    parameters: dict[str, Any]
    args: tuple[Any, ...]
    functions: tuple[Any, ...]


def call_in(frame: FrameType) -> Call | None:
    """The call that `frame` of jax's `cache_miss` handles; None for any other frame, and where jax has changed."""
    if frame.f_code.co_qualname != "_cpp_pjit.<locals>.cache_miss":
        return None
    values = frame.f_locals
    info = values.get("jit_info")
    function = values.get("fun", getattr(info, "fun", None))
    if function is None or not isinstance(values.get("args"), tuple) or not isinstance(values.get("kwargs"), dict):
        return None
    return Call(function, info, values["args"], values["kwargs"])


def functions_in(frame: FrameType, user: list[str]) -> Iterator[Any]:
    """The user's functions among the local variables of a frame of jax."""
    for value in tuple(frame.f_locals.values()):
        for entry in value if isinstance(value, tuple | list) and len(value) < _MOST_FIELDS else (value,):
            code = code_of(entry) if isinstance(entry, FunctionType | MethodType | functools.partial) else None
            if code is not None and is_user(code.co_filename, user):
                yield entry


def code_of(function: Any) -> CodeType | None:
    """The code that a call of `function` runs, through bound methods, partials and wrappers."""
    for _ in range(8):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif isinstance(wrapped := getattr(function, "__wrapped__", None), FunctionType):
            function = wrapped
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


class Reader:
    """Reads signatures; what is equal is kept once."""

    def __init__(self, user: list[str]) -> None:
        self.user = user
        self.kept: dict[Any, Any] = {}
        self.paths: dict[int, list[str]] = {}
        self.nodes: dict[int, dict[str, str]] = {}
        self.types: dict[Any, str] = {}
        self.placements: dict[int, str] = {}
        self.holders: list[tuple[str, Any]] | None = None

    def of_call(self, call: Call, avals: tuple[Any, ...] = ()) -> Signature:
        """The signature of a jitted function's call, its leaves named by parameter and path.

        Args:
          avals: what is compiled for; under `vmap` or `grad` the arguments are of other types.
        """
        paths: list[str] = []
        found: list[Any] = []
        nodes: dict[str, str] = {}
        passed: dict[str, str] = {}
        trees: dict[str, int] = {}
        static: dict[str, str] = {}
        split: Apart | None = None
        for name, how, value, is_static in _arguments(call):
            if is_static:
                split = split or apart(value)
                told = split.values() if split is not None else ()
                static |= {path: _static(entry) for path, entry in told} or _fields(name, value)
                continue
            passed[name] = how
            trees[name], below, values = self._flat(value)
            paths += [name + path for path in below] if below != [""] else [name]
            found += values
            nodes |= {name + path: words for path, words in self.nodes.get(trees[name], {}).items()}
        if split is not None:
            paths = [split.name(path) for path in paths]
            static |= {name: words for tree, keys, named in split.trees() for name, words in _nodes(tree, keys, named)}
        code = call.code
        mine = code is not None and is_user(code.co_filename, self.user)
        functions = (_function(call.function),) if mine else ()
        tracer = sys.modules["jax"].core.Tracer
        if len(avals) == len(found) and any(isinstance(value, tracer) for value in found):
            found = list(avals)
        leaves = [self._leaf(value) for value in found]
        signature = self._signature(paths, leaves, functions, passed=passed, trees=trees, static=static)
        return signature._replace(nodes=nodes) if nodes else signature

    def of_eager(self, eager: Eager) -> Signature:
        """The signature of a primitive that is run by itself."""
        paths = [f"argument {number}" for number in range(len(eager.args))]
        parameters = {name: _parameter(value) for name, value in eager.parameters.items()}
        functions = tuple(_function(entry) for entry in eager.functions)
        return self._signature(paths, [self._leaf(value) for value in eager.args], functions, parameters=parameters)

    def of_types(self, avals: tuple[Any, ...]) -> Signature:
        """The signature of a program of which only the argument types are known."""
        paths = [f"argument {number}" for number in range(len(avals))]
        return self._signature(paths, [self._leaf(aval) for aval in avals], ())

    def _signature(
        self,
        paths: list[str],
        leaves: list[Leaf],
        functions: tuple[Function, ...],
        passed: dict[str, str] | None = None,
        trees: dict[str, int] | None = None,
        static: dict[str, str] | None = None,
        parameters: dict[str, str] | None = None,
    ) -> Signature:
        if len(self.kept) > 1 << 16:
            self.kept.clear()
        names, types = self._once(tuple(paths)), self._once(tuple(self._once(leaf) for leaf in leaves))
        given = passed or {}, trees or {}, static or {}, functions, parameters or {}
        return Signature(names, types, *given, self._configuration(), _context())

    def _once(self, value: Any) -> Any:
        return self.kept.setdefault(value, value)

    def _flat(self, value: Any) -> tuple[int, list[str], list[Any]]:
        """A token of the structure, the paths of the leaves and the leaves."""
        if hasattr(value, "dtype") and hasattr(value, "shape"):
            return 0, [""], [value]
        tree = sys.modules["jax"].tree_util
        leaves, structure = tree.tree_flatten(value)
        token = hash(str(structure))
        paths = self.paths.get(token)
        if paths is None or len(paths) != len(leaves):
            if len(self.paths) > 1 << 10:
                self.paths.clear()
                self.nodes.clear()
            keys = [path for path, _ in tree.tree_flatten_with_path(value)[0]]
            paths = [tree.keystr(path) for path in keys]
            self.paths[token] = paths
            found = dict(_nodes(structure, keys, tree.keystr))
            if found:
                self.nodes[token] = found
        return token, paths, leaves

    def _configuration(self) -> dict[str, Any]:
        if self.holders is None:
            holders = getattr(sys.modules["jax"].config, "_value_holders", {})
            self.holders = [(name, holder) for name, holder in holders.items() if not _ASIDE.match(name)]
        values = tuple([holder.value for _, holder in self.holders])
        known: dict[str, Any] | None = self.kept.get(values)
        if known is None:
            names = (name for name, _ in self.holders)
            known = self.kept[values] = {name: str(value) for name, value in zip(names, values, strict=True)}
        return known

    def _leaf(self, value: Any) -> Leaf:
        if type(value) in _SCALARS:
            scalar, weak = _SCALARS[type(value)]
            return Leaf(self._type(scalar), (), weak)
        if isinstance(value, sys.modules["numpy"].ndarray):
            return Leaf(self._type(value.dtype), value.shape, False)
        aval = value if hasattr(value, "weak_type") else getattr(value, "aval", None)
        if aval is None:
            dtype = getattr(value, "dtype", None)
            shown = f"<{type(value).__name__}>" if dtype is None else self._type(dtype)
            return Leaf(shown, tuple(getattr(value, "shape", ())), False)
        placed = self._placed(value) if getattr(value, "_committed", False) else None
        shape = tuple(getattr(aval, "shape", ()))
        return Leaf(self._type(getattr(aval, "dtype", aval)), shape, bool(getattr(aval, "weak_type", False)), placed)

    def _type(self, dtype: Any) -> str:
        """The name of the type that jax makes of `dtype`."""
        wide = bool(getattr(sys.modules["jax"].config, "jax_enable_x64", False))
        known = self.types.get((dtype, wide))
        if known is None:
            said = str(dtype)
            known = self.types[dtype, wide] = said if wide else _NARROW.get(said, said)
        return known

    def _placed(self, array: Any) -> str | None:
        sharding = getattr(array, "sharding", None)
        if sharding is None:
            return None
        key = hash(sharding)
        if key not in self.placements:
            if len(self.placements) > 1 << 12:
                self.placements.clear()
            self.placements[key] = _short(str(sharding), 120)
        return self.placements[key]


def _nodes(structure: Any, keys: list[tuple[Any, ...]], keystr: Callable[[Any], str]) -> Iterator[tuple[str, str]]:
    """The static fields of nodes that users register, by the path of the node, in words.

    Args:
      keys: the path of each leaf. A node is named by its first leaf; one without leaves has no name.
    """
    first = 0
    waiting = [(structure, 0)]
    while waiting:
        node, depth = waiting.pop()
        data = node.node_data()
        if data is None:
            first += node.num_leaves
            continue
        kind, static = data
        path = keys[first] if node.num_leaves and first < len(keys) else ()
        if depth <= len(path) and node.num_leaves and not _is_container(kind):
            yield from _told_fields(kind, static, keystr(path[:depth]))
        waiting += [(child, depth + 1) for child in reversed(node.children())]


def _is_container(kind: Any) -> bool:
    return kind in (tuple, list, dict, type(None), OrderedDict, defaultdict, deque) or hasattr(kind, "_fields")


def _told_fields(kind: Any, static: Any, path: str) -> Iterator[tuple[str, str]]:
    """The static fields of one node: by name where a dataclass says which they are."""
    entries = static if isinstance(static, tuple) else (static,)
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    names = [f"{path}.{field.name}" for field in fields if field.metadata.get("static")]
    words = [_static(entry) for entry in entries[:_MOST_FIELDS]]
    if names and len(names) <= len(words) == len(entries):
        # equinox puts one entry before them, of what a wrapper replaces
        yield from zip(names, words[-len(names) :], strict=True)
    else:
        yield path, _short(", ".join(words))


def _arguments(call: Call) -> Iterator[tuple[str, str, Any, bool]]:
    """Each argument: its parameter's name, how it was passed, the value, and whether it is static."""
    said = tuple(getattr(call.info, "static_argnums", None) or ())
    static_names = tuple(getattr(call.info, "static_argnames", None) or ())
    count = len(call.args)
    numbers = {number % count for number in said if -count <= number < count}
    names = _positional_names(call, count)
    for number, value in enumerate(call.args):
        yield names[number], "by position", value, number in numbers
    for name, value in sorted(call.kwargs.items()):
        yield name, "by keyword", value, name in static_names


def _positional_names(call: Call, count: int) -> list[str]:
    signature = getattr(call.info, "fun_signature", None)
    if signature is None:
        try:
            signature = inspect.signature(call.function)
        except (TypeError, ValueError):
            return [f"args[{number}]" for number in range(count)]
    names: list[str] = []
    rest = "args"
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
    return names[:count] + [f"{rest}[{number}]" for number in range(count - len(names))]


def _fields(name: str, value: Any) -> dict[str, str]:
    """A static argument in words: by its fields where it is a dataclass or a dictionary."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        entries = [(f"{name}.{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    elif isinstance(value, tuple) and (fields := getattr(value, "_fields", None)) is not None:
        entries = [(f"{name}.{field}", entry) for field, entry in zip(fields, value, strict=True)]
    else:
        return {name: _static(value)}
    return {name: type(value).__qualname__} | {path: _static(entry) for path, entry in entries[:_MOST_FIELDS]}


def _static(value: Any) -> str:
    words = plain(value)
    if words is not None:
        return words
    if isinstance(value, type) or code_of(value) is not None:
        # By object, as jax compares it.
        return f"{getattr(value, '__qualname__', type(value).__qualname__)}#{id(value)}"
    try:
        token = hash(value)
    except TypeError:
        token = id(value)
    return f"{type(value).__qualname__}#{token}"


def plain(value: Any) -> str | None:
    """A value that is the same wherever it reads the same; None for any other, whose `repr` is not ours to run."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value) in _PLAIN or type(value) in (range, slice):
        return _short(repr(value))
    if type(value) in (tuple, list, frozenset) and len(value) <= _MOST_FIELDS:
        words = [plain(entry) for entry in value]
        if all(word is not None for word in words):
            return _short(f"({', '.join(str(word) for word in words)})")
    kind = type(value)
    if kind.__module__ == "numpy" and getattr(value, "shape", None) == ():
        return _short(str(value))
    if kind.__module__.startswith("numpy") and "dtype" in kind.__name__.lower():
        return str(value)
    return None


def _function(function: Any) -> Function:
    code = code_of(function)
    name = getattr(function, "__qualname__", None) or (code.co_qualname if code else type(function).__name__)
    try:
        held: weakref.ref[Any] | None = weakref.ref(function)
    except TypeError:
        held = None
    return Function(str(name), held, dict(_captured(function)))


def _captured(function: Any) -> Iterator[tuple[str, str]]:
    while isinstance(function, functools.partial):
        given = {f"argument {number}": value for number, value in enumerate(function.args)} | function.keywords
        yield from _told(given)
        function = function.func
    function = getattr(function, "__func__", function)
    code = code_of(function)
    inner: Callable[..., Any] = getattr(function, "__wrapped__", function)
    if code is None or not isinstance(inner, FunctionType):
        return
    cells = zip(code.co_freevars, inner.__closure__ or (), strict=False)
    yield from _told({name: cell.cell_contents for name, cell in cells if _is_full(cell)})
    defaults = inner.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    yield from _told(dict(zip(names[len(names) - len(defaults) :], defaults, strict=False)))


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # the variable is not bound yet
        return False


def _told(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in list(values.items())[:_MOST_FIELDS]:
        words = plain(value)
        if words is not None:
            yield name, words
        elif (aval := getattr(value, "aval", None)) is not None:
            yield name, f"{aval.dtype}[{','.join(map(str, aval.shape))}]"


def _parameter(value: Any) -> str:
    """A parameter of a primitive, in words; programs within it are `a program`."""
    kind = type(value).__name__
    nested = type(value[0]).__name__ if isinstance(value, tuple) and value else ""
    if "Jaxpr" in kind or "Jaxpr" in nested or callable(value):
        return PROGRAM
    return _short(_ADDRESS.sub("", repr(value)))


PROGRAM = "a program"


def _context() -> int:
    """A token of the meshes and settings that jax keys its caches by; 0 where it does not say."""
    config = sys.modules.get("jax._src.config")
    try:
        return hash(config.trace_context()) if config is not None else 0
    except (AttributeError, TypeError):
        return 0


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
