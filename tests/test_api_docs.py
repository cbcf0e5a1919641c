"""What docstrings of the public interface have to say: a contract, what comes back, what is raised."""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType

import pytest

from jaxfix.semantic.names import Names

ROOT = Path(__file__).resolve().parents[1]
API = ("jaxfix.api", "jaxfix.api.analysis")
Public = Callable[..., object]
_MANY = ("tuple", "list", "dict", "set", "frozenset", "Iterator", "Iterable", "Sequence", "Mapping")
"""What may be empty, and has an order."""
_ORDER = re.compile(r"\b(order|empty|once)\b")


def public() -> dict[str, tuple[object, bool]]:
    """Everything that has a docstring behind the API, by where it is reached; and whether it is a property.

    `Names` is reached through a module, whose queries are its own.
    """
    found: dict[str, tuple[object, bool]] = {}
    for name in API:
        module = importlib.import_module(name)
        for entry in module.__all__:
            found.update(reached(f"{name}.{entry}", getattr(module, entry)))
    return found | dict(reached("jaxfix.api.Module.names", Names))


def reached(name: str, value: object) -> Iterator[tuple[str, tuple[object, bool]]]:
    if isinstance(value, ModuleType):
        for inner, entry in vars(value).items():
            if not inner.startswith("_") and getattr(entry, "__module__", None) == value.__name__:
                yield from reached(f"{name}.{inner}", entry)
    elif inspect.isclass(value):
        yield name, (value, False)
        for inner, entry in vars(value).items():
            if not inner.startswith("_"):
                yield from members(f"{name}.{inner}", entry)
    elif inspect.isfunction(value):
        yield name, (value, False)


def members(name: str, entry: object) -> Iterator[tuple[str, tuple[object, bool]]]:
    match entry:
        case property(fget=function) if function is not None:
            yield name, (function, True)
        case cached_property(func=function):
            yield name, (function, True)
        case classmethod() | staticmethod():
            yield name, (entry.__func__, False)
        case _ if inspect.isfunction(entry):
            yield name, (entry, False)


PUBLIC = public()
FUNCTIONS = {name: entry for name, (entry, _) in PUBLIC.items() if inspect.isfunction(entry)}


def sections(entry: object) -> dict[str, str]:
    """The docstring by its sections, the contract under an empty name."""
    parts = re.split(r"^(Args|Attributes|Returns|Raises):$", inspect.getdoc(entry) or "", flags=re.MULTILINE)
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def returned(function: Public) -> str:
    """The annotation of what comes back, as it is written: an alias says at its definition what it holds."""
    annotation = definition(function).returns
    return ast.unparse(annotation) if annotation is not None else ""


def definition(function: Public) -> ast.FunctionDef:
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(found, ast.FunctionDef)
    return found


def raised(function: Public) -> set[str]:
    """The classes of exceptions that the function's own body raises."""
    found = set()
    for node in ast.walk(definition(function)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(made).rpartition(".")[2])
    return found


@pytest.mark.parametrize("name", PUBLIC)
def test_the_first_line_is_a_contract_of_its_own(name: str) -> None:
    entry, _ = PUBLIC[name]
    contract, *others = sections(entry)[""].split("\n")
    assert contract.endswith("."), name
    assert not others or others[0] == "", f"{name}: the first sentence goes on in the next line"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_may_be_missing_or_empty_is_explained(name: str) -> None:
    """What is always one value is described by the first line; what None, order or emptiness mean needs words."""
    function, (_, is_property) = FUNCTIONS[name], PUBLIC[name]
    kind, said = returned(function), sections(function)
    if kind.endswith("| None"):
        assert "None" in said[""] + said.get("Returns", ""), f"{name}: what does None mean?"
    elif kind.partition("[")[0] in _MANY and not is_property:
        assert "Returns" in said or _ORDER.search(said[""]), f"{name}: in which order, and when empty?"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_the_body_raises_is_said(name: str) -> None:
    said = sections(FUNCTIONS[name]).get("Raises", "")
    assert {kind for kind in raised(FUNCTIONS[name]) if f"{kind}:" not in said} == set()


def test_there_is_much_to_look_at() -> None:
    assert len(FUNCTIONS) > 150 and any(raised(function) for function in FUNCTIONS.values())
