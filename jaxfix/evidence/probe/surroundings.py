"""Variables of the environment: which ones the user's code reads, and which ones a function asks for by name."""

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from .effects import definitions
from .files import is_user

# What says where the run computes, which the receipt names.
_OF_PLATFORMS = ("JAX_", "XLA_", "TF_", "CUDA_", "OMP_", "TPU_", "ROCR_", "HIP_", "LIBTPU_")
_MOST, _DEEPEST = 64, 4


class Surroundings:
    """Notes what the user's code reads of the environment.

    Attributes:
      read: the names, in the order in which they were first read.
    """

    def __init__(self, user: list[str], is_silent: Callable[[], bool]) -> None:
        self.user, self.is_silent = user, is_silent
        self.read: dict[str, None] = {}

    def start(self) -> None:
        """From here on every read is seen."""
        kind = type(os.environ)
        noted = self._noted

        def read(environ: Any, name: Any) -> Any:
            noted(name, sys._getframe(1))
            return kind.__getitem__(environ, name)

        names = {"__getitem__": read, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
        try:
            object.__setattr__(os.environ, "__class__", type(kind.__name__, (kind,), names))
        except TypeError:  # another kind of environment
            return

    def _noted(self, name: Any, frame: FrameType | None) -> None:
        while frame is not None and _is_of_python(frame.f_code.co_filename):
            frame = frame.f_back
        is_known = not isinstance(name, str) or name in self.read or len(self.read) >= _MOST
        if frame is None or is_known or name.startswith(_OF_PLATFORMS) or self.is_silent():
            return
        if is_user(frame.f_code.co_filename, self.user) and _is_named(name, frame):
            self.read[name] = None


def _is_of_python(file: str) -> bool:
    return file.endswith(("os.py", "_collections_abc.py", "<frozen os>", "<frozen _collections_abc>"))


def _is_named(name: str, frame: FrameType | None) -> bool:
    """Whether the code that reads, or that calls it, names the variable: who copies the environment reads all."""
    for _ in range(_DEEPEST):
        if frame is None:
            return False
        consts = frame.f_code.co_consts
        if name in consts or any(isinstance(held, tuple) and name in held for held in consts):
            return True
        frame = frame.f_back
    return False


def variable(name: str) -> str:
    """What a receipt calls it."""
    return f"other values of the environment variable `{name}`"


def variables(codes: Iterable[tuple[CodeType, Any]]) -> dict[str, str]:
    """The variables that these sources ask for, and what they take where one is not set, as far as that is a text."""
    nodes = (part for code, _ in codes for node in definitions(code) for part in ast.walk(node))
    return {name: default for node in nodes for name, default in _asked(node)}


def _asked(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Call(func=ast.Name(id="getenv") | ast.Attribute(attr="getenv"), args=[ast.Constant(str(name)), *rest]):
            yield name, _text(rest)
        case ast.Call(func=ast.Attribute(value=of, attr="get" | "pop"), args=[ast.Constant(str(name)), *rest]):
            yield from [(name, _text(rest))] * _is_environ(of)
        case ast.Subscript(value=of, slice=ast.Constant(str(name))):
            yield from [(name, "")] * _is_environ(of)
        case ast.Compare(left=ast.Constant(str(name)), comparators=[of]):
            yield from [(name, "")] * _is_environ(of)


def _is_environ(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2] == "environ"


def _text(rest: list[ast.expr]) -> str:
    return str(rest[0].value) if rest and isinstance(rest[0], ast.Constant) else ""
