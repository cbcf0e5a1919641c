"""What the program does with what rewritten functions return: functions that it calls, states that it updates."""

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from .effects import unwrapped
from .files import real
from .originals import text_of
from .samples import Sample, is_array, passed

_MOST_CALLS, _MOST_LOOKED_AT = 2, 50
Passed = tuple[list[Any], dict[str, Any]]
Structure = tuple[Any, tuple[tuple[Any, str], ...]]


class Returned(NamedTuple):
    """A function that a rewritten one has returned.

    Attributes:
      name: of the rewritten one, and `path` to it in what that returned.
      bound: how many positional arguments it has already, and which `keywords`.
    """

    name: str
    path: str
    code: CodeType
    bound: int
    keywords: frozenset[str]

    def passed(self, sample: Sample, leaves: list[Any]) -> Passed:
        """The arguments that its caller passes in such a call."""
        args, keywords = passed(sample.code, sample.arguments(leaves))
        return args[self.bound :], {name: value for name, value in keywords.items() if name not in self.keywords}


class Update(NamedTuple):
    """A call of a function beside the rewritten one that takes what that returns.

    Attributes:
      parameter: that takes it.
      function: with the cells that it needs; None where it needs none.
    """

    sample: Sample
    parameter: str
    function: FunctionType | None

    def __call__(self, leaves: list[Any], state: Any) -> Any:
        code = self.sample.code
        closure = () if self.function is None else self.function.__closure__ or ()
        function = FunctionType(code, self.sample.globals, code.co_name, None, closure)
        args, keywords = passed(code, {**self.sample.arguments(leaves), self.parameter: state})
        return function(*args, **keywords)


class Followed:
    """Keeps calls of functions that rewritten ones return, and of those that take a state that they return.

    Attributes:
      seen_in: hears of the files whose functions are followed beside `siblings`.
    """

    def __init__(self, files: dict[str, str], texts: dict[str, str]) -> None:
        self.siblings = {place for name, file in files.items() for place in _siblings(name, file, texts[file])}
        self.qualnames = {qualname for _, qualname in self.siblings}
        self.seen_in: Callable[[str], None] = lambda file: None
        self.reset()

    def reset(self) -> None:
        """Forgets what happened in this process so far."""
        self.known: dict[int, Returned] = {}
        self.states: dict[str, Structure] = {}
        self.calls: dict[tuple[str, str], list[Sample]] = {}
        self.updates: dict[str, Update] = {}
        self.looked_at = 0

    def wants(self, code: CodeType) -> bool:
        """Whether calls of it may tell something."""
        if code.co_qualname not in self.qualnames:
            return False
        return id(code) in self.known or (real(code.co_filename), code.co_qualname) in self.siblings

    def returned(self, name: str, value: Any) -> None:
        """Notes what a rewritten function has returned."""
        for path, function in functions_in(value):
            code = _code(function)
            if code is not None and id(code) not in self.known:
                self.known[id(code)] = Returned(name, path, code, *_bound(function))
                self.qualnames.add(code.co_qualname)
                self.seen_in(code.co_filename)
        structure = _structure(value)
        if structure is not None:
            self.states.setdefault(name, structure)

    def saw(self, frame: FrameType, function_of: Callable[[FrameType], FunctionType | None]) -> None:
        """Keeps a call that begins, if it is of a kind that has not been kept yet."""
        found = self.known.get(id(frame.f_code))
        if found is not None:
            kept = self.calls.setdefault((found.name, found.path), [])
            if len(kept) < _MOST_CALLS:
                kept.append(Sample(frame))
            return
        if self.looked_at >= _MOST_LOOKED_AT or not self.states.keys() - self.updates.keys():
            return
        self.looked_at += 1
        for name, structure in self.states.items():
            taking = (key for key, value in frame.f_locals.items() if _structure(value) == structure)
            parameter = next(taking, None)
            if name not in self.updates and parameter is not None:
                self.updates[name] = Update(Sample(frame), parameter, function_of(frame))


def functions_in(value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions in a value, and how to get at each; no classes."""
    tree = importlib.import_module("jax").tree_util
    try:
        pairs = tree.tree_flatten_with_path(value, is_leaf=callable)[0]
    except (TypeError, ValueError):
        return
    for path, leaf in pairs:
        if callable(leaf) and not isinstance(leaf, type):
            yield tree.keystr(path), leaf


def _code(function: Any) -> CodeType | None:
    """The code that a call of it comes to; None where that is not Python's."""
    found = list(unwrapped(function))
    if not found and not isinstance(function, type):
        found = list(unwrapped(vars(type(function)).get("__call__")))
    return found[-1].__code__ if found else None


def _bound(function: Any) -> tuple[int, frozenset[str]]:
    """How many positional arguments, and which others, it has already."""
    count, names = 0, set[str]()
    for _ in range(20):
        if isinstance(function, functools.partial):
            count += len(function.args)
            names |= function.keywords.keys()
            function = function.func
        elif isinstance(function, MethodType):
            count += 1
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    return count + (not isinstance(function, FunctionType)), frozenset(names)


def _structure(value: Any) -> Structure | None:
    """The structure of a container of arrays, with their shapes and dtypes."""
    tree = importlib.import_module("jax").tree_util
    if value is None or is_array(value) or "jax" not in sys.modules:
        return None
    try:
        leaves, treedef = tree.tree_flatten(value)
    except (TypeError, ValueError):
        return None
    if tree.treedef_is_leaf(treedef) or not any(is_array(leaf) for leaf in leaves):
        return None
    shapes = ((getattr(leaf, "shape", None), str(getattr(leaf, "dtype", type(leaf).__name__))) for leaf in leaves)
    return treedef, tuple(shapes)


def _siblings(name: str, file: str, text: str) -> Iterator[tuple[str, str]]:
    """The functions in the scope of the named one, with the file that the program runs."""
    scope, _, own = name.rpartition(":")[2].rpartition(".")
    prefix = f"{scope}." if scope else ""
    for qualname in text_of(text).nodes:
        if qualname.startswith(prefix) and "." not in qualname[len(prefix) :] and qualname != f"{prefix}{own}":
            yield file, qualname
