"""What `benchmarks.house` counts, on a checkout made for it."""

from collections.abc import Callable

import pytest

from benchmarks.house import House

SOURCES = {
    "jaxfix/semantic/module.py": """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxfix.semantic.names import Names

class Module:
    def __init__(self, source):
        self.source = source
        self._names = None

    def text(self): ...
    def _place(self): ...
""",
    "jaxfix/semantic/names.py": """\
from jaxfix.semantic import module

_JITS = frozenset({"jax.jit", "equinox.filter_jit"})
_WORDS = ("no name at all", "nor this one")
_ONE = {"jax.jit"}
__all__ = ["Names", "Other"]

class Stuck(ValueError): ...
class Worse(Stuck): ...
class Names: ...
""",
    "jaxfix/library/rows.py": '_ROWS = {"jax.jit": 1, "jax.vmap": 2}\n',
    "codemods/jaxfix_codemods/one.py": """\
_DEEPEST = 3

def counted(node, depth):
    return counted(node.below, depth - 1)

def marked(self, node):
    self.open.add(node)
    marked(self, node.below)
    self.open.discard(node)

def bound(nodes):
    return len(nodes) > _DEEPEST

def plain(depth, a, b, c, d, e):
    return depth
""",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    root = tmp_path_factory.mktemp("checkout")
    for name, text in SOURCES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return House(root)


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (House.files, "4 files, 38 lines"),
        (House.middle_files, "3 files, 23 lines"),
        (House.model_methods, "3"),
        (House.model_names, "2"),
        (House.name_tables, "1 with 2 names in 1 files"),
        (House.guards, "3 functions in 1 files"),
        (House.exceptions, "2"),
        (House.middle_cycles, "1 with 2 files"),
        (House.type_checking, "1"),
        (House.many_parameters, "1, at most 6"),
    ],
)
def test_what_is_counted(house: House, figure: Callable[[House], str], expected: str) -> None:
    assert figure(house) == expected
